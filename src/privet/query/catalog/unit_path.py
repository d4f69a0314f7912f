"""The way from a table to its unit, as it is written: order_id -> orders.id -> customer_id."""

import re

from privet.query.catalog.declared_table import Step

NAME = r'(?:"(?:[^"]|"")+"|[^\s".>-]+(?:-(?!>)[^\s".>-]+)*)'
HOP = re.compile(rf"\s*({NAME})\s*->\s*({NAME})\s*\.\s*({NAME})\s*->\s*")
LAST = re.compile(rf"\s*({NAME})\s*")


def path_from(text: str) -> tuple[tuple[Step, ...], str] | None:
    """The steps and the unit's column; None if it is not written so. Names with dots or blanks stand in quotes.

    Example:
        >>> path_from("order_id -> orders.id -> customer_id")
        ((Step(column='order_id', table='orders', key='id'),), 'customer_id')
    """
    steps = []
    start = 0
    while found := HOP.match(text, start):
        steps.append(Step(*map(_bare, found.groups())))
        start = found.end()
    last = LAST.fullmatch(text, start)
    return (tuple(steps), _bare(last.group(1))) if steps and last else None


def path_text(steps: tuple[Step, ...], unit_column: str) -> str:
    """The way as it is written."""
    hops = [f"{_quoted(step.column)} -> {_quoted(step.table)}.{_quoted(step.key)}" for step in steps]
    return " -> ".join([*hops, _quoted(unit_column)])


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _quoted(name: str) -> str:
    return name if re.fullmatch(NAME, name) and not name.startswith('"') else '"' + name.replace('"', '""') + '"'
