# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""DuckDB: database files, Parquet and CSV files, and frames in memory."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Self

import duckdb
import pyarrow as pa

from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.query.backends.duckdb.csv_lines import lines_select, refuse_broken
from privet.query.backends.duckdb.dense_counting import count_in_arrays
from privet.query.backends.duckdb.dialect import DuckDBDialect, quoted
from privet.query.backends.duckdb.listed_members import listed
from privet.query.backends.duckdb.parquet_files import parquet_scan, parquet_select, refuse_unlike
from privet.query.backends.duckdb.ranked_rows import ranked
from privet.query.backends.duckdb.sources import Stamp, arrow_of, database_of, files_of, keys_of_tables, stamps_of
from privet.query.backends.duckdb.spill_folder import SpillFolder
from privet.query.backends.sql_engine import SqlEngine
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.catalog.toml_file import ENDINGS
from privet.query.measures.members import Numbers
from privet.query.measures.request import Bounded
from privet.query.printing import Source
from privet.query.printing.catalog_tables import known, unit_text

PARQUET = ENDINGS["parquet"]
SHOWING = {"enable_progress_bar": "true", "enable_progress_bar_print": "false"}  # so that it can be asked how far it is

DRAWN = """
SELECT (SELECT COUNT(*) FROM duckdb_views() WHERE list_contains(?, lower(view_name))) + (
    SELECT COUNT(*) FROM duckdb_tables() WHERE list_contains(?, lower(table_name)) AND sql ILIKE '%generated always%'
)
"""
LOCKED = (  # in this order: nothing can be opened, loaded or changed once the last has run
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


class DuckDBBackend(SqlEngine):
    """An embedded engine with the tables of a catalog in it, and nothing else within its reach.

    Args:
        catalog: which tables there are. Opening reads their schemas, never their rows.
        threads: how many to use; as many as the machine has by default.
        memory: the most to use, such as "4GB"; DuckDB's share of the machine's by default.

    Privacy: a database is opened read-only. Before any statement runs, files other than the catalog's, extensions and
        ATTACH are out of reach and the configuration is locked. Whatever goes wrong while private rows are read is one
        and the same error, without a word of the engine's.

    Raises:
        InvalidParameter: if a file, table or column is missing, or units have different types in different tables.
    """

    name = "duckdb"

    def __init__(self, catalog: Catalog, *, threads: int | None = None, memory: str | None = None) -> None:
        super().__init__(catalog, DuckDBDialect())
        self._files = {name: files_of(catalog, table) for name, table in catalog.tables.items()}
        self._frames: dict[str, pa.Table] = {}
        self._stamps: dict[str, Stamp | None] = {}
        self._unchecked: dict[str, list[str]] = {}  # by view, its files while none of them has been read
        self._stopping = False
        self._keys = keys_of_tables(catalog)
        self._numbers = itertools.count(1)
        self._spill = SpillFolder()
        try:
            self._connection = self._open(threads, memory)
        except BaseException:
            self._spill.remove()
            raise
        try:
            self._tables = {name: self._source(name, table) for name, table in catalog.tables.items()}
            self._refuse_unlike_units()
            count_in_arrays(self._connection, self._unit_selects().values())
            self._connection.execute("SET parquet_metadata_cache = true")  # a file that changed is refused
            with suppress(duckdb.Error):  # before version 1.4
                self._connection.execute(f"SET allowed_configs = [{', '.join(map(quoted, SHOWING))}]")
            for statement in LOCKED:
                self._connection.execute(statement)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database, and remove what was spilled to disk."""
        self._connection.close()
        self._spill.remove()

    @contextmanager
    def apart(self) -> Iterator[Self]:
        """The same engine on a connection of its own: statements run side by side, and share memory and threads."""
        twin = self._twin()
        with self._turn:
            connection = self._connection.cursor()
        try:
            twin._use(connection)  # noqa: SLF001 - its own class
            yield twin
        finally:
            connection.close()

    def _use(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Ask over this connection; what is set here cannot change what is read."""
        self._connection = connection
        if self._catalog.source:
            connection.execute("USE data")
        for name, frame in self._frames.items():
            connection.register(name, frame)
        with suppress(duckdb.Error):  # before version 1.4 they were locked with the rest
            for name, value in SHOWING.items():
                connection.execute(f"SET {name} = {value}")

    def text(self, request: Bounded) -> str:
        """The SQL for a request; refused before anything is charged where a file is no longer what it was."""
        self._refuse_changed()
        return super().text(request)

    def _fetch(self, text: str) -> list[tuple[Any, ...]]:
        self._refuse_changed()
        self._refuse_broken(text)
        rows = self._connection.execute(text).fetchall()
        self._refuse_changed()
        return rows

    def _fetch_ranks(self, text: str) -> Iterable[tuple[tuple[Any, ...], Mapping[int, int]]]:
        return list(ranked(self._fetch_table(text)))

    def _fetch_members(self, text: str) -> Iterable[tuple[tuple[Any, ...], Numbers]]:
        return list(listed(self._fetch_table(text)))

    def _fetch_table(self, text: str) -> pa.Table:
        self._refuse_changed()
        self._refuse_broken(text)
        table: pa.Table = self._connection.sql(text).to_arrow_table()
        self._refuse_changed()
        return table

    def _percent(self) -> float | None:
        done = self._connection.query_progress()
        return done if done >= 0 else None

    def _interrupt(self) -> None:
        self._stopping = True
        self._connection.interrupt()

    def _register(self, name: str, table: pa.Table) -> None:
        self._connection.register(name, table)

    # --- opening ---

    def _open(self, threads: int | None, memory: str | None) -> duckdb.DuckDBPyConnection:
        path = database_of(self._catalog)
        allowed = [file for files in self._files.values() for file in files]
        connection = duckdb.connect(":memory:")  # an engine of our own: two that open one file would share its settings
        try:
            if path is not None:
                connection.execute(f"ATTACH {quoted(path)} AS data (READ_ONLY)")
                connection.execute("USE data")
        except duckdb.Error:
            connection.close()
            raise InvalidParameter(
                f"source {self._catalog.source} is no DuckDB database, or is being written"
            ) from None
        listed = ", ".join(quoted(file) for file in allowed)
        connection.execute(f"SET allowed_paths = [{listed}]")
        connection.execute(f"SET allowed_directories = [{quoted(str(self._spill.path))}]")
        connection.execute(f"SET temp_directory = {quoted(str(self._spill.path))}")
        try:
            if threads is not None:
                connection.execute(f"SET threads = {whole(threads, 'threads')}")
            if memory is not None:
                connection.execute(f"SET memory_limit = {quoted(str(memory))}")
        except duckdb.Error:
            connection.close()
            raise InvalidParameter(f'memory must be written as "4GB" or "500MB", got {memory!r}') from None
        return connection

    def _source(self, name: str, table: DeclaredTable) -> Source:
        if name in self._catalog.frames:
            place = f"frame_{len(self._frames) + 1}"
            self._frames[place] = arrow_of(table, self._catalog.frames[name], self._keys[name])
            self._connection.register(place, self._frames[place])
            return self._described(name, place)
        if files := self._files[name]:
            return self._file_source(table, files)
        place = self._place(table.location or name)
        source = self._described(name, place)
        row_number = "rowid" if self._is_base_table(table.location or name) else None
        return replace(source, row_number=row_number, steady=not self._may_be_drawn(table.location or name))

    def _place(self, name: str) -> str:
        """A table's quoted name, in parts if it is written as schema.table."""
        parts = [name] if self._is_base_table(name) else name.split(".")
        return ".".join(self._dialect.name(part) for part in parts)

    def _file_source(self, table: DeclaredTable, files: list[str]) -> Source:
        """A view over files, in our own part of the engine; statements name it and never the files."""
        keys = self._keys[table.name]
        wanted = {*table.columns, *keys, *table.unique}
        if files[0].lower().endswith(PARQUET):
            refuse_unlike(table.name, files, wanted)
            found = self._described(table.name, parquet_scan(files))
            select = parquet_select(files, found.types, keys)
        else:
            select = lines_select(table.name, files, wanted or None)
        place = f"memory.main.privet_files_{next(self._numbers)}"
        self._unchecked[place] = files
        self._stamps |= stamps_of(files)
        try:
            self._connection.execute(f"CREATE VIEW {place} AS {select}")
        except duckdb.Error:
            raise InvalidParameter(f"table {table.name} cannot be read: check its files") from None
        return self._described(table.name, place)

    def _refuse_changed(self) -> None:
        """Raise if a file is not the one that was opened: two scans of a statement must see the same rows."""
        if stamps_of(self._stamps) != self._stamps:
            raise InvalidParameter("a file of the data was replaced or written to: connect again; nothing was charged")

    def _refuse_broken(self, text: str) -> None:
        """Raise if an archive that a statement reads is broken; looked at once, after the charge."""
        self._stopping = False
        for place in [each for each in tuple(self._unchecked) if each in text]:
            refuse_broken(self._unchecked[place], stopped=lambda: self._stopping)
            self._unchecked.pop(place, None)

    def _described(self, name: str, text: str) -> Source:
        try:
            rows = self._connection.execute(f"DESCRIBE SELECT * FROM {text}").fetchall()
        except duckdb.Error:
            raise InvalidParameter(
                f"table {name} cannot be read from the data; check its files, its location and its name in the catalog"
            ) from None
        return Source(text, {str(row[0]): self._type_of(text, str(row[0]), str(row[1])) for row in rows})

    def _type_of(self, text: str, column: str, engine_type: str) -> str:
        """A column's type; of texts that are compared by a collation, with a word that says so.

        A type does not tell its collation; but it cannot be compared with a text of another.
        """
        if engine_type != "VARCHAR":
            return "ENUM" if engine_type.startswith("ENUM") else engine_type  # which spells out values; they are data
        same = f"s.{self._dialect.name(column)} = ('a' COLLATE \"binary\")"
        try:
            self._connection.execute(f"EXPLAIN SELECT {same} FROM {text} AS s")
        except duckdb.BinderException:
            return "VARCHAR COLLATE"
        return engine_type

    def _is_base_table(self, name: str) -> bool:
        found = self._connection.execute(
            "SELECT COUNT(*) FROM duckdb_tables() WHERE lower(table_name) = lower(?)", [name]
        )
        row = found.fetchone()
        return row is not None and row[0] == 1

    def _may_be_drawn(self, name: str) -> bool:
        """Whether a view has this name in any schema, or a table with computed columns: each scan may draw others."""
        names = [name.lower(), name.rpartition(".")[2].lower()]
        row = self._connection.execute(DRAWN, [names, names]).fetchone()
        return row is None or row[0] > 0

    def _unit_selects(self) -> dict[str, str]:
        """The units of each private table, as u1."""
        selects = {}
        for name, table in self._catalog.tables.items():
            if table.public or table.unit_column is None or self._catalog.row_level:
                continue
            last = table.unit_path[-1].table if table.unit_path else name
            text = unit_text(last, table.unit_column, "s", dialect=self._dialect, sources=self._sources())
            selects[name] = f"SELECT {text} AS u1 FROM {known(self._tables, last).text} AS s"
        return selects
