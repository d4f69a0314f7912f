# ruff: noqa: S608 - SQL of constants
"""Shapes: statements of every kind that `docs/sql.md` names, beside plain DuckDB and, for some, bounding by hand.

In one process, each of the three in turn, so that whatever else the machine does slows all of them alike. What is
written by hand is the best that we know: it bounds every user in the same way, and adds no noise.
"""

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from query_asked import Task, catalog_of
from query_data import table_file
from query_measured import ratio_text, time_text
from query_sheet import NOTHING, Kept, Sheet
from query_truth import HIGH, LOW, ROWS_PER_UNIT
from rich.console import Console

SMALL = 100_000  # rows that are asked about once: then it is a try
BINS = 1024  # that medians are ranked in by hand
FEW_GROUPS, FEW_ROWS = 3, 2  # of a user, where groups are capped
AGE = 'columns.age = { type = "integer", bounds = [18, 90] }\n'

PAIRS = """
WITH pairs AS (SELECT user_id, city, COUNT(*) AS n, SUM(salary) AS s FROM people GROUP BY user_id, city),
kept AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY HASH(user_id, city)) AS place FROM pairs)
"""
WEIGHTS = f"""
WITH weights AS (
    SELECT user_id, {ROWS_PER_UNIT}.0 / GREATEST(COUNT(*), {ROWS_PER_UNIT}) AS w FROM people GROUP BY user_id
),
placed AS (
    SELECT user_id, city, LEAST(GREATEST(salary, {LOW}), {HIGH}) AS salary FROM people WHERE user_id IS NOT NULL
)
"""


@dataclass(frozen=True)
class Shape:
    """A statement, and what is beside it.

    Args:
        name: what it asks for.
        asked: by Privet.
        keywords: besides ε = 1.
        plain: without any bound; the same by default.
        by_hand: with the same bounds.
        times_plain: how much longer than that Privet may take.
        times_by_hand: the same.
    """

    name: str
    asked: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    plain: str | None = None
    by_hand: str | None = None
    times_plain: float | None = None
    times_by_hand: float | None = None


BY_CITY = "FROM people GROUP BY city"
SHAPES = (
    Shape(
        "COUNT, SUM and AVG by city",
        f"SELECT city, COUNT(*) AS n, SUM(salary) AS s, AVG(salary) AS a {BY_CITY}",
        by_hand=f"{WEIGHTS} SELECT city, SUM(w), SUM(w * salary), SUM(w * salary) / SUM(w) "
        "FROM placed JOIN weights USING (user_id) GROUP BY city",
        times_by_hand=1,
    ),
    Shape(
        "COUNT(DISTINCT unit) by city",
        f"SELECT city, COUNT(DISTINCT user_id) AS n {BY_CITY}",
        by_hand=f"{PAIRS.replace(', COUNT(*) AS n, SUM(salary) AS s', '')} "
        f"SELECT city, COUNT(*) FROM kept WHERE place <= {ROWS_PER_UNIT} GROUP BY city",
        times_plain=3,
        times_by_hand=1,
    ),
    Shape(
        f"COUNT and SUM by city, {FEW_GROUPS} cities and {FEW_ROWS} rows in each",
        f"SELECT city, COUNT(*) AS n, SUM(salary) AS s {BY_CITY}",
        {"groups_per_unit": FEW_GROUPS, "rows_per_group": FEW_ROWS},
        by_hand=f"{PAIRS} SELECT city, SUM(LEAST(n, {FEW_ROWS})), SUM(s * LEAST(1, {FEW_ROWS} / n)) FROM kept "
        f"WHERE place <= {FEW_GROUPS} GROUP BY city",
        times_by_hand=1,
    ),
    Shape(
        "MEDIAN by city",
        f"SELECT city, MEDIAN(salary) AS m {BY_CITY}",
        by_hand=f"{WEIGHTS} SELECT city, CAST(FLOOR((salary - {LOW}) / {HIGH - LOW} * {BINS - 1}) AS INTEGER) AS b, "
        "SUM(w) FROM placed JOIN weights USING (user_id) GROUP BY city, b",
        times_by_hand=1.3,
    ),
    Shape("COUNT of all rows", "SELECT COUNT(*) AS n FROM people"),
    Shape("COUNT(DISTINCT unit)", "SELECT COUNT(DISTINCT user_id) AS n FROM people"),
    Shape("SUM where a condition holds", "SELECT SUM(salary) AS s FROM people WHERE age >= 40 AND city <> 'city00'"),
    Shape("MEDIAN", "SELECT MEDIAN(salary) AS m FROM people"),
    Shape(
        "QUANTILE_CONT, 90 %, by city",
        f"SELECT city, QUANTILE_CONT(salary, 0.9) AS q {BY_CITY}",
    ),
    Shape("STDDEV by city", f"SELECT city, STDDEV(salary) AS s {BY_CITY}"),
    Shape("CORR by city", f"SELECT city, CORR(age, salary) AS c {BY_CITY}"),
    Shape("MAX by city", f"SELECT city, MAX(salary) AS m {BY_CITY}"),
    Shape("COUNT(DISTINCT x) by city", f"SELECT city, COUNT(DISTINCT age) AS n {BY_CITY}"),
    Shape("COUNT by a private key", "SELECT age, COUNT(*) AS n FROM people GROUP BY age", {"delta": 1e-6}),
    Shape(
        "COUNT and SUM by city, rows drawn by chance",
        f"SELECT city, COUNT(*) AS n, SUM(salary) AS s {BY_CITY}",
        {"bounding": "sample"},
    ),
    Shape(
        "AVG of what each user has",
        "SELECT AVG(CLIP(n, 0, 20)) AS a FROM (SELECT user_id, COUNT(*) AS n FROM people GROUP BY user_id)",
        plain="SELECT AVG(LEAST(n, 20)) AS a FROM (SELECT user_id, COUNT(*) AS n FROM people GROUP BY user_id)",
    ),
)


@dataclass
class Fastest:
    """The fastest of some runs, and the least processor time of one; the same one need not have both."""

    seconds: float = float("inf")
    processor: float = float("inf")

    def run(self, work: Callable[[], object]) -> None:
        """Once more."""
        start, used = time.perf_counter(), time.process_time()
        work()
        self.seconds = min(self.seconds, time.perf_counter() - start)
        self.processor = min(self.processor, time.process_time() - used)


def measure_shapes(rows: int, folder: Path, kept: Kept, console: Console) -> None:
    """Measure all of them, and keep the table."""
    import privet  # noqa: PLC0415 - what else is measured does not need it

    file = table_file(rows, folder=folder, console=console)
    repeats = 5 if rows > SMALL else 1
    with tempfile.TemporaryDirectory() as place, duckdb.connect() as plain:
        plain.execute("SET threads = 2")
        plain.execute(f"CREATE VIEW people AS FROM read_parquet('{file}')")
        catalog = catalog_of(Task("privet", "duckdb", str(file)), Path(place))
        catalog.write_text(catalog.read_text(encoding="utf-8") + AGE, encoding="utf-8")
        with privet.connect(catalog, threads=2, create=True) as session:
            lines = []
            for shape in SHAPES:
                with console.status(f"measuring {shape.name}"):
                    ask = partial(session.sql, shape.asked, epsilon=1, **shape.keywords)
                    lines.append(_line(shape, *_measured(shape, ask, plain, repeats)))
    columns = ("what", "Privet", "plain DuckDB", "by hand", "to plain", "to by hand", "processor time", "wanted", "met")
    kept.put("shapes", Sheet(f"{rows:,} rows, statements of every shape, two threads", columns, tuple(lines), REMARKS))


REMARKS = (
    f"""By hand: the best SQL that we know for the same bounds, without noise: a window over distinct pairs of user and
city where groups are capped, else weights of users joined to rows; medians at {BINS:,} places, of Privet 4,096.""",
    """Ratios are of whole calls. Processor time is Privet's, plain DuckDB's and by hand: it depends less on what else
the machine does.""",
)


def _measured(
    shape: Shape, ask: Callable[[], object], plain: duckdb.DuckDBPyConnection, repeats: int
) -> tuple[Fastest, Fastest, Fastest | None]:
    private, without, by_hand = Fastest(), Fastest(), Fastest()
    for _ in range(repeats):
        private.run(ask)
        without.run(lambda: plain.execute(shape.plain or shape.asked).fetchall())
        if shape.by_hand is not None:
            by_hand.run(lambda: plain.execute(shape.by_hand or "").fetchall())
    return private, without, by_hand if shape.by_hand is not None else None


def _line(shape: Shape, private: Fastest, without: Fastest, by_hand: Fastest | None) -> tuple[str, ...]:
    limits = [
        (f"{times:g}x {name}", private.seconds <= times * beside.seconds)
        for name, times, beside in (
            ("plain", shape.times_plain, without),
            ("by hand", shape.times_by_hand, by_hand),
        )
        if times is not None and beside is not None
    ]
    used = " / ".join(time_text(each.processor) for each in (private, without, by_hand) if each is not None)
    return (
        shape.name,
        time_text(private.seconds),
        time_text(without.seconds),
        NOTHING if by_hand is None else time_text(by_hand.seconds),
        ratio_text(private.seconds, without.seconds),
        NOTHING if by_hand is None else ratio_text(private.seconds, by_hand.seconds),
        used,
        ", ".join(f"at most {name}" for name, _ in limits) or NOTHING,
        ("yes" if all(met for _, met in limits) else "NO") if limits else NOTHING,
    )
