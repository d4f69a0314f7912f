"""Runs in a process of its own: the query, plain or private, on one engine. One line of JSON for each thing measured.

Its one argument is a JSON object, see `Task`.
"""

import dataclasses
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from query_truth import CITIES, HIGH, LOW, ROWS_PER_UNIT, error_of, read_truth

if TYPE_CHECKING:
    from privet.query.session import Session

COLUMNS = {"count": "COUNT(*)", "sum": "SUM(salary)", "avg": "AVG(salary)"}
ALL = ", ".join(f"{column} AS {kind}_" for kind, column in COLUMNS.items())
JOINT = f"SELECT city, {ALL} FROM people GROUP BY city"  # noqa: S608 - constants
LONGEST = 120.0  # seconds after which even a warm-up is enough
SPARK_MEMORY = "6GB"  # of the driver, which runs all tasks
CATALOG = """
name = "people"
unit = "user"
limit = {{ epsilon = "1000000" }}
{source}

[tables.people]
{location}
unit_column = "user_id"
rows_per_unit = {rows}
columns.user_id = {{ type = "integer" }}
columns.city = {{ type = "text", values = [{cities}] }}
columns.salary = {{ type = "real", bounds = [{low}, {high}] }}
"""


@dataclass(frozen=True)
class Task:
    """What is to be measured.

    Args:
        who: "privet" or "plain".
        engine: "duckdb", "postgres" or "spark".
        place: a Parquet file; for PostgreSQL, the address of a database with a table "people".
        threads: how many the engine may use.
        memory: the most it may use, such as "4GB"; for PostgreSQL the server says.
        repeats: of which the fastest counts.
        patience: seconds after which no new one is begun.
        planning: whether planning is timed too.
        errors: of which kinds of answers the error is measured, each asked alone, and how often.
        truth: where the true answers are.
    """

    who: str
    engine: str
    place: str
    threads: int = 2
    memory: str | None = None
    repeats: int = 5
    patience: float = 60.0
    planning: bool = False
    errors: Mapping[str, int] = field(default_factory=dict)
    truth: str | None = None

    def command(self) -> list[str]:
        """How to run it with the Python at hand."""
        return [sys.executable, __file__, json.dumps(dataclasses.asdict(self))]


def catalog_of(task: Task, folder: Path) -> Path:
    """The catalog file that a user would write."""
    places = {
        "duckdb": ("", f"parquet = {json.dumps(task.place)}"),
        "postgres": (f"source = {json.dumps(task.place)}", 'location = "people"'),
        "spark": (f'source = "spark+local[{task.threads}]"', f"parquet = {json.dumps(task.place)}"),
    }
    source, location = places[task.engine]
    cities = ", ".join(json.dumps(city) for city in CITIES)
    text = CATALOG.format(source=source, location=location, rows=ROWS_PER_UNIT, cities=cities, low=LOW, high=HIGH)
    file = folder / "people.toml"
    file.write_text(text, encoding="utf-8")
    return file


def session_of(task: Task, folder: Path) -> "Session":
    """As a user connects, with a ledger on disk."""
    import privet  # noqa: PLC0415 - plain queries shall not pay for it

    catalog = catalog_of(task, folder)
    if task.engine == "duckdb":
        return privet.connect(catalog, threads=task.threads, memory=task.memory)
    return (
        privet.connect(catalog, memory=task.memory or SPARK_MEMORY)
        if task.engine == "spark"
        else privet.connect(catalog)
    )


def plain_duckdb(task: Task) -> Callable[[], object]:
    import duckdb  # noqa: PLC0415 - of several engines one is used

    connection = duckdb.connect()
    connection.execute(f"SET threads = {task.threads}")
    if task.memory is not None:
        connection.execute(f"SET memory_limit = '{task.memory}'")
    statement = JOINT.replace("FROM people", f"FROM read_parquet('{task.place}')")
    return lambda: connection.execute(statement).fetchall()


def plain_postgres(task: Task) -> Callable[[], object]:
    import psycopg  # noqa: PLC0415 - of several engines one is used

    connection = psycopg.connect(task.place, autocommit=True)
    return lambda: connection.execute(JOINT.encode()).fetchall()


def plain_spark(task: Task) -> Callable[[], object]:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - of several engines one is used

    builder = SparkSession.builder.master(f"local[{task.threads}]").config("spark.ui.enabled", "false")
    memory = (task.memory or SPARK_MEMORY).lower().removesuffix("b")  # as Java writes it
    spark = builder.config("spark.driver.memory", memory).config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.read.parquet(task.place).createOrReplaceTempView("people")
    return lambda: spark.sql(JOINT).collect()


PLAIN = {"duckdb": plain_duckdb, "postgres": plain_postgres, "spark": plain_spark}


def timed(kind: str, work: Callable[[], object], repeats: int, patience: float) -> None:
    """Print the fastest of some runs, and the first, which warms up: patience is for the others."""
    times: list[float] = []
    while len(times) < repeats and sum(times[1:]) < patience and sum(times) < LONGEST:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    print(json.dumps({"kind": kind, "seconds": min(times), "first": times[0], "all": times}), flush=True)


def measure_privet(task: Task, session: "Session") -> None:
    """Whole calls: planning, both prices, the ledger on disk, the engine, noise, margins."""
    timed("joint", lambda: session.sql(JOINT, epsilon=1), task.repeats, task.patience)
    if task.planning:
        budgets = (1 + Fraction(number, 997) for number in itertools.count(1))  # nothing kept from an earlier one helps
        timed("planning", lambda: session.explain(JOINT, epsilon=next(budgets)), 9, task.patience)
    for kind, repeats in task.errors.items():
        statement = f"SELECT city, {COLUMNS[kind]} AS x FROM people GROUP BY city"  # noqa: S608 - constants
        tables = (session.sql(statement, epsilon=1).table for _ in range(repeats))
        answers = (dict(zip(*(table[name].to_pylist() for name in ("city", "x")), strict=True)) for table in tables)
        error = error_of(kind, answers, read_truth(Path(task.truth or "")))
        print(json.dumps({"kind": kind, "error": dataclasses.asdict(error)}), flush=True)


def main(task: Task) -> None:
    if task.who == "plain":
        timed("joint", PLAIN[task.engine](task), task.repeats, task.patience)
        return
    with tempfile.TemporaryDirectory() as folder, session_of(task, Path(folder)) as session:
        measure_privet(task, session)


if __name__ == "__main__":
    main(Task(**json.loads(sys.argv[1])))
