"""PostgreSQL: tables and views of a server, read in place; only sums by group leave it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Self

import numpy as np
import psycopg
import pyarrow as pa

from privet.errors import InvalidParameter
from privet.query.backends.postgres.address import Address
from privet.query.backends.postgres.connection import connect, search_path
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.postgres.pool import Pool
from privet.query.backends.postgres.released_tables import arrow_table, inline_table
from privet.query.backends.postgres.table_schemas import find_table
from privet.query.backends.sql_engine import SqlEngine
from privet.query.catalog import Catalog
from privet.query.functions.logic import conjuncts
from privet.query.measures.members import Numbers
from privet.query.measures.request import Bounded
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.relations import Join, JoinKind, Relation, Window
from privet.query.printing import Sources
from privet.query.scalars.expressions import Call, Expression, Reference

CANCEL_TIMEOUT = 5  # seconds


class PostgresBackend(SqlEngine):
    """The tables of a catalog on a PostgreSQL server.

    Args:
        catalog: which tables there are; its source is "postgresql://user@host/database", read as libpq reads it, so
            PGPASSWORD, ~/.pgpass, service files and sslmode work. Opening reads schemas, never rows.
        statement_timeout: the longest one statement may take, such as "90s"; by default what the address says
            (?statement_timeout=90s), or else what the server allows.

    Privacy: every statement is one transaction that is read-only, on one snapshot, with every setting that could change
        a meaning pinned. Nothing is written on the server. Only sums by group are fetched, and where groups are named
        in two rounds the numbers that tell their units apart. Whatever goes wrong while private rows are read is one
        and the same error, without a word of the server's.

    Raises:
        InvalidParameter: if the server cannot be reached, a table or column is missing or may not be read, or units
            have different types in different tables.
    """

    name = "postgres"

    def __init__(self, catalog: Catalog, *, statement_timeout: str | None = None) -> None:
        super().__init__(catalog, PostgresDialect())
        if catalog.frames or any(table.files is not None for table in catalog.tables.values()):
            raise InvalidParameter("a catalog whose source is PostgreSQL has no files or frames: load them as tables")
        self._address = Address.of(catalog.source)
        self._timeout = statement_timeout
        self._inline: dict[str, str] = {}
        self._running: psycopg.Connection[Any] | None = None
        self._pool = Pool(self._open)
        self.writable: tuple[str, ...] = ()  # tables that the role could change
        try:
            with self._pool.taken() as connection:
                self._find(connection)
                self._refuse_unlike_units()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()

    @contextmanager
    def apart(self) -> Iterator[Self]:
        """The same server for one statement; several run side by side, each over a connection of its own."""
        yield self._twin()

    def _twin(self) -> Self:
        twin = super()._twin()
        twin._inline, twin._running = {}, None  # noqa: SLF001 - its own class
        return twin

    def text(self, request: Bounded) -> str:
        """The SQL for a request; see `SqlEngine`.

        It is asked for before anything is charged, so this is where a lost connection is opened again, and where what
        PostgreSQL cannot run is refused.
        """
        self._pool.check()
        refuse_unknown(request.source)
        return super().text(request)

    def read(self, relation: Relation, released: Mapping[str, pa.Table]) -> pa.Table:
        """The rows of a public relation; see `SqlEngine`."""
        refuse_unknown(relation)
        return super().read(relation, released)

    def _fetch(self, text: str) -> list[tuple[Any, ...]]:
        with self._pool.taken() as connection:
            self._running = connection
            return connection.execute(text).fetchall()

    def _fetch_members(self, text: str) -> Iterable[tuple[tuple[Any, ...], Numbers]]:
        """List by list: as Python's numbers all of them would take many times the memory."""
        with self._pool.taken() as connection, connection.cursor() as cursor:
            self._running = connection
            return [(tuple(raw), np.asarray(units, dtype=np.int64)) for *raw, units in cursor.stream(text)]

    def _fetch_table(self, text: str) -> pa.Table:
        with self._pool.taken() as connection:
            self._running = connection
            cursor = connection.execute(text)
            return arrow_table([column.type_code for column in cursor.description or ()], cursor.fetchall())

    def _interrupt(self) -> None:
        if self._running is not None:
            with suppress(psycopg.Error):
                self._running.cancel_safe(timeout=CANCEL_TIMEOUT)

    def _register(self, name: str, table: pa.Table) -> None:
        self._inline[name] = inline_table(name, table)

    def _sources(self) -> Sources:
        released = {stage: self._inline.get(name, name) for stage, name in self._released.items()}
        return replace(super()._sources(), released=released)

    # --- connecting ---

    def _open(self) -> "psycopg.Connection[Any]":
        return connect(self._address, self._timeout)

    def _find(self, connection: "psycopg.Connection[Any]") -> None:
        schemas = search_path(connection)
        found = {
            name: find_table(connection, name, table.location or name, schemas)
            for name, table in self._catalog.tables.items()
        }
        self._tables = {name: each.source for name, each in found.items()}
        self.writable = tuple(name for name, each in found.items() if each.writable)


# --- what PostgreSQL cannot run ---


def refuse_unknown(relation: Relation) -> None:
    """Raise if a relation holds something that PostgreSQL has no way to compute.

    Raises:
        InvalidParameter: before anything is charged or read.
    """
    for node in _nodes(relation):
        if isinstance(node, Join) and node.kind is JoinKind.FULL and not _equalities(node.condition):
            raise InvalidParameter(
                "PostgreSQL computes a FULL JOIN on equal columns only: put other conditions into WHERE or subqueries"
            )
        if (
            isinstance(node, Window)
            and isinstance(node.function, Aggregation)
            and node.function.function in {Function.COUNT_DISTINCT, Function.QUANTILE}
        ):
            raise InvalidParameter(
                "PostgreSQL has no COUNT(DISTINCT …) and no quantile OVER a window: use GROUP BY in a subquery"
            )


def _nodes(relation: Relation) -> Iterator[Relation]:
    yield relation
    below = [getattr(relation, name, None) for name in ("source", "left", "right")]
    for each in (*below, *getattr(relation, "sources", ())):
        if each is not None:
            yield from _nodes(each)


def _equalities(condition: Expression | None) -> bool:
    """Whether a condition joins columns by = alone."""
    return condition is None or all(
        isinstance(part, Call) and part.function == "eq" and all(isinstance(side, Reference) for side in part.arguments)
        for part in conjuncts(condition)
    )
