# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Rows: each one weighed down on its own, by a weight that its unit (and group) has."""

from privet.query.measures.request import PART, Measure, Shape
from privet.query.printing.placed_rows import PlacedRows, plain, products, signed, size_of


def print_by_row(context: PlacedRows, rows: str) -> str:
    """The rest of a statement whose rows are weighed one by one."""
    matched = _add_weights(context, rows)
    same = " AND ".join(
        f"{rows}.{name} {'=' if name in context.unit else 'IS NOT DISTINCT FROM'} weights.{name}" for name in matched
    )
    return _weighed(context, rows, f"{rows} JOIN weights ON {same}")


def _add_weights(context: PlacedRows, rows: str) -> list[str]:
    """Add the table `weights`; the columns that rows and weights have in common: unit, and keys if it is by group."""
    request = context.request
    if request.spread and context.keys and not request.cap_groups:
        group = ", ".join(context.unit)
        source = context.counted(rows)
        weights = f"SELECT {group}, {_weight(context, 'COUNT(*)')} AS weight FROM {source} GROUP BY {group}"
        context.chain.append("weights", weights)
        return context.unit
    matched = [*context.unit, *context.keys]
    group = ", ".join(matched)
    context.chain.append("pairs", f"SELECT {group}, COUNT(*) AS n FROM {rows} GROUP BY {group}")
    source, have = context.kept("pairs")
    context.chain.append("weights", f"SELECT {group}, {_weight(context, have)} AS weight FROM {source}")
    return matched


def _weighed(context: PlacedRows, rows: str, source: str) -> str:
    """The end of the statement: what each row adds, given its `weight`."""
    request = context.request
    if any(measure.shape is Shape.RANKS for measure in request.measures):
        return _ranks(context, rows, source)
    cells = [
        f"{cell} AS m{number}_{place}"
        for number, measure in enumerate(request.measures, 1)
        for place, cell in enumerate(_weighed_row(context, measure, number), 1)
    ]
    keys = [f"{rows}.{key}" for key in context.keys]
    context.chain.append("weighed", f"SELECT {', '.join([*keys, *cells])} FROM {source}")
    context.chain.dissolve("weighed")
    return context.last([])


def _weight(context: PlacedRows, have: str) -> str:
    whole = context.whole(PART)
    most = context.whole(context.cap * PART)
    return (
        f"CASE WHEN {have} <= {context.whole(context.cap)} THEN {whole} ELSE {context.dialect.quotient(most, have)} END"
    )


def _weighed_row(context: PlacedRows, measure: Measure, number: int) -> list[str]:
    """The weight's share of each number of a row, rounded toward 0; of several, the last is what is left of the row."""
    place = f"a{number}"
    steps = context.whole(measure.span.steps)
    match measure.shape:
        case Shape.ROWS:
            return ["weight" if plain(measure) else f"CASE WHEN {place} IS NOT NULL THEN weight END"]
        case Shape.SUM:
            return [_share(context, f"({context.whole(measure.span.first)} + {place})", measure)]
        case Shape.MEAN:
            first = _share(context, place, measure)
            return [first, f"({_row_share(context, measure)} - {first})"]
        case Shape.PRODUCTS:
            cells = [_share(context, cell, measure) for cell in products(measure, number, context.dialect)[:-1]]
            return [*cells, f"({_row_share(context, measure)} - {' - '.join(cells)})"]
        case _:
            first = _share(context, f"{place} * {place}", measure)
            second = _share(context, f"2 * {place} * ({steps} - {place})", measure)
            return [first, second, f"({_row_share(context, measure)} - {first} - {second})"]


def _row_share(context: PlacedRows, measure: Measure) -> str:
    """The weight's share of a whole row: of all its numbers together."""
    products_of = measure.shape is Shape.PRODUCTS
    size = measure.product_size if products_of else measure.span.steps ** (measure.cells - 1)
    return "weight" if size == PART else _share(context, context.whole(size), measure)


def _share(context: PlacedRows, cell: str, measure: Measure) -> str:
    """The weight's share of a number, rounded toward 0."""
    number = cell if size_of(measure, PART) < 1 << 42 else f"CAST({cell} AS {context.dialect.wide})"
    share = context.dialect.quotient(f"{number} * weight", context.whole(PART))
    if not signed(measure):
        return share
    back = context.dialect.quotient(f"-({number}) * weight", context.whole(PART))
    return f"CASE WHEN {cell} < 0 THEN -({back}) ELSE {share} END"


def _ranks(context: PlacedRows, rows: str, source: str) -> str:
    """Weights by place. Rows in no place stay: who reads them leaves them out, engines would place each row twice."""
    keys = [f"{rows}.{key}" for key in context.keys]
    group = ", ".join([*context.keys, "place"])
    counted = ", ".join([*keys, f"{rows}.a1 AS place", "weight AS m1_1"])
    context.chain.append("weighed", f"SELECT {counted} FROM {source}")
    return f"{context.chain.text()}\nSELECT {group}, SUM(m1_1) AS m1_1 FROM weighed GROUP BY {group}"
