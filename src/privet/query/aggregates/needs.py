"""Needs: the fewest whole numbers that pay for all aggregates of a query, and how each column is read off them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.query.aggregates.rule import Added, DrawnNumbers
from privet.query.aggregates.scale import WIDEST_SQUARE
from privet.query.aggregates.table import rule_of
from privet.query.measures.automatic_bounds import ANYWHERE, PLACES, Ends
from privet.query.measures.cell_counts import CellCounts
from privet.query.measures.overflow import samples
from privet.query.measures.readings import Reading
from privet.query.measures.request import RANK_PLACES, REAL_STEPS, SQUARE_STEPS, Bounded, Measure, Shape, Span
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.statement import Aggregate
from privet.query.scalars.expressions import Column, Expression, facts_of
from privet.query.scalars.facts import Facts, Type

Family: TypeAlias = tuple[Expression | None, Expression | None]  # what is aggregated, and its FILTER
Found: TypeAlias = Mapping[Expression, Ends]  # bounds that were searched for
SHARED = {Added.ROWS, Added.VALUES, Added.SQUARES}  # what aggregates of one expression are read off together
MOMENTS = {Added.VALUES, Added.SQUARES}


@dataclass(frozen=True)
class Draw:
    """What one mechanism is run for.

    Args:
        measure: the numbers it draws around.
        fraction: of the quantile it chooses, for RANKS; each quantile of the same numbers is a draw of its own.
        confidence: of the interval that is drawn with the quantile, if one is.
        largest: of the limits that one is chosen from, where units are counted to find it (`aggregates/cap_needs.py`).
        joint: where RANKS are counts of cells, off which several columns are read: what is asked of them.
    """

    measure: Measure
    fraction: Fraction | None = None
    confidence: float | None = None
    largest: int | None = None
    joint: CellCounts | None = None

    @property
    def adds_noise(self) -> bool:
        """Whether noise is added to its numbers, and nothing chosen by them."""
        return not self.chooses and self.largest is None

    @property
    def cells(self) -> int:
        """How many numbers each group gets: a quantile with its two ends has three."""
        if self.joint is not None:
            return self.joint.sums
        return self.measure.cells if self.confidence is None else 3

    @property
    def chooses(self) -> bool:
        """Whether a place is chosen, and no noise is added."""
        return self.measure.shape is Shape.RANKS and self.joint is None


@dataclass(frozen=True, eq=False)
class Joined:
    """Counts that are read off one draw (`aggregates/joint_counts.py`).

    Args:
        places: of the draws that they would be else.
        draw: what is drawn for them.
        request: whose numbers it is around.
        weights: of each count: those of the numbers that are drawn.
        way: how, and why, in words.
    """

    places: tuple[int, ...]
    draw: Draw
    request: Bounded
    weights: tuple[tuple[float, ...], ...]
    way: str


@dataclass(frozen=True)
class Needs:
    """What an aggregation needs from the engine, and what it makes of it.

    Args:
        request: the sums of all measures but RANKS, for all groups.
        rankings: one request for each RANKS measure.
        draws: in the order in which they are released.
        readings: one for each released column, in the order of the aggregate's items.
        joined: counts that are read off one draw.
        apart: why other counts are not, if there are any.
        members: who is in which group, where groups are private: what they are named by in two rounds.
    """

    aggregate: Aggregate
    request: Bounded
    rankings: tuple[Bounded, ...]
    draws: tuple[Draw, ...]
    readings: tuple[Reading, ...]
    joined: tuple[Joined, ...] = ()
    apart: str = ""
    members: Bounded | None = None

    def request_of(self, draw: Draw) -> Bounded:
        """The request whose numbers a draw is around."""
        if draw.measure.shape is not Shape.RANKS:
            return self.request
        return next(each for each in self.rankings if each.measures == (draw.measure,))


ROWS, UNITS = Draw(Measure(Shape.ROWS)), Draw(Measure(Shape.UNITS))


def middle_needs(middle: Aggregate, ends: Ends = ANYWHERE) -> Needs:
    """The draw of a median between bounds that are searched for, at finer places than those of other quantiles."""
    ((column, item),) = middle.items
    span = Span.found(*ends, most=PLACES, summed=False)
    draw = Draw(Measure(Shape.RANKS, item.argument, item.condition, span, fine=True), fraction_of(item))
    request = request_of(middle, (draw.measure,))
    return Needs(middle, request_of(middle, ()), (request,), (draw,), (_reading(column, item, 0, draw, request.part),))


def needs_of(
    aggregate: Aggregate, *, found: Mapping[Expression, Ends] | None = None, quantiles_within: float | None = None
) -> Needs:
    """The draws and readings of an aggregation.

    Args:
        aggregate: what is asked.
        found: the bounds of arguments that are searched for. Before they are known any stand for them: moves in
            lattice steps are the same.
        quantiles_within: the confidence of intervals that are drawn with quantiles, if they are.

    Aggregates of one expression under one FILTER share their numbers: COUNT, SUM and AVG are read off two whose joint
    move is one row's (`Shape.MEAN`), with VARIANCE or STDDEV off three (`Shape.SPREAD`). COUNT(*) joins them if the
    expression is declared without NULLs. A lone SUM or COUNT has a number of its own, with less noise. Aggregates of
    the same two expressions share nine (`Shape.PRODUCTS`). Where a unit counts for one row in a private group, rows are
    counted as units are: that number may name groups as well; not where a limit of 1 was found later, as two draws that
    are paid for would become one.
    """
    families = _families(each for _, each in aggregate.items)
    ends = {search.argument: ANYWHERE for search in aggregate.searches} | dict(found or {})
    wanted = [_draw_of(each, families, ends, quantiles_within) for _, each in aggregate.items]
    if aggregate.selects and aggregate.limits.cap == 1 and not aggregate.limits.late:
        wanted = [UNITS if draw == ROWS else draw for draw in wanted]
    draws = tuple(dict.fromkeys(wanted))
    summed = tuple(draw.measure for draw in draws if draw.measure.shape is not Shape.RANKS)
    ranked = tuple(dict.fromkeys(draw.measure for draw in draws if draw.measure.shape is Shape.RANKS))
    request = request_of(aggregate, summed)
    readings = tuple(
        _reading(column, each, draws.index(draw), draw, request.part)
        for (column, each), draw in zip(aggregate.items, wanted, strict=True)
    )
    members = replace(request, measures=(), sample=False, members=True) if aggregate.selects else None
    rankings = tuple(request_of(aggregate, (one,)) for one in ranked)
    return Needs(aggregate, request, rankings, draws, readings, members=members)


def request_of(aggregate: Aggregate, measures: tuple[Measure, ...]) -> Bounded:
    """Units are held to so many groups wherever they are counted by group, and with groups_per_unit."""
    by_units = aggregate.selects or any(each.shape is Shape.UNITS for each in measures)
    held = bool(aggregate.keys) and (aggregate.limits.groups_per_unit is not None or by_units)
    request = Bounded(aggregate.source, aggregate.keys, aggregate.limits, measures, cap_groups=held)
    return replace(request, sample=samples(request))


def _families(wanted: Iterable[Aggregation]) -> dict[Family, set[Added]]:
    """What is added up of each expression under each FILTER; COUNT(*) counts as one of a COUNT it equals."""
    families: dict[Family, set[Added]] = {}
    rows = []
    for each in wanted:
        if each.function is Function.COUNT_ROWS:
            rows.append(each.condition)
        elif (added := rule_of(each).added) <= SHARED:
            families.setdefault((each.argument, each.condition), set()).update(added)
    for condition in rows:
        if (same := _never_null(families, condition)) is not None:
            families[same].add(Added.ROWS)
    return families


def _never_null(families: Mapping[Family, set[Added]], condition: Expression | None) -> Family | None:
    """A family that counts every row, because its expression is declared without NULLs."""
    for (argument, under), added in families.items():
        if argument is not None and under == condition and added & MOMENTS and not facts_of(argument).nullable:
            return argument, under
    return None


def _draw_of(
    wanted: Aggregation, families: Mapping[Family, set[Added]], found: Found, quantiles_within: float | None
) -> Draw:
    condition = wanted.condition
    added = rule_of(wanted).added
    if Added.UNITS in added:
        return Draw(Measure(Shape.UNITS, condition=condition))
    if Added.DISTINCT in added:
        return Draw(Measure(Shape.DISTINCT, wanted.argument, condition))
    if Added.RANKS in added:
        span = _span_of(wanted.argument, found, most=RANK_PLACES - 1)
        return Draw(Measure(Shape.RANKS, wanted.argument, condition, span), fraction_of(wanted), quantiles_within)
    if Added.PRODUCTS in added:
        first, second = (_span_of(each, found, most=SQUARE_STEPS) for each in wanted.arguments)
        return Draw(Measure(Shape.PRODUCTS, wanted.argument, condition, first, wanted.second, second))
    counts_rows = wanted.function is Function.COUNT_ROWS
    same = _never_null(families, condition) if counts_rows else (wanted.argument, condition)
    return Draw(Measure(Shape.ROWS, condition=condition)) if same is None else _moments(same, families[same], found)


def _moments(family: Family, added: set[Added], found: Found) -> Draw:
    argument, condition = family
    if Added.SQUARES in added:
        return Draw(Measure(Shape.SPREAD, argument, condition, _span_of(argument, found, most=SQUARE_STEPS)))
    if {Added.ROWS, Added.VALUES} <= added:
        return Draw(Measure(Shape.MEAN, argument, condition, _span_of(argument, found)))
    if Added.VALUES in added:
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
            'write CLIP(x, lower, upper), or pass automatic_bounds="auto" to pay for finding them'
        )
    if most == SQUARE_STEPS and max(abs(facts.low), abs(facts.high)) > 1 << WIDEST_SQUARE:
        raise InvalidParameter("an aggregate of squares has bounds too wide to square: write CLIP(x, low, high)")
    low, high = facts.low, facts.high
    if summed and low == high:  # a row adds a constant or nothing, and steps from 0 on are as fine as those of others
        low, high = min(low, Fraction(0)), max(high, Fraction(0))
    return Span.between(low, high, whole=facts.type is not Type.REAL, most=most)


def fraction_of(wanted: Aggregation) -> Fraction:
    """The quantile that answers it. MIN and MAX of people cannot be told; the outermost percent can."""
    if wanted.fraction is not None:
        return wanted.fraction
    return rule_of(wanted).fraction or Fraction(1, 2)


def _reading(column: Column, wanted: Aggregation, place: int, draw: Draw, part: int) -> Reading:
    read = rule_of(wanted).reading
    if read is None:
        raise InvalidParameter(f"{wanted.function.value} is computed within a unit alone: add the unit to GROUP BY")
    return read(
        wanted, DrawnNumbers(column, place, draw.measure, part, draw.fraction, drawn_ends=draw.confidence is not None)
    )
