# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""DuckDB: database files, Parquet and CSV files, and frames in memory."""

import contextlib
import datetime as dt
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from privet.errors import InvalidParameter, ReleaseFailed
from privet.query.backends.backend import Keys, Sums
from privet.query.backends.duckdb_dialect import DuckDBDialect, quoted
from privet.query.backends.duckdb_sources import arrow_of, database_of, files_of, header_of
from privet.query.bounded import Bounded, Shape
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.expressions import facts_of
from privet.query.facts import Type, Value
from privet.query.plan import Key, Relation
from privet.query.printing import Source, Sources, print_relation, print_request
from privet.query.printing.requests import split
from privet.query.printing.tables import known, unit_text

FAILED = "the engine could not compute the answer; what was spent stays spent"
PATIENCE = 0.2  # seconds between two looks for Ctrl-C
T = TypeVar("T")
LOCKED = (  # in this order: nothing can be opened, loaded or changed once the last has run
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


class DuckDBBackend:
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
        self._catalog, self._dialect = catalog, DuckDBDialect()
        self._files = {name: files_of(catalog, table) for name, table in catalog.tables.items()}
        self._spill = tempfile.mkdtemp(prefix="privet-")
        self._connection = self._open(threads, memory)
        try:
            self._tables = {name: self._source(name, table) for name, table in catalog.tables.items()}
            self._refuse_mixed_units()
            for statement in LOCKED:
                self._connection.execute(statement)
        except BaseException:
            self.close()
            raise
        self._released: dict[str, str] = {}

    def schema(self) -> Mapping[str, Mapping[str, str]]:
        """The engine's type of every column of every table of the catalog, as the schema has it."""
        return {name: dict(source.types) for name, source in self._tables.items()}

    def sums(self, request: Bounded) -> Sums:
        """Exact bounded sums; see `Backend`."""
        groups: dict[Keys, list[tuple[int, ...]]] = {}
        units: dict[Keys, int] = {}
        empty = [(0,) * measure.cells for measure in request.measures]
        for part in split(request):
            places = [request.measures.index(measure) for measure in part.measures]
            for row in self._rows(print_request(part, self._dialect, self._sources())):
                keys = _keys(part.keys, row)
                cells = groups.setdefault(keys, list(empty))
                start = len(part.keys)
                for place, measure in zip(places, part.measures, strict=True):
                    cells[place] = tuple(int(cell or 0) for cell in row[start : start + measure.cells])
                    start += measure.cells
                if start < len(row):
                    units[keys] = int(row[start])
        return Sums({keys: tuple(cells) for keys, cells in groups.items()}, units)

    def ranks(self, request: Bounded) -> Mapping[Keys, Mapping[int, int]]:
        """For a request of one RANKS measure; see `Backend`. Places are coarsened by `bounded.rank_shift`."""
        if [measure.shape for measure in request.measures] != [Shape.RANKS]:
            raise InvalidParameter("ranks takes a request of one RANKS measure")
        groups: dict[Keys, dict[int, int]] = {}
        for row in self._rows(print_request(request, self._dialect, self._sources())):
            groups.setdefault(_keys(request.keys, row), {})[int(row[-2])] = int(row[-1])
        return groups

    def read(self, relation: Relation, released: Mapping[str, pa.Table]) -> pa.Table:
        """The rows of a public relation, with columns named as the relation's."""
        if relation.owner is not None:
            raise InvalidParameter("only a public relation can be read row by row")
        self.publish(released)
        text = print_relation(relation, self._dialect, self._sources())
        with self._safely():
            table: pa.Table = self._waited(lambda: self._connection.sql(text).to_arrow_table())
        return table.rename_columns([column.name for column in relation.columns])

    def publish(self, released: Mapping[str, pa.Table]) -> None:
        """Make tables of earlier stages available, under names of our own."""
        for stage, table in released.items():
            name = self._released.setdefault(stage, f"released_{len(self._released) + 1}")
            self._connection.register(name, table.rename_columns([f"c{n + 1}" for n in range(table.num_columns)]))

    def text(self, request: Bounded) -> str:
        """The SQL for a request; several statements, if DISTINCT is among the measures, each after a semicolon.

        It is printed before earlier stages are answered, whose tables then have the name they would get.
        """
        sources = replace(self._sources(), released=_Promised(self._released))
        return ";\n".join(print_request(part, self._dialect, sources) for part in split(request))

    def close(self) -> None:
        """Let go of the database, and remove what was spilled to disk."""
        self._connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def _sources(self) -> Sources:
        return Sources(self._catalog, self._tables, self._released)

    def _rows(self, text: str) -> list[tuple[Any, ...]]:
        with self._safely():
            return self._waited(lambda: self._connection.execute(text).fetchall())

    def _waited(self, run: Callable[[], T]) -> T:
        """Run a statement in a thread of its own, so that Ctrl-C is heard here and the engine is told to stop."""
        with ThreadPoolExecutor(1, thread_name_prefix="privet") as pool:
            future = pool.submit(run)
            try:
                while True:
                    with contextlib.suppress(TimeoutError):
                        return future.result(timeout=PATIENCE)
            except KeyboardInterrupt:
                self._connection.interrupt()
                raise

    @contextlib.contextmanager
    def _safely(self) -> Iterator[None]:
        """One error for whatever the engine says: its own text may tell about rows."""
        try:
            yield
        except Exception:  # noqa: BLE001 - whatever it is, nothing of it may be seen
            raise ReleaseFailed(FAILED) from None

    # --- opening ---

    def _open(self, threads: int | None, memory: str | None) -> duckdb.DuckDBPyConnection:
        path, allowed = database_of(self._catalog), [file for files in self._files.values() for file in files]
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
        connection.execute(f"SET allowed_directories = [{quoted(self._spill)}]")
        connection.execute(f"SET temp_directory = {quoted(self._spill)}")
        if threads is not None:
            connection.execute(f"SET threads = {int(threads)}")
        if memory is not None:
            connection.execute(f"SET memory_limit = {quoted(memory)}")
        return connection

    def _source(self, name: str, table: DeclaredTable) -> Source:
        if name in self._catalog.frames:
            place = f"frame_{list(self._catalog.frames).index(name) + 1}"
            self._connection.register(place, arrow_of(name, self._catalog.frames[name]))
            return self._described(name, place)
        if files := self._files[name]:
            return self._file_source(name, files)
        place = self._place(table.location or name)
        source = self._described(name, place)
        return Source(source.text, source.types, "rowid" if self._is_base_table(table.location or name) else None)

    def _place(self, name: str) -> str:
        """A table's quoted name, in parts if it is written as schema.table."""
        parts = [name] if self._is_base_table(name) else name.split(".")
        return ".".join(self._dialect.name(part) for part in parts)

    def _file_source(self, name: str, files: list[str]) -> Source:
        listed = ", ".join(quoted(file) for file in files)
        if files[0].lower().endswith((".parquet", ".pq")):
            return self._described(name, f"read_parquet([{listed}], union_by_name = true)")
        columns = header_of(name, files[0])
        types = ", ".join(f"{quoted(column)}: 'VARCHAR'" for column in columns)
        tab = "\\t" if files[0].lower().endswith(".tsv") else ","
        options = (
            f"auto_detect = false, header = true, delim = '{tab}', quote = '\"', escape = '\"', "
            "ignore_errors = true, strict_mode = false, parallel = false, null_padding = true"
        )
        text = f"read_csv([{listed}], columns = {{{types}}}, {options})"
        return Source(text, dict.fromkeys(columns, "VARCHAR"))

    def _described(self, name: str, text: str) -> Source:
        try:
            rows = self._connection.execute(f"DESCRIBE SELECT * FROM {text}").fetchall()
        except duckdb.Error:
            raise InvalidParameter(
                f"table {name} cannot be read from the data; check its files, its location and its name in the catalog"
            ) from None
        return Source(text, {str(row[0]): _without_values(str(row[1])) for row in rows})

    def _is_base_table(self, name: str) -> bool:
        found = self._connection.execute(
            "SELECT COUNT(*) FROM duckdb_tables() WHERE lower(table_name) = lower(?)", [name]
        )
        row = found.fetchone()
        return row is not None and row[0] == 1

    def _refuse_mixed_units(self) -> None:
        """Units are compared between tables, so they are of one kind."""
        kinds: dict[str, str] = {}
        for name, table in self._catalog.tables.items():
            if table.public or table.unit_column is None or self._catalog.row_level:
                continue
            last = table.unit_path[-1].table if table.unit_path else name
            source = known(self._tables, last)
            text = unit_text(last, table.unit_column, "s", dialect=self._dialect, sources=self._sources_while_opening())
            row = self._connection.execute(f"DESCRIBE SELECT {text} FROM {source.text} AS s").fetchone()
            kinds[name] = str(row[1]) if row is not None else ""
        if len(set(kinds.values())) > 1:
            names = ", ".join(f"{name} has {kind}" for name, kind in kinds.items())
            raise InvalidParameter(f"units must have one type in all tables, got {names}; convert them in the data")

    def _sources_while_opening(self) -> Sources:
        return Sources(self._catalog, self._tables)


class _Promised(dict[str, str]):
    """Names of the tables of stages, answered or not."""

    def __contains__(self, stage: object) -> bool:
        return isinstance(stage, str)

    def __missing__(self, stage: str) -> str:
        return "released_later"


def _without_values(engine_type: str) -> str:
    """An enumeration's type spells out values; they are data."""
    return "ENUM" if engine_type.startswith("ENUM") else engine_type


def _keys(keys: tuple[Key, ...], row: tuple[Any, ...]) -> Keys:
    return tuple(_key(key, value) for key, value in zip(keys, row, strict=False))


def _key(key: Key, value: Any) -> Value:  # noqa: ANN401 - whatever the engine has
    """A key as the catalog and literals write it; one of a public domain exactly as it is written there."""
    plain = plain_value(value)
    if key.domain is None or facts_of(key.expression).type not in {Type.DATE, Type.TIMESTAMP}:
        return plain
    same = (each for each in key.domain if isinstance(each, str) and _same_moment(each, value))
    return next(same, plain)


def plain_value(value: Any) -> Value:  # noqa: ANN401 - whatever the engine has
    """A value of the engine as a literal holds it: dates and timestamps as ISO texts."""
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    return value  # type: ignore[no-any-return] # numbers, texts and booleans are themselves


def _same_moment(text: str, value: Any) -> bool:  # noqa: ANN401 - a date or a timestamp
    try:
        read = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return read == (value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time()))
