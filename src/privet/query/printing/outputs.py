# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Outputs: what is done with released columns, as SQL over one table whose columns are numbered: c1, c2."""

from collections.abc import Sequence
from dataclasses import replace

from privet.query.plan.statement import Output
from privet.query.printing.dialect import Dialect
from privet.query.printing.function_templates import coerced, print_expression
from privet.query.printing.relation_tables import ordered
from privet.query.printing.released_windows import LINE, print_window
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
    if output.windows:
        table = _seen(output, names, table, dialect)
        output = replace(output, condition=output.qualify)
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
    line = LINE if output.windows else "ROW_NUMBER() OVER ()"
    inner = f"SELECT {', '.join([*items, *keys])}, {line} AS line FROM {table}"
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


def _seen(output: Output, names: dict[Column, str], table: str, dialect: Dialect) -> str:
    """The rows that the condition leaves, with a column for each window over them."""
    first = Once(dialect)
    condition = None if output.condition is None else first.split(output.condition)
    table = _below(first, names, table, dialect, "h")
    where = "" if condition is None else f" WHERE {print_expression(condition, dialect, names.__getitem__)}"
    table = f"(SELECT *, ROW_NUMBER() OVER () AS {LINE} FROM {table}{where}) AS f"
    once = Once(dialect)
    windows = [(column, window.changed(once.split)) for column, window in output.windows]
    table = _below(once, names, table, dialect, "q")
    items = [f"{print_window(window, dialect, names.__getitem__)} AS w{n}" for n, (_, window) in enumerate(windows, 1)]
    names |= {column: f"w{number}" for number, (column, _) in enumerate(windows, 1)}
    return f"(SELECT *, {', '.join(items)} FROM {table}) AS w"


def _below(once: Once, names: dict[Column, str], table: str, dialect: Dialect, word: str = "p") -> str:
    """The table with the parts of expressions that are computed first, each once; itself if there are none."""
    tables = []
    for number, level in enumerate(once.levels, 1):
        names |= {column: f"{word}{number}_{place}" for place, (column, _) in enumerate(level, 1)}
        items = [f"{print_expression(part, dialect, names.__getitem__)} AS {names[column]}" for column, part in level]
        tables.append(f"{word}{number} AS {dialect.kept} (SELECT *, {', '.join(items)} FROM {table})")
        table = f"{word}{number}"
    return f"(WITH {', '.join(tables)} SELECT * FROM {table}) AS {word}" if tables else table
