# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Rows: each one weighed down on its own, by a weight that its unit (and group) has."""

from privet.query.bounded import PART, Measure, Shape
from privet.query.printing.placing import Placing, plain, signed


def print_by_row(context: Placing, rows: str) -> str:
    """The rest of a statement whose rows are weighed one by one."""
    request = context.request
    matched = context.unit
    if request.cap_groups or not (request.spread and context.keys):
        matched = [*context.unit, *context.keys]
        group = ", ".join(matched)
        context.chain.append("pairs", f"SELECT {group}, COUNT(*) AS n FROM {rows} GROUP BY {group}")
        source, have = context.kept("pairs")
        context.chain.append("weights", f"SELECT {group}, {_weight(context, have)} AS weight FROM {source}")
    else:
        group = ", ".join(context.unit)
        weights = f"SELECT {group}, {_weight(context, 'COUNT(*)')} AS weight FROM {rows} GROUP BY {group}"
        context.chain.append("weights", weights)
    same = " AND ".join(
        f"{rows}.{name} {'=' if name in context.unit else 'IS NOT DISTINCT FROM'} weights.{name}" for name in matched
    )
    source = f"{rows} JOIN weights ON {same}"
    if any(measure.shape is Shape.RANKS for measure in request.measures):
        return _ranks(context, rows, source)
    cells = [
        f"{_weighed_row(context, cell, measure)} AS m{number}_{place}"
        for number, measure in enumerate(request.measures, 1)
        for place, cell in enumerate(_cells_of_row(context, measure, f"a{number}"), 1)
    ]
    keys = [f"{rows}.{key}" for key in context.keys]
    context.chain.append("weighed", f"SELECT {', '.join([*keys, *cells])} FROM {source}")
    return context.last([])


def _weight(context: Placing, have: str) -> str:
    whole, most = context.whole(PART), context.whole(context.cap * PART)
    return (
        f"CASE WHEN {have} <= {context.whole(context.cap)} THEN {whole} ELSE {context.dialect.quotient(most, have)} END"
    )


def _cells_of_row(context: Placing, measure: Measure, place: str) -> list[str]:
    steps = context.whole(measure.lattice.steps)
    match measure.shape:
        case Shape.ROWS:
            return ["1" if plain(measure) else place]
        case Shape.SUM:
            return [f"({context.whole(measure.lattice.first)} + {place})"]
        case Shape.MEAN:
            return [place, f"({steps} - {place})"]
        case _:
            rest = f"({steps} - {place})"
            return [f"{place} * {place}", f"2 * {place} * {rest}", f"{rest} * {rest}"]


def _weighed_row(context: Placing, cell: str, measure: Measure) -> str:
    """The weight's share of a row's number, rounded toward 0."""
    if measure.shape is Shape.ROWS:
        return "weight" if cell == "1" else f"CASE WHEN {cell} IS NOT NULL THEN weight END"
    lattice = measure.lattice
    far = (
        lattice.steps**2 if measure.shape is Shape.SPREAD else max(abs(lattice.first), abs(lattice.last), lattice.steps)
    )
    number = cell if far < 1 << 42 else f"CAST({cell} AS {context.dialect.wide})"
    share = context.dialect.quotient(f"{number} * weight", context.whole(PART))
    if not signed(measure):
        return share
    back = context.dialect.quotient(f"-({number}) * weight", context.whole(PART))
    return f"CASE WHEN {cell} < 0 THEN -({back}) ELSE {share} END"


def _ranks(context: Placing, rows: str, source: str) -> str:
    keys = [f"{rows}.{key}" for key in context.keys]
    group = ", ".join([*context.keys, "place"])
    counted = ", ".join([*keys, f"{rows}.a1 AS place", "weight AS m1_1"])
    context.chain.append("weighed", f"SELECT {counted} FROM {source} WHERE {rows}.a1 IS NOT NULL")
    return f"{context.chain.text()}\nSELECT {group}, SUM(m1_1) AS m1_1 FROM weighed GROUP BY {group}"
