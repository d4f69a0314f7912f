"""Scaling: the same statement on every engine, from small tables to large ones, with one thread and with two."""

import time
from collections.abc import Callable, Iterator
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
REPEATS, PATIENCE = 5, 20.0
COLUMNS = ("engine", "rows", "threads", "plain", "Privet", "ratio", "memory, plain", "memory, Privet")


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


def scale(plan: Scaling, kept: Kept, console: Console, *, part: str = "scaling") -> None:
    """Measure every engine, size and number of threads, and keep a sheet that grows with each."""
    rows: list[tuple[str, ...]] = []
    left = [
        f"{NAMES[engine]} with {size:,} rows was left out: it takes minutes; `--largest` measures it."
        for engine in plan.engines
        for size in plan.sizes
        if size not in plan.sizes_of(engine)
    ]
    total = sum(len(plan.sizes_of(engine)) * len(THREADS) for engine in plan.engines)
    for size in sorted({size for engine in plan.engines if missing(engine) is None for size in plan.sizes_of(engine)}):
        table_file(size, folder=plan.folder, console=console)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("scaling", total=total)
        for engine in plan.engines:
            if (reason := missing(engine)) is not None:
                left.append(f"{NAMES[engine]} was left out: {reason}.")
                progress.advance(task, len(plan.sizes_of(engine)) * len(THREADS))
                continue
            try:
                for row, remarks in _engine_rows(plan, engine, progress):
                    rows.append(row)
                    left += remarks
                    progress.advance(task)
                    kept.put(part, sheet_of(rows, left))
            except Exception as problem:  # noqa: BLE001 - the other engines are measured all the same
                words = str(problem).strip().splitlines() or [type(problem).__name__]
                left.append(f"{NAMES[engine]}: {words[0]}.")
    kept.put(part, sheet_of(rows, left))


def sheet_of(rows: list[tuple[str, ...]], left: list[str]) -> Sheet:
    """The sheet of what is measured so far."""
    about = (
        "Plain is COUNT, SUM and AVG by city on the same engine and table, without any bound. PostgreSQL's memory is "
        "that of the server's processes and of the one that asks; Spark's is that of the driver, which runs all tasks."
    )
    return Sheet("From small tables to large ones", COLUMNS, tuple(rows), (about, *left))


def missing(engine: str) -> str | None:
    """What an engine needs that is not here."""
    absent = [module for module in NEEDS[engine] if find_spec(module) is None]
    if absent:
        return f"{', '.join(absent)} is not installed"
    if engine != "duckdb" and find_spec(f"privet.query.backends.{engine}") is None:
        return "Privet does not ask it yet"
    return None


def _engine_rows(plan: Scaling, engine: str, progress: Progress) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    with _place_of(engine, progress) as prepare:
        for size in plan.sizes_of(engine):
            file = table_file(size, folder=plan.folder)
            for threads in THREADS:
                place, processes = prepare(file, threads)
                both = {}
                for who in ("plain", "privet"):
                    title = progress.add_task(f"{NAMES[engine]}, {size:,} rows, {threads} threads, {who}", total=None)
                    task = Task(who, engine, place, threads, plan.memory, REPEATS, PATIENCE)
                    both[who] = Measured.of(watch(task.command(), also=processes, seconds=plan.seconds))
                    progress.remove_task(title)
                yield _row(engine, size, threads, both), _problems(engine, size, threads, both)


def _row(engine: str, size: int, threads: int, both: dict[str, Measured]) -> tuple[str, ...]:
    plain, privet = both["plain"], both["privet"]
    return (
        NAMES[engine],
        f"{size:,}",
        str(threads),
        time_text(plain.seconds()),
        time_text(privet.seconds()),
        ratio_text(privet.seconds(), plain.seconds()),
        size_text(plain.peak),
        size_text(privet.peak),
    )


def _problems(engine: str, size: int, threads: int, both: dict[str, Measured]) -> list[str]:
    return [
        f"{NAMES[engine]}, {size:,} rows, {threads} threads, {who}: {each.problem}."
        for who, each in both.items()
        if each.problem
    ]


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
        self._server, self._progress, self._file = server, progress, Path()

    def __call__(self, file: Path, threads: int) -> tuple[str, tuple[int, ...]]:
        if file != self._file:
            self._server.load(file, self._progress)
            self._file = file
        self._server.use(threads=threads)
        time.sleep(1)  # until the checkpointer has calmed down
        return self._server.address, (self._server.process,)
