"""The engines that tests run on, and a way to put a hospital into each.

An engine is one row of ENGINES: a function that makes it, once for a test process, or says why it is not to be had.
To add one, write a class with `backend` and `column`, and a row here; every suite in this folder then runs on it.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from typing import Any, Protocol
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest

from privet.query.backends.backend import Backend
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.catalog import Catalog
from privet.query.printing.function_templates import print_expression
from privet.query.scalars.expressions import Column, Expression
from privet.query.scalars.facts import Type, Value
from tests.support.neighbor_hospitals import World

ARROW = {
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.int64(),
    Type.REAL: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}


def md5(_: object, texts: tuple[str, ...]) -> str:
    joined = " || ".join(f"COALESCE('=' || CAST({text} AS VARCHAR), '') || '|'" for text in texts)
    return f"MD5('privet|' || {joined})"


def chosen_alike() -> AbstractContextManager[object]:
    """While this lasts DuckDB chooses rows and groups by the hash that the other engines have, not by its own."""
    return patch.object(DuckDBDialect, "digest", md5)


class Engine(Protocol):
    """An engine that can be filled."""

    name: str

    def backend(self, found: World, catalog: Catalog, *, slot: int = 0) -> Backend:
        """A backend that holds the tables of a hospital; what the slot held before is gone. The engine closes it."""

    def column(
        self, made: Sequence[Column], rows: Sequence[Sequence[Value]], wanted: Sequence[Expression]
    ) -> list[Any]:
        """The values of expressions in each row: a list of rows, each with one value for each expression."""


class DuckDB:
    """The reference."""

    name = "duckdb"

    def backend(self, found: World, catalog: Catalog, *, slot: int = 0) -> Backend:
        del slot
        frames = {name: frame for name, frame in found.frames().items() if name in catalog.tables}
        return DuckDBBackend(replace(catalog, frames=frames), threads=1)

    def column(
        self, made: Sequence[Column], rows: Sequence[Sequence[Value]], wanted: Sequence[Expression]
    ) -> list[Any]:
        names = {column: f"c{n}" for n, column in enumerate(made)}
        items = [print_expression(each, DuckDBDialect(), names.__getitem__) for each in wanted]
        with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
            connection.register("t", as_arrow(made, rows))
            return connection.execute(f"SELECT {', '.join(items)} FROM t").fetchall()  # noqa: S608 - printed by us


def as_arrow(made: Sequence[Column], rows: Sequence[Sequence[Value]]) -> pa.Table:
    """Rows of values as a table with columns c0, c1."""
    return pa.table(
        {
            f"c{n}": pa.array([native(row[n], column.facts.type) for row in rows], ARROW[column.facts.type])
            for n, column in enumerate(made)
        }
    )


def native(value: Value, kind: Type) -> object:
    """A value as Python holds it: dates and timestamps are ISO texts in plans."""
    if value is None or kind not in {Type.DATE, Type.TIMESTAMP}:
        return value
    return dt.date.fromisoformat(str(value)) if kind is Type.DATE else dt.datetime.fromisoformat(str(value))


def _postgres() -> Engine:
    from tests.support.on_postgres import Postgres  # noqa: PLC0415 - its library may be missing

    return Postgres()


def _spark() -> Engine:
    from tests.support.on_spark import spark  # noqa: PLC0415 - its library may be missing

    return spark()


ENGINES: Mapping[str, Callable[[], Engine]] = {"duckdb": DuckDB, "postgres": _postgres, "spark": _spark}
OTHERS = ("postgres",)  # those that are held to DuckDB in full; Spark, a second a statement, in test_on_spark.py


@cache
def _made(name: str) -> Engine | str:
    try:
        return ENGINES[name]()
    except (ImportError, OSError, RuntimeError) as problem:
        return str(problem)


def engine_of(name: str) -> Engine:
    """The engine of this name; the test is skipped, with the reason, where there is none."""
    found = _made(name)
    if isinstance(found, str):
        pytest.skip(f"no {name}: {found}")
    return found
