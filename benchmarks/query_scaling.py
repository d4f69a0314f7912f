"""Scaling: the same statement on every engine, from small tables to large ones, with one thread and with two."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from query_asked import Task
from query_data import table_file
from query_measured import Measured, ratio_text, size_text, time_text
from query_memory import watch
from query_postgres import Server, postgres
from query_sheet import Kept, Sheet
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

SIZES = (10**5, 10**6, 10**7, 10**8)
FEASIBLE = {"duckdb": 10**8, "postgres": 10**7, "spark": 10**7}  # in a few minutes
NEEDS = {"duckdb": (), "postgres": ("psycopg",), "spark": ("pyspark",)}  # beside Privet
NAMES = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "spark": "Spark"}
THREADS = (1, 2)
REPEATS = 5
PATIENCE = 20.0
COLUMNS = ("rows", "threads", "plain", "Privet", "ratio", "memory, plain", "memory, Privet")
PLAIN = "Plain is COUNT, SUM and AVG by city of the same table, without any bound."
ABOUT = {
    "duckdb": f"{PLAIN} From Parquet.",
    "postgres": f"{PLAIN} Memory is that of the server's processes and of the one that asks.",
    "spark": f"{PLAIN} From Parquet, on a Spark in the process that asks, after a first run that warms it up.",
}


@dataclass(frozen=True)
class Scaling:
    """What is measured.

    Args:
        engines: which take part.
        sizes: in rows.
        largest: whether sizes that take long on an engine are measured there, too.
        folder: where tables are.
        memory: the most that DuckDB may use.
        seconds: after which a measurement is ended.
    """

    engines: tuple[str, ...]
    sizes: tuple[int, ...]
    largest: bool
    folder: Path
    memory: str | None = None
    seconds: float = 1800.0

    def sizes_of(self, engine: str) -> list[int]:
        """Those that are measured."""
        return [rows for rows in self.sizes if self.largest or rows <= FEASIBLE[engine]]


@dataclass(frozen=True)
class Cell:
    """What was measured on one engine with one size and number of threads."""

    engine: str
    rows: int
    threads: int
    plain: Measured
    privet: Measured

    @property
    def ratio(self) -> float | None:
        """How many times the plain query's time Privet takes."""
        ours, theirs = self.privet.seconds(), self.plain.seconds()
        return None if ours is None or not theirs else ours / theirs

    def texts(self) -> tuple[str, ...]:
        """A row of the sheet."""
        both = (self.plain, self.privet)
        times = (time_text(each.seconds()) for each in both)
        sizes = (size_text(each.peak) for each in both)
        ratio = ratio_text(self.privet.seconds(), self.plain.seconds())
        return (f"{self.rows:,}", str(self.threads), *times, ratio, *sizes)

    def problems(self) -> list[str]:
        """Why figures are missing."""
        where = f"{self.rows:,} rows, {self.threads} thread{'s' if self.threads > 1 else ''}"
        found = {"plain": self.plain.problem, "Privet": self.privet.problem}
        return [f"{where}, {who}: {problem}." for who, problem in found.items() if problem]


def scale(plan: Scaling, kept: Kept, console: Console) -> None:
    """Measure every engine, size and number of threads, and keep a sheet of each engine that grows with each cell."""
    here = [engine for engine in plan.engines if _here(engine, console)]
    for size in sorted({size for engine in here for size in plan.sizes_of(engine)}):
        table_file(size, folder=plan.folder, console=console)
    bars = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*bars, console=console) as progress:
        task = progress.add_task("scaling", total=sum(len(plan.sizes_of(engine)) * len(THREADS) for engine in here))
        for engine in here:
            cells: list[Cell] = []
            left = [
                f"{size:,} rows were left out: they take long; `--largest` measures them."
                for size in plan.sizes
                if size not in plan.sizes_of(engine)
            ]
            try:
                for cell in _cells(plan, engine, progress):
                    cells.append(cell)
                    progress.advance(task)
                    kept.put(part_of(engine), sheet_of(engine, cells, left))
            except Exception as problem:  # noqa: BLE001 - the other engines are measured all the same
                words = str(problem).strip().splitlines() or [type(problem).__name__]
                kept.put(part_of(engine), sheet_of(engine, cells, [*left, f"It failed: {words[0]}."]))


def part_of(engine: str) -> str:
    """The part of the page that an engine has."""
    return f"scaling-{engine}"


def sheet_of(engine: str, cells: Sequence[Cell], left: Sequence[str]) -> Sheet:
    """What is measured so far on one engine."""
    remarks = [ABOUT[engine], *growth_of(cells), *left, *(problem for cell in cells for problem in cell.problems())]
    title = f"From small tables to large ones on {NAMES[engine]}"
    return Sheet(title, COLUMNS, tuple(cell.texts() for cell in cells), tuple(remarks))


def growth_of(cells: Sequence[Cell]) -> list[str]:
    """Whether the ratio grows with the rows; a tenth more is within what runs differ by."""
    said = []
    for threads in THREADS:
        ratios = [cell.ratio for cell in cells if cell.threads == threads and cell.ratio is not None]
        if len(ratios) > 1:
            grows = ratios[-1] > 1.1 * max(ratios[:-1])
            how = "GROWS" if grows else "does not grow"
            said.append(f"With {threads} thread{'s' if threads > 1 else ''} the ratio {how} with the rows.")
    return said


def missing(engine: str) -> str | None:
    """What an engine needs that is not here."""
    absent = [module for module in NEEDS[engine] if find_spec(module) is None]
    if absent:
        return f"{', '.join(absent)} is not installed"
    if engine != "duckdb" and find_spec(f"privet.query.backends.{engine}") is None:
        return "Privet does not ask it yet"
    return None


def _here(engine: str, console: Console) -> bool:
    reason = missing(engine)
    if reason is not None:
        console.print(f"{NAMES[engine]} is left out: {reason}")
    return reason is None


def _cells(plan: Scaling, engine: str, progress: Progress) -> Iterator[Cell]:
    with _place_of(engine, progress) as prepare:
        for size in plan.sizes_of(engine):
            file = table_file(size, folder=plan.folder)
            for threads in THREADS:
                place, processes = prepare(file, threads)
                both = []
                for who in ("plain", "privet"):
                    title = progress.add_task(f"{NAMES[engine]}, {size:,} rows, {threads} threads, {who}", total=None)
                    task = Task(who, engine, place, threads, plan.memory, REPEATS, PATIENCE)
                    both.append(Measured.of(watch(task.command(), also=processes, seconds=plan.seconds)))
                    progress.remove_task(title)
                yield Cell(engine, size, threads, *both)


Prepare = Callable[[Path, int], tuple[str, tuple[int, ...]]]


@contextmanager
def _place_of(engine: str, progress: Progress) -> Iterator[Prepare]:
    """How a table gets to where the engine reads it, and which processes then work for it."""
    if engine != "postgres":
        yield lambda file, _: (str(file), ())
        return
    with postgres() as server:
        yield _Loaded(server, progress)


class _Loaded:
    """A table is loaded once, however many threads then read it."""

    def __init__(self, server: Server, progress: Progress) -> None:
        self._server = server
        self._progress = progress
        self._file = Path()

    def __call__(self, file: Path, threads: int) -> tuple[str, tuple[int, ...]]:
        if file != self._file:
            self._server.load(file, self._progress)
            self._file = file
        self._server.use(threads=threads)
        time.sleep(1)  # until the checkpointer has calmed down
        return self._server.address, (self._server.process,)
