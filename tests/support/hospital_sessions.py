"""Sessions with invented hospitals, and a backend that remembers what it was asked."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.core import Ledger
from privet.loss import Guarantee, SpendingRule
from privet.query.backends.backend import Keys, Sums
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.measures.request import Bounded
from privet.query.session import Session
from tests.support.hospital import HOSPITAL, TABLES, build

Rows = list[tuple[Any, ...]]


def crowd(patients: int = 300, visits: int = 900, *, seed: int = 1) -> tuple[Rows, Rows]:
    """Many patients and their visits."""
    draw = random.Random(seed)  # noqa: S311 - invented data
    people = [
        (i, draw.randint(0, 100), draw.choice("FM"), draw.choice(["1010", "1020"]), draw.choice([True, None]), "A")
        for i in range(patients)
    ]
    days = [f"2024-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29)]
    came = [
        (
            v,
            draw.randrange(patients),
            draw.choice("ABCD"),
            draw.choice([None, draw.uniform(0, 5000)]),
            draw.choice(days),
            draw.randint(0, 30),
            None,
            50.0,
        )
        for v in range(visits)
    ]
    return people, came


class Watched(DuckDBBackend):
    """Remembers which private reads there were, and runs something before each."""

    def __init__(self, catalog: Catalog, *, before: Callable[[], None] = lambda: None) -> None:
        super().__init__(catalog, threads=1)
        self.calls: list[str] = []
        self.before = before

    def sums(self, request: Bounded) -> Sums:
        self.calls.append("sums")
        self.before()
        return super().sums(request)

    def ranks(self, request: Bounded) -> Mapping[Keys, Mapping[int, int]]:
        self.calls.append("ranks")
        self.before()
        return super().ranks(request)


def hospital(
    folder: Path, *, catalog: Catalog = HOSPITAL, name: str = "h", **rows: Sequence[Sequence[object]]
) -> Catalog:
    """The catalog of a new database with these rows, in place of the few that a hospital has."""
    connection = build(folder / f"{name}.duckdb")
    for kind, found in rows.items():
        table = kind.removesuffix("s")
        columns = [column.split()[0] for column in TABLES[table].split(", ")]
        frame = pa.table({each: [row[place] for row in found] for place, each in enumerate(columns)})
        connection.register("frame", frame)
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of this file
        connection.execute(f"INSERT INTO {table} SELECT * FROM frame")  # noqa: S608 - names of this file
        connection.unregister("frame")
    connection.close()
    return replace(catalog, source=f"duckdb:///{name}.duckdb", folder=folder)


def session_with(
    catalog: Catalog,
    *,
    limit: Any = Guarantee(10, "1e-4"),  # noqa: ANN401, B008 - a promise
    rule: SpendingRule | None = None,
    analyst: str | None = None,
) -> tuple[Session, Watched]:
    """A session with a ledger in memory, and its backend."""
    backend = Watched(catalog)
    ledger = Ledger(limit, unit=catalog.unit, rule=rule, analyst=analyst)
    return Session(catalog, backend=backend, ledger=ledger), backend


def names(table: pa.Table) -> list[str]:
    """The columns of a table."""
    return list(table.column_names)
