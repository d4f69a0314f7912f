# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Outputs: what is done with released columns, as SQL over one table whose columns are numbered: c1, c2."""

from collections.abc import Sequence

from privet.query.plan.statement import Output
from privet.query.printing.dialect import Dialect
from privet.query.printing.function_templates import coerced, print_expression
from privet.query.printing.relation_tables import ordered
from privet.query.printing.shared_expressions import Once
from privet.query.scalars.expressions import Column


def print_output(output: Output, columns: Sequence[Column], table: str, dialect: Dialect) -> str:
    """The statement that computes an output.

    Args:
        output: over `columns` only.
        columns: what the table's columns c1, c2, … are versions of.
        table: the engine's name of the table.
        dialect: the engine's words.
    """
    names = {column: f"c{number}" for number, column in enumerate(columns, 1)}
    once = Once(dialect)
    parts = [(column.facts.type, once.split(expression)) for column, expression in output.items]
    orders = [once.split(expression) for expression, _ in output.order]
    condition = None if output.condition is None else once.split(output.condition)
    table = _below(once, names, table, dialect)
    items = [
        f"{coerced(part, type_, dialect, names.__getitem__)} AS o{number}"
        for number, (type_, part) in enumerate(parts, 1)
    ]
    keys = [
        f"{print_expression(each, dialect, names.__getitem__)} AS s{number}" for number, each in enumerate(orders, 1)
    ]
    inner = f"SELECT {', '.join([*items, *keys])}, ROW_NUMBER() OVER () AS line FROM {table}"
    if condition is not None:
        inner += f" WHERE {print_expression(condition, dialect, names.__getitem__)}"
    shown = [f"o{number}" for number in range(1, len(items) + 1)]
    order = [ordered(f"s{number}", descending=down) for number, (_, down) in enumerate(output.order, 1)] + ["line"]
    if output.distinct:
        first = [f"MIN(s{number}) AS s{number}" for number in range(1, len(keys) + 1)]
        group = (
            f"SELECT {', '.join([*shown, *first])}, MIN(line) AS line FROM ({inner}) AS t GROUP BY {', '.join(shown)}"
        )
        inner = group
    limit = "" if output.limit is None else f" LIMIT {int(output.limit)}"
    offset = f" OFFSET {int(output.offset)}" if output.offset else ""
    return f"SELECT {', '.join(shown)} FROM ({inner}) AS t ORDER BY {', '.join(order)}{limit}{offset}"


def _below(once: Once, names: dict[Column, str], table: str, dialect: Dialect) -> str:
    """The table with the parts of expressions that are computed first, each once; itself if there are none."""
    tables = []
    for number, level in enumerate(once.levels, 1):
        names |= {column: f"p{number}_{place}" for place, (column, _) in enumerate(level, 1)}
        items = [f"{print_expression(part, dialect, names.__getitem__)} AS {names[column]}" for column, part in level]
        tables.append(f"p{number} AS {dialect.kept} (SELECT *, {', '.join(items)} FROM {table})")
        table = f"p{number}"
    return f"(WITH {', '.join(tables)} SELECT * FROM {table}) AS p" if tables else table
