# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Outputs: what is done with released columns, as SQL over one table whose columns are numbered: c1, c2."""

from collections.abc import Sequence

from privet.query.expressions import Column
from privet.query.plan import Output
from privet.query.printing.dialect import Dialect
from privet.query.printing.relations import ordered
from privet.query.printing.scalars import coerced, print_expression


def print_output(output: Output, columns: Sequence[Column], table: str, dialect: Dialect) -> str:
    """The statement that computes an output.

    Args:
        output: over `columns` only.
        columns: what the table's columns c1, c2, … are versions of.
        table: the engine's name of the table.
        dialect: the engine's words.
    """
    names = {column: f"c{number}" for number, column in enumerate(columns, 1)}
    items = [
        f"{coerced(expression, column.facts.type, dialect, names.__getitem__)} AS o{number}"
        for number, (column, expression) in enumerate(output.items, 1)
    ]
    orders = [print_expression(expression, dialect, names.__getitem__) for expression, _ in output.order]
    keys = [f"{text} AS s{number}" for number, text in enumerate(orders, 1)]
    inner = f"SELECT {', '.join([*items, *keys])}, ROW_NUMBER() OVER () AS line FROM {table}"
    if output.condition is not None:
        inner += f" WHERE {print_expression(output.condition, dialect, names.__getitem__)}"
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
