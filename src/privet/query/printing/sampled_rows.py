# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Sampled rows: at most `cap` rows of each unit, in each group or in all, chosen by a hash of what is in them."""

from privet.query.printing.placed_rows import PlacedRows


def print_sampled(context: PlacedRows, rows: str) -> str:
    """Add two tables: rows with a number that tells equal ones apart, and those of them that are chosen.

    The order is that of a hash of unit, keys, places and that number. Where a row is stored says nothing: equal rows
    of a unit may be numbered in any way, because whichever are chosen add the same.
    """
    request = context.request
    pair = [*context.unit, *context.keys]
    places = context.places()
    whole = ", ".join([*pair, *places])
    copies = f"ROW_NUMBER() OVER (PARTITION BY {whole} ORDER BY {context.unit[0]}) AS copy"
    context.chain.append("numbered", f"SELECT {whole}, {copies} FROM {rows}")
    owner = ", ".join(context.unit if request.spread else pair)
    ties = ", ".join(f"{name} NULLS FIRST" for name in [*context.keys, *places, "copy"])
    digest = context.dialect.digest((*context.hashed, *context.marks, *places, "copy"))
    order = f"PARTITION BY {owner} ORDER BY {digest}, {ties}"
    ranked = f"SELECT *, ROW_NUMBER() OVER ({order}) AS place FROM numbered"
    chosen = f"SELECT {whole} FROM ({ranked}) AS t WHERE place <= {context.cap}"
    return context.chain.append("sampled", chosen, once=request.by_row)
