# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Pairs: what a unit adds to a group, weighed down as one number."""

from privet.query.measures.request import Measure, Shape
from privet.query.printing.placed_rows import PlacedRows, plain, products, signed, size_of


def print_by_pair(context: PlacedRows, rows: str) -> str:
    """The rest of a statement whose sums are weighed for each unit and group."""
    group = [*context.unit, *context.keys]
    sums = ["COUNT(*) AS n"]
    for number, measure in enumerate(context.request.measures, 1):
        sums += _sums(context, measure, number)
    context.chain.append("pairs", f"SELECT {', '.join([*group, *sums])} FROM {rows} GROUP BY {', '.join(group)}")
    source, have = context.kept("pairs")
    cells = [
        f"{_weighed(context, cell, have, measure)} AS m{number}_{place}"
        for number, measure in enumerate(context.request.measures, 1)
        for place, cell in enumerate(_cells_of_pair(context, measure, number), 1)
    ]
    context.chain.append("weighed", f"SELECT {', '.join([*context.keys, *cells]) or '1 AS one'} FROM {source}")
    return context.last(["COUNT(*) AS units"])


def _sums(context: PlacedRows, measure: Measure, number: int) -> list[str]:
    if plain(measure):
        return []
    count = f"COUNT(a{number}) AS n{number}"
    if measure.shape in {Shape.ROWS, Shape.UNITS}:
        return [count]
    size = size_of(measure, context.request.part)
    width = _width(context, measure)
    if measure.shape is Shape.PRODUCTS:
        added = [context.dialect.added(cell, size) for cell in products(measure, number, context.dialect)]
        return [f"CAST({each} AS {width}) AS c{number}_{place}" for place, each in enumerate(added, 1)]
    total = f"CAST({context.dialect.added(f'a{number}', size)} AS {width}) AS s{number}"
    if measure.shape is not Shape.SPREAD:
        return [count, total]
    return [count, total, f"CAST({context.dialect.added(f'a{number} * a{number}', size)} AS {width}) AS q{number}"]


def _cells_of_pair(context: PlacedRows, measure: Measure, number: int) -> list[str]:
    """What a unit adds to a group before it is weighed, for each number of the measure."""
    count = "n" if plain(measure) else f"n{number}"
    width = _width(context, measure)
    first, steps = (f"CAST({end} AS {width})" for end in (measure.span.first, measure.span.steps))
    total = f"COALESCE(s{number}, 0)"
    match measure.shape:
        case Shape.PRODUCTS:
            return [f"COALESCE(c{number}_{place}, 0)" for place in range(1, measure.cells + 1)]
        case Shape.UNITS:
            return ["1" if plain(measure) else f"LEAST({count}, 1)"]
        case Shape.ROWS:
            return [f"{count} * CAST({context.request.part} AS {width})"]
        case Shape.SUM:
            return [f"{first} * {count} + {total}"]
        case Shape.MEAN:
            return [total, f"{steps} * {count} - {total}"]
        case _:
            squares = f"COALESCE(q{number}, 0)"
            cross = f"{steps} * {total} - {squares}"
            return [squares, f"2 * ({cross})", f"{steps} * {steps} * {count} - 2 * {steps} * {total} + {squares}"]


def _weighed(context: PlacedRows, cell: str, have: str, measure: Measure) -> str:
    """The number itself, or what cap / have of it is, rounded toward 0."""
    if measure.shape is Shape.UNITS:
        return cell
    width = _width(context, measure)
    cap = context.whole(context.cap)
    number = f"CAST({cell} AS {width})"
    share = context.dialect.quotient(f"{number} * {cap}", have)
    if signed(measure):
        back = context.dialect.quotient(f"-({number}) * {cap}", have)
        share = f"CASE WHEN {cell} < 0 THEN -({back}) ELSE {share} END"
    return f"CASE WHEN {have} <= {cap} THEN {number} ELSE {share} END"


def _width(context: PlacedRows, measure: Measure) -> str:
    """Whole numbers that hold a unit's sum times the cap."""
    far = max(abs(measure.span.first), abs(measure.span.last), measure.span.steps, context.request.part)
    size = {Shape.SPREAD: measure.span.steps**2, Shape.PRODUCTS: measure.product_size}.get(measure.shape, far)
    return context.integer if size * context.cap < 1 << 30 else context.dialect.wide
