"""EmptyTables: an engine that holds the tables of a catalog without a row, and what is public about them."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from sqlglot import exp

from privet.query.catalog import Catalog
from privet.query.scalars.arrow_types import ARROW
from privet.server.postgres.introspection.functions import macros
from privet.server.postgres.introspection.public_facts import PublicFacts
from privet.server.postgres.introspection.relations import column_kinds, relations
from privet.server.postgres.introspection.rewriting import Rewritten, parsed, rewritten
from privet.server.postgres.sqlstates import CANCELED, NOT_SUPPORTED, TOO_LARGE, Refusal

MEMORY = "256MB"
CLOSED = (  # in this order: nothing can be opened, loaded or changed once the last has run
    "SET threads = 1",
    f"SET memory_limit = '{MEMORY}'",
    "SET temp_directory = ''",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
COLUMNS = {
    "bool": "BOOLEAN",
    "int8": "BIGINT",
    "int4": "INTEGER",
    "int2": "SMALLINT",
    "oid": "UINTEGER",
    "text": "VARCHAR",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "timestamp": "TIMESTAMP",
}
MOST_PARAMETERS = 1_000
LARGEST_BATCH = 10_000_000  # bytes of 2,048 rows


@dataclass(frozen=True)
class Limits:
    """How much one question may use."""

    rows: int
    seconds: float


class EmptyTables:
    """Answers what clients ask about tables.

    Args:
        catalog: the public facts.
        version: what is told of this server.
        limits: of one question.

    Privacy: there is no way from here to the data: the tables are made from the catalog and stay empty, the engine is
        private to this object, can reach no file and no network, and its configuration is locked. So anything at all
        may be asked of it, and what it says is the same whatever the data is.
    """

    def __init__(self, catalog: Catalog, *, version: str, limits: Limits) -> None:
        self._limits = limits
        self._turn = threading.Lock()
        self._facts = PublicFacts(catalog)
        self._connection = duckdb.connect(":memory:")
        for name, table in catalog.tables.items():
            empty = pa.schema([(column, ARROW[facts.type]) for column, facts in table.columns.items()]).empty_table()
            self._connection.register("empty", empty)
            self._connection.execute(f"CREATE TABLE {quoted(f'public__{name.lower()}')} AS FROM empty LIMIT 0")
            self._connection.unregister("empty")
        said = dict(self._facts.relations())
        for full, columns in relations().items():
            place = full.replace(".", "__")
            if full in said:
                self._connection.register(place, said[full])
            else:
                listed = ", ".join(f"{quoted(name)} {column_type(kind)}" for name, kind in columns.items())
                self._connection.execute(f"CREATE TABLE {place} ({listed})")
        for statement in (*macros(version=version, database=catalog.name), *CLOSED):
            self._connection.execute(statement)

    def close(self) -> None:
        """Let go of it."""
        with self._turn:
            self._connection.close()

    def stop(self) -> None:
        """Stop the question that runs."""
        self._connection.interrupt()

    def answer(self, text: str, *, person: str, values: Sequence[object] = ()) -> pa.Table:
        """The answer to one question.

        Args:
            text: in PostgreSQL's words.
            person: who asks.
            values: of its parameters.
        """
        return self._run(rewritten(text, numbers=self._facts.numbers, person=person, values=values))

    def described(self, text: str, *, person: str) -> pa.Schema:
        """The columns that an answer would have."""
        return self._run(rewritten(text, numbers=self._facts.numbers, person=person), rows=False).schema

    def _run(self, question: Rewritten, *, rows: bool = True) -> pa.Table:
        with self._turn:
            watch = threading.Timer(self._limits.seconds, self.stop)
            watch.daemon = True
            watch.start()
            try:
                with self._connection.sql(question.text).to_arrow_reader(
                    2_048
                ) as reader:  # left open, nothing else runs
                    table = self._read(reader) if rows else reader.schema.empty_table()
            except (duckdb.InterruptException, duckdb.OutOfMemoryException):
                raise Refusal("a question about tables takes less time and memory than that", CANCELED) from None
            except (duckdb.Error, pa.ArrowInvalid):
                raise Refusal("this question about tables is not understood", NOT_SUPPORTED) from None
            finally:
                watch.cancel()
        own = question.names if len(question.names) == table.num_columns else table.column_names
        return table.rename_columns([said or name for said, name in zip(own, table.column_names, strict=True)])

    def _read(self, reader: pa.RecordBatchReader) -> pa.Table:
        batches, number = [], 0
        for batch in reader:
            batches.append(batch)
            number += batch.num_rows
            if number > self._limits.rows or batch.nbytes > LARGEST_BATCH:
                raise Refusal("the answer would be longer than is sent about tables", TOO_LARGE)
        return pa.Table.from_batches(batches, reader.schema)


def parameters_of(text: str) -> list[str]:
    """The types of the parameters $1, $2, … of a question, as far as their casts tell."""
    found: dict[int, str] = {}
    for node in parsed(text).find_all(exp.Parameter, exp.Placeholder):
        if node.name.isdecimal() and 0 < int(node.name) <= MOST_PARAMETERS:
            found.setdefault(int(node.name), _kind_of(node))
    return [found.get(place, "") for place in range(1, max(found, default=0) + 1)]


def _kind_of(node: exp.Expr) -> str:
    """What a parameter is cast to, or compared with."""
    parent = node.parent
    if isinstance(parent, exp.Cast):
        return str(parent.to.sql(dialect="postgres")).lower()
    if isinstance(parent, exp.Any) or (isinstance(parent, exp.Paren) and isinstance(parent.parent, exp.Any)):
        return "text[]"
    if isinstance(parent, exp.EQ | exp.NEQ | exp.In | exp.GT | exp.LT | exp.GTE | exp.LTE):
        names = (each.name.lower() for each in parent.iter_expressions() if isinstance(each, exp.Column))
        return next((column_kinds().get(name, "") for name in names), "")
    return ""


def column_type(kind: str) -> str:
    """How the engine calls a type of a relation."""
    return f"{COLUMNS[kind.removesuffix('[]')]}[]" if kind.endswith("[]") else COLUMNS[kind]


def quoted(name: str) -> str:
    """A name as the engine reads it."""
    return '"' + name.replace('"', '""') + '"'
