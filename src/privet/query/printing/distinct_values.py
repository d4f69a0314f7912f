# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Distinct: how many values there are, of few values of each unit."""

from privet.query.printing.placed_rows import PlacedRows
from privet.query.scalars.expressions import facts_of


def print_distinct(context: PlacedRows, rows: str) -> str:
    """At most `cap` values of each unit, in each group or in all, chosen by a hash; then how many there are."""
    request = context.request
    pair = [*context.unit, *context.keys]
    if request.cap_groups and context.keys:
        group = ", ".join(pair)
        context.chain.append("pairs", f"SELECT {group}, COUNT(*) AS n FROM {rows} GROUP BY {group}")
        source = context.capped("pairs")
        same = " AND ".join(
            f"{rows}.{name} {'=' if name in context.unit else 'IS NOT DISTINCT FROM'} {source}.{name}" for name in pair
        )
        rows_of = ", ".join(f"{rows}.{name}" for name in [*pair, "a1"])
        rows = context.chain.append("held", f"SELECT {rows_of} FROM {rows} JOIN {source} ON {same}")
    whole = ", ".join([*pair, "a1"])
    context.chain.append("values_of", f"SELECT {whole} FROM {rows} WHERE a1 IS NOT NULL GROUP BY {whole}")
    owner = ", ".join(context.unit if request.spread else pair)
    places = ", ".join(f"{name} NULLS FIRST" for name in [*context.keys, "a1"])
    (measure,) = request.measures
    value = "a1" if measure.argument is None else context.dialect.hashable("a1", facts_of(measure.argument).type)
    digest = context.dialect.digest((*context.hashed, *context.marks, value))
    order = f"PARTITION BY {owner} ORDER BY {digest}, {places}"
    ranked = f"SELECT *, ROW_NUMBER() OVER ({order}) AS place FROM values_of"
    context.chain.append("weighed", f"SELECT * FROM ({ranked}) AS t WHERE place <= {context.cap}")
    keys = ", ".join(context.keys)
    last = ", ".join([*context.keys, "COUNT(DISTINCT a1) AS m1_1"])
    return f"{context.chain.text()}\nSELECT {last} FROM weighed" + (f" GROUP BY {keys}" if keys else "")
