"""Queries measured: `python benchmarks/query.py` compares Privet with its peers on ten million rows, in one run.

COUNT, SUM and AVG by city, each user protected as a whole, four rows' worth of each: beside plain DuckDB (what no
private query can beat), OpenDP and Tumult Analytics, for which environments are made under .peers. `--shapes` asks
statements of every kind, beside plain DuckDB and beside bounding by hand. `--scaling` goes from small to
large tables on every engine, `--large` asks a hundred million rows within so much memory. `--write` makes
docs/benchmarks-query.md from all that was measured.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from query_asked import Task
from query_comparison import ANSWERS, FLAT, Plan, compare
from query_data import FOLDER, table_file
from query_measured import Measured, ratio_text, size_text, time_text
from query_memory import watch
from query_scaling import NAMES, SIZES, Scaling, missing, part_of, scale
from query_shapes import measure_shapes
from query_sheet import Kept, Sheet, page
from query_truth import ROWS_PER_UNIT
from rich.console import Console

ROOT = Path(__file__).parents[1]
PARTS = ("comparison", "errors", "shapes", "large", "spark", *map(part_of, NAMES))  # of the page, in this order
GIB = 1 << 30
WIDTH = 130  # of tables that go to a file
LARGE_MEMORY = "12GB"  # that DuckDB may use with --large, if nothing else is said


def main(arguments: Sequence[str] | None = None) -> None:
    said = _arguments(arguments)
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    kept = Kept(said.results)
    failed = False
    for parts, measure in _wanted(said, kept, console):
        try:
            measure()
        except Exception:  # noqa: BLE001 - what is measured already is kept, and the rest is measured
            console.print_exception()
            failed = True
        for part in parts:
            if (sheet := kept.sheets().get(part)) is not None:
                console.print(sheet.table())
    if said.write or said.only_write:
        text = page(kept.sheets(), PARTS, machine=machine(), rows_per_unit=ROWS_PER_UNIT)
        said.page.write_text(text, encoding="utf-8")
        console.print(f"{said.page} is written")
    if failed:
        raise SystemExit(1)


def _wanted(
    said: argparse.Namespace, kept: Kept, console: Console
) -> Iterator[tuple[tuple[str, ...], Callable[[], None]]]:
    """The parts of the page that are to be measured, and how."""
    if said.shapes:
        yield ("shapes",), lambda: measure_shapes(said.rows, said.data, kept, console)
    if not (said.shapes or said.scaling or said.large or said.only_write):
        answers = {name: {kind: said.answers or n for kind, n in each.items()} for name, each in ANSWERS.items()}
        peers = tuple(name for name in said.peers.split(",") if name)
        plan = Plan(said.rows, min(FLAT, said.rows), said.data, peers, answers)
        yield ("comparison", "errors"), lambda: compare(plan, kept, console)
        yield ("spark",), lambda: one_engine("spark", said.rows, said, kept, console)
    if said.large:
        yield ("large",), lambda: one_engine("duckdb", said.large, said, kept, console)
    if said.scaling:
        scaling = Scaling(tuple(said.engines.split(",")), said.sizes, said.largest, said.data, said.memory)
        yield tuple(map(part_of, scaling.engines)), lambda: scale(scaling, kept, console)


def one_engine(engine: str, rows: int, said: argparse.Namespace, kept: Kept, console: Console) -> None:
    """One size on one engine, with two threads and within the memory that was said; whole calls."""
    part = "large" if engine == "duckdb" else engine
    title = f"{rows:,} rows on {NAMES[engine]}, from Parquet, two threads"
    columns = ("what", "seconds", "ratio", "peak memory")
    if (reason := missing(engine)) is not None:
        console.print(f"{title}: left out, {reason}")
        return
    file = table_file(rows, folder=said.data, console=console)
    memory = said.memory or LARGE_MEMORY if engine == "duckdb" else None
    both = {}
    for who in ("plain", "privet"):
        with console.status(f"measuring {NAMES[engine]}, {rows:,} rows, {who}"):
            task = Task(who, engine, str(file), 2, memory, 3, 60.0)
            both[who] = Measured.of(watch(task.command(), seconds=3600))
    plain, privet = both["plain"], both["privet"]
    cells = (
        (f"plain {NAMES[engine]}", time_text(plain.seconds()), "1", size_text(plain.peak)),
        ("Privet", time_text(privet.seconds()), ratio_text(privet.seconds(), plain.seconds()), size_text(privet.peak)),
    )
    remarks = [f"The engine was told to use at most {memory}."] if memory else []
    remarks += [f"{who}: {each.problem}." for who, each in both.items() if each.problem]
    kept.put(part, Sheet(title, columns, cells, tuple(remarks)))


def machine() -> str:
    """Its size, and no more."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    return f"{os.cpu_count()} cores and {memory:.0f} GB of memory"


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def whole(text: str) -> int:
        return int(float(text))

    def sizes(text: str) -> tuple[int, ...]:
        return tuple(whole(each) for each in text.split(","))

    add = parser.add_argument
    add("--rows", type=whole, default=10**7, help="of the comparison; ten million by default")
    add("--peers", default="opendp,tumult", help="that take part in it")
    add("--answers", type=whole, help="of each kind for errors; enough for each peer by default")
    add("--shapes", action="store_true", help="statements of every shape on DuckDB, and nothing else")
    add("--large", type=whole, help="ask DuckDB about so many rows, such as 1e8, and compare nothing else")
    add("--memory", help=f'the most that DuckDB may use with --large ("{LARGE_MEMORY}" by default) and --scaling')
    add("--scaling", action="store_true", help="from small to large tables on every engine, and nothing else")
    add("--engines", default=",".join(NAMES), help="that take part in it")
    add("--sizes", type=sizes, default=SIZES, help="of its tables; 1e5,1e6,1e7,1e8 by default")
    add("--largest", action="store_true", help="measure also sizes that take long on an engine")
    add("--data", type=Path, default=FOLDER, help="folder for tables")
    add("--results", type=Path, default=FOLDER.parent / "query.json", help="file that keeps what was measured")
    add("--write", action="store_true", help="make the page afterwards")
    add("--only-write", action="store_true", help="measure nothing, make the page of what is kept")
    add("--page", type=Path, default=ROOT / "docs" / "benchmarks-query.md", help="which page")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
