# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Post-processing: an engine that holds nothing but one released table, for what is done with answers."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from threading import Lock

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.catalog import Catalog
from privet.query.plan.relations import Relation
from privet.query.plan.statement import Output
from privet.query.printing import Sources, print_output, print_relation
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Type

CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "1GB",
    "threads": "1",
    "lock_configuration": "true",
}


def post_process(output: Output, table: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """Items, HAVING, DISTINCT, ORDER BY and LIMIT of released rows; rows that are equal in the order keep theirs.

    Args:
        output: over `columns` only; another column is an error, because it is not here.
        table: the released rows.
        columns: which version each column of the table is, in the same order.

    Privacy: free, as post-processing is: the engine has never seen a private table, and the connection is made for this
        call and sees the released table alone.

    Example:
        >>> from privet.query.scalars.expressions import Reference
        >>> from privet.query.scalars.facts import Facts
        >>> n = Column("n", Facts(Type.INTEGER))
        >>> rows = (Column("rows", Facts(Type.INTEGER)), Reference(n))
        >>> output = Output((rows,), order=((Reference(n), True),), limit=2)
        >>> post_process(output, pa.table({"n": [3, 5, 4]}), [n]).to_pydict()
        {'rows': [5, 4]}
    """
    if len(columns) != table.num_columns:
        raise InvalidParameter(f"the table has {table.num_columns} columns and {len(columns)} are described")
    if (shown := _as_they_are(output, table, columns)) is not None:
        return shown
    dialect = DuckDBDialect()
    try:
        statement = print_output(output, columns, "typed", dialect)
    except KeyError:
        raise InvalidParameter("an output can use columns of its own stage only") from None
    typed = ", ".join(
        _typed(f"c{number}", column.facts.type, dialect) + f" AS c{number}" for number, column in enumerate(columns, 1)
    )
    with _connection() as connection:
        connection.register("released", table.rename_columns([f"c{number + 1}" for number in range(len(columns))]))
        result: pa.Table = connection.sql(f"WITH typed AS (SELECT {typed} FROM released) {statement}").to_arrow_table()
    return result.rename_columns([column.name for column, _ in output.items])


def _as_they_are(output: Output, table: pa.Table, columns: Sequence[Column]) -> pa.Table | None:
    """What an output shows if it shows columns of the table, all rows in their order; None if it computes anything.

    It is what the engine would give: a column of its type stays as it is, but for NaN, which is NULL.
    """
    if replace(output, items=()) != Output(()):
        return None
    shown = []
    for column, item in output.items:
        kind = ARROW[column.facts.type]
        if not isinstance(item, Reference) or item.column not in columns or item.column.facts.type != column.facts.type:
            return None
        found = table.column(columns.index(item.column))
        if found.type != kind:
            return None
        shown.append(pc.if_else(pc.is_nan(found), None, found) if kind == ARROW[Type.REAL] else found)
    return pa.table(shown, names=[column.name for column, _ in output.items])


def post_read(relation: Relation, tables: Mapping[str, pa.Table], catalog: Catalog) -> pa.Table:
    """The rows of a relation that reads released tables alone, in the order of its columns.

    Args:
        relation: public, without tables of the catalog.
        tables: of earlier stages, by their name.
        catalog: as printers want it.
    """
    names = {stage: f"released_{number}" for number, stage in enumerate(tables, 1)}
    text = print_relation(relation, DuckDBDialect(), Sources(catalog, {}, names))
    with _connection() as connection:
        for stage, table in tables.items():
            columns = [f"c{number + 1}" for number in range(table.num_columns)]
            connection.register(names[stage], table.rename_columns(columns))
        result: pa.Table = connection.sql(text).to_arrow_table()
    return result


def _connection() -> duckdb.DuckDBPyConnection:
    """A connection of its own: what is registered there is seen there alone, and is gone when it is closed."""
    engine, one_at_a_time = _engine(os.getpid())
    with one_at_a_time:
        return engine.cursor()


@cache
def _engine(process: int) -> tuple[duckdb.DuckDBPyConnection, Lock]:  # noqa: ARG001 - neither survives a fork
    """One engine for all answers of a process: to open one takes longer than to use it."""
    return duckdb.connect(":memory:", config=CLOSED), Lock()


def _typed(text: str, kind: Type, dialect: DuckDBDialect) -> str:
    cast = f"CAST({text} AS {dialect.types[kind]})"
    return dialect.number(cast) if kind is Type.REAL else cast
