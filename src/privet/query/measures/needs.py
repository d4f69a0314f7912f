"""Measures: the fewest whole numbers that pay for all aggregates of a query, and how each column is read off them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.query.measures.automatic_bounds import FALLBACK, Ends
from privet.query.measures.overflow import samples
from privet.query.measures.readings import Average, Count, Deviation, Quantile, Reading, Total, Variance
from privet.query.measures.request import RANK_PLACES, REAL_STEPS, SQUARE_STEPS, Bounded, Measure, Shape, Span
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.statement import Aggregate
from privet.query.scalars.expressions import Column, Expression, facts_of
from privet.query.scalars.facts import Facts, Type

LEAST, MOST = Fraction(1, 100), Fraction(99, 100)  # what MIN and MAX are answered by
MOMENTS = {Function.SUM, Function.AVG, Function.VARIANCE, Function.STDDEV}
SPREADS = {Function.VARIANCE, Function.STDDEV}
Family: TypeAlias = tuple[Expression | None, Expression | None]  # what is aggregated, and its FILTER
Found: TypeAlias = Mapping[Expression, Ends]  # bounds that were searched for
RANKED = {Function.QUANTILE, Function.MINIMUM, Function.MAXIMUM}


@dataclass(frozen=True)
class Draw:
    """What one mechanism is run for.

    Args:
        measure: the numbers it draws around.
        fraction: of the quantile it chooses, for RANKS; each quantile of the same numbers is a draw of its own.
    """

    measure: Measure
    fraction: Fraction | None = None


@dataclass(frozen=True)
class Needs:
    """What an aggregation needs from the engine, and what it makes of it.

    Args:
        request: the sums of all measures but RANKS, for all groups.
        rankings: one request for each RANKS measure.
        draws: in the order in which they are released.
        readings: one for each released column, in the order of the aggregate's items.
    """

    aggregate: Aggregate
    request: Bounded
    rankings: tuple[Bounded, ...]
    draws: tuple[Draw, ...]
    readings: tuple[Reading, ...]

    def request_of(self, draw: Draw) -> Bounded:
        """The request whose numbers a draw is around."""
        if draw.measure.shape is not Shape.RANKS:
            return self.request
        return next(each for each in self.rankings if each.measures == (draw.measure,))


def needs_of(aggregate: Aggregate, *, found: Mapping[Expression, Ends] | None = None) -> Needs:
    """The draws and readings of an aggregation.

    Args:
        aggregate: what is asked.
        found: the bounds of arguments that are searched for. Before they are known any stand for them: moves in
            lattice steps are the same.

    Aggregates of one expression under one FILTER share their numbers: COUNT, SUM and AVG are read off two whose joint
    move is one row's (`Shape.MEAN`), with VARIANCE or STDDEV off three (`Shape.SPREAD`). COUNT(*) joins them if the
    expression is declared without NULLs. A lone SUM or COUNT has a number of its own, with less noise.
    """
    families = _families(each for _, each in aggregate.items)
    ends = {search.argument: FALLBACK for search in aggregate.searches} | dict(found or {})
    wanted = [_draw_of(each, families, ends) for _, each in aggregate.items]
    draws = tuple(dict.fromkeys(wanted))
    summed = tuple(draw.measure for draw in draws if draw.measure.shape is not Shape.RANKS)
    ranked = tuple(dict.fromkeys(draw.measure for draw in draws if draw.measure.shape is Shape.RANKS))
    request = _request(aggregate, summed)
    readings = tuple(
        _reading(column, each, draws.index(draw), draw, request.part)
        for (column, each), draw in zip(aggregate.items, wanted, strict=True)
    )
    return Needs(aggregate, request, tuple(_request(aggregate, (one,)) for one in ranked), draws, readings)


def _request(aggregate: Aggregate, measures: tuple[Measure, ...]) -> Bounded:
    """Units are held to so many groups wherever they are counted by group, and with groups_per_unit."""
    by_units = aggregate.selects or any(each.shape is Shape.UNITS for each in measures)
    held = bool(aggregate.keys) and (aggregate.limits.groups_per_unit is not None or by_units)
    request = Bounded(aggregate.source, aggregate.keys, aggregate.limits, measures, cap_groups=held)
    return replace(request, sample=samples(request))


def _families(wanted: Iterable[Aggregation]) -> dict[Family, set[Function]]:
    """Which functions are asked of each expression under each FILTER; COUNT(*) counts as one of a COUNT it equals."""
    families: dict[Family, set[Function]] = {}
    rows = []
    for each in wanted:
        if each.function in MOMENTS | {Function.COUNT}:
            families.setdefault((each.argument, each.condition), set()).add(each.function)
        elif each.function is Function.COUNT_ROWS:
            rows.append(each.condition)
    for condition in rows:
        if (same := _never_null(families, condition)) is not None:
            families[same].add(Function.COUNT)
    return families


def _never_null(families: Mapping[Family, set[Function]], condition: Expression | None) -> Family | None:
    """A family that counts every row, because its expression is declared without NULLs."""
    for (argument, under), functions in families.items():
        if argument is not None and under == condition and functions & MOMENTS and not facts_of(argument).nullable:
            return argument, under
    return None


def _draw_of(wanted: Aggregation, families: Mapping[Family, set[Function]], found: Found) -> Draw:
    function, condition = wanted.function, wanted.condition
    if function is Function.COUNT_UNITS:
        return Draw(Measure(Shape.UNITS, condition=condition))
    if function is Function.COUNT_DISTINCT:
        return Draw(Measure(Shape.DISTINCT, wanted.argument, condition))
    if function in RANKED:
        span = _span_of(wanted.argument, found, most=RANK_PLACES - 1)
        return Draw(Measure(Shape.RANKS, wanted.argument, condition, span), fraction_of(wanted))
    same = _never_null(families, condition) if function is Function.COUNT_ROWS else (wanted.argument, condition)
    return Draw(Measure(Shape.ROWS, condition=condition)) if same is None else _moments(same, families[same], found)


def _moments(family: Family, functions: set[Function], found: Found) -> Draw:
    argument, condition = family
    if functions & SPREADS:
        return Draw(Measure(Shape.SPREAD, argument, condition, _span_of(argument, found, most=SQUARE_STEPS)))
    if Function.AVG in functions or {Function.SUM, Function.COUNT} <= functions:
        return Draw(Measure(Shape.MEAN, argument, condition, _span_of(argument, found)))
    if Function.SUM in functions:
        return Draw(Measure(Shape.SUM, argument, condition, _span_of(argument, found, summed=True)))
    return Draw(Measure(Shape.ROWS, argument, condition))


def _span_of(argument: Expression | None, found: Found, *, most: int = REAL_STEPS, summed: bool = False) -> Span:
    """Where the argument may lie, from its declared, derived or found bounds; the engine clips to it."""
    if argument is not None and argument in found:
        low, high = found[argument]
        return Span.found(low, high, most=most, summed=summed)
    facts = Facts(Type.INTEGER) if argument is None else facts_of(argument)
    if facts.low is None or facts.high is None or facts.low > facts.high:
        raise InvalidParameter(
            "an aggregate needs bounds of what it is about: declare the column as [lower, upper] in the catalog, "
            "write CLIP(x, lower, upper), or pass automatic_bounds=0.2 to pay for finding them"
        )
    return Span.between(facts.low, facts.high, whole=facts.type is not Type.REAL, most=most)


def fraction_of(wanted: Aggregation) -> Fraction:
    """The quantile that answers it. MIN and MAX of people cannot be told; the outermost percent can."""
    if wanted.fraction is not None:
        return wanted.fraction
    return {Function.MINIMUM: LEAST, Function.MAXIMUM: MOST}.get(wanted.function, Fraction(1, 2))


def _reading(column: Column, wanted: Aggregation, place: int, draw: Draw, part: int) -> Reading:
    whole = column.facts.type is Type.INTEGER
    shape, span = draw.measure.shape, draw.measure.span
    match wanted.function:
        case Function.COUNT_ROWS | Function.COUNT | Function.COUNT_UNITS | Function.COUNT_DISTINCT:
            return Count(column, place, shape, span, part if shape is Shape.ROWS else 1)
        case Function.SUM:
            return Total(column, place, shape, span, whole=whole)
        case Function.AVG:
            return Average(column, place, shape, span)
        case Function.VARIANCE:
            return Variance(column, place, shape, span, sample=wanted.sample)
        case Function.STDDEV:
            return Deviation(column, place, shape, span, sample=wanted.sample)
        case Function.QUANTILE | Function.MINIMUM | Function.MAXIMUM:
            return Quantile(column, place, shape, span, fraction=fraction_of(wanted))
