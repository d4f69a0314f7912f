# ruff: noqa: S608 - names of this file, values printed by us
"""A real PostgreSQL server for a test process, and hospitals in it: one schema a slot, filled by TRUNCATE and COPY."""

import atexit
import datetime as dt
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import psycopg

from privet.query.backends.postgres import PostgresBackend
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.catalog import Catalog
from privet.query.printing.function_templates import print_expression
from privet.query.scalars.expressions import Column, Expression
from privet.query.scalars.facts import Value
from tests.support.hospital import CLINICS, CODES
from tests.support.neighbor_hospitals import COLUMNS, ENDLESS, EPOCH, World
from tests.support.postgres import MISSING, server

KINDS = {
    "int64": "bigint",
    "int32": "integer",
    "string": "text",
    "bool": "boolean",
    "double": "double precision",
    "date32[day]": "date",
}


class Postgres:
    """PostgreSQL, from a wheel or as the system has it; ended when the process ends."""

    name = "postgres"

    def __init__(self) -> None:
        self._stack = ExitStack()
        address = self._stack.enter_context(server())
        atexit.register(self._stack.close)
        if address is None:
            raise OSError(MISSING)
        self.address = address
        self.admin = psycopg.connect(address, autocommit=True)
        self._stack.callback(self.admin.close)
        self._slots: set[int] = set()
        self._held: dict[tuple[int, str], tuple[Catalog, PostgresBackend]] = {}

    def backend(self, found: World, catalog: Catalog, *, slot: int = 0) -> PostgresBackend:
        self.fill(found, slot)
        held = self._held.get((slot, repr(catalog)))
        if held is None:
            made = PostgresBackend(self.catalog(catalog, slot))
            self._stack.callback(made.close)
            held = self._held[slot, repr(catalog)] = (catalog, made)
        return held[1]

    def catalog(self, catalog: Catalog, slot: int = 0) -> Catalog:
        """The same declarations of tables that are here."""
        tables = {name: replace(table, location=f"world_{slot}.{name}") for name, table in catalog.tables.items()}
        return replace(catalog, source=self.address, tables=tables, frames={})

    def fill(self, found: World, slot: int = 0) -> None:
        """Put the rows of a hospital into a schema."""
        if slot not in self._slots:
            self._make(slot)
        tables = ", ".join(f"world_{slot}.{name}" for name in ("patient", "visit", "lab"))
        with self.admin.transaction():
            self.admin.execute(f"TRUNCATE {tables}")
            for name, rows in (("patient", found.patient), ("visit", found.visit), ("lab", found.lab)):
                self.copy(f"world_{slot}.{name}", name, rows)

    def _make(self, slot: int) -> None:
        self.admin.execute(f"DROP SCHEMA IF EXISTS world_{slot} CASCADE; CREATE SCHEMA world_{slot}")
        for name, kinds in COLUMNS.items():
            columns = ", ".join(f"{column} {KINDS[str(kind)]}" for column, kind in kinds.items())
            self.admin.execute(f"CREATE TABLE world_{slot}.{name} ({columns})")
        self.copy(f"world_{slot}.clinic", "clinic", CLINICS)
        self.copy(f"world_{slot}.icd", "icd", CODES)
        self._slots.add(slot)

    def copy(self, place: str, name: str, rows: Sequence[Sequence[Any]]) -> None:
        """Load rows of one of the hospital's tables."""
        days = [column for column, kind in enumerate(COLUMNS[name].values()) if str(kind) == "date32[day]"]
        with self.admin.cursor() as cursor, cursor.copy(f"COPY {place} FROM STDIN") as copy:
            for row in rows:
                copy.write_row([_day(value) if at in days else value for at, value in enumerate(row)])

    def column(
        self, made: Sequence[Column], rows: Sequence[Sequence[Value]], wanted: Sequence[Expression]
    ) -> list[Any]:
        names = {column: f"c{n}" for n, column in enumerate(made)}
        items = [print_expression(each, self.dialect, names.__getitem__) for each in wanted]
        types = ", ".join(f"c{n} {self.dialect.types[each.facts.type]}" for n, each in enumerate(made))
        columns = ", ".join(f"c{n}" for n in range(len(made)))
        with self.admin.transaction():
            self.admin.execute(f"CREATE TEMPORARY TABLE t (line integer, {types}) ON COMMIT DROP")
            with self.admin.cursor() as cursor, cursor.copy(f"COPY t (line, {columns}) FROM STDIN") as copy:
                for line, row in enumerate(rows):
                    copy.write_row([line, *row])
            return self.admin.execute(f"SELECT {', '.join(items)} FROM t ORDER BY line").fetchall()

    dialect = PostgresDialect()


def _day(value: Any) -> Any:  # noqa: ANN401 - a whole number of days, or nothing
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if abs(value) >= ENDLESS:
        return "infinity" if value > 0 else "-infinity"
    return EPOCH + dt.timedelta(days=value)
