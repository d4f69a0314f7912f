# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Members: the units of each group, as numbers that tell them apart within one statement."""

from privet.query.printing.placed_rows import PlacedRows


def print_members(context: PlacedRows, rows: str) -> str:
    """The pairs that count, with a number for each unit; then the numbers of each group, as a list."""
    group = ", ".join([*context.unit, *context.keys])
    context.chain.append("pairs", f"SELECT {group} FROM {rows} GROUP BY {group}")
    source = context.capped("pairs")
    number = f"DENSE_RANK() OVER (ORDER BY {', '.join(context.unit)}) AS member"
    keys = ", ".join(context.keys)
    context.chain.append("weighed", f"SELECT {keys}, {number} FROM {source}")
    return f"{context.chain.text()}\nSELECT {keys}, ARRAY_AGG(member) AS members FROM weighed GROUP BY {keys}"
