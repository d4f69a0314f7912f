"""Joint counts: counts of the same rows under several conditions become one draw, of cells that exclude each other.

A row is given the number of its cell by the engine: each condition that is true for it adds a public number of its own,
and the sum is looked up among those of the cells. Whatever the engine makes of a condition, a row has one sum, and so
one cell or none: how far it moves the counts of cells does not depend on which conditions exclude each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.postprocessing.chosen_strategy import ChosenStrategy, chosen_strategy
from privet.query.aggregates.needs import Draw, Joined, Needs, request_of
from privet.query.functions import call
from privet.query.functions.public_cells import Cells, public_cells
from privet.query.measures.cell_counts import CellCount, CellCounts
from privet.query.measures.readings import Count, Reading
from privet.query.measures.request import PART, Measure, Shape, Span
from privet.query.plan.relations import Owner, Project
from privet.query.plan.same_relation import exchanged
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in
from privet.query.scalars.facts import Facts, Type

POWERS = 60  # conditions up to which each adds a power of two of its own
PRIME = (1 << 51) - 129  # of more: numbers below it, whose sums stay below 2^62
FACTORS = range(3, 100)  # tried until no two cells have the same sum


def joint_counts(needs: Needs, *, gaussian: bool, weights: Mapping[Column, Fraction]) -> Needs:
    """The same needs with counts that have conditions about the same columns in one draw.

    Args:
        needs: of an aggregation.
        gaussian: whether noise is normal; else it is Laplace's.
        weights: of released columns, 1 if not named.
    """
    counts = [place for place, draw in enumerate(needs.draws) if draw.measure.shape is Shape.ROWS]
    if len(counts) == 1 or needs.aggregate.limits.automatic:  # what is found later sets the noise
        return needs
    joined, reasons = [], []
    for cells in public_cells([_condition(needs.draws[place].measure) for place in counts]):
        if isinstance(cells, str):
            reasons.append(cells)
        elif len(cells.conditions) > 1:
            places = tuple(counts[each] for each in cells.conditions)
            given = [_weight(needs, place, weights) for place in places]
            chosen = chosen_strategy(cells.patterns, gaussian=gaussian, weights=given)
            try:
                joined.append(_joined(needs, places, cells, chosen))
            except InvalidParameter:  # an expression has a largest size
                reasons.append("their conditions are too long to be asked together")
    return replace(with_joined(needs, joined), apart=reasons[0] if reasons else "")


def with_joined(needs: Needs, joined: Sequence[Joined]) -> Needs:
    """Needs in which some draws are taken together, as was found for the same ones before."""
    if not joined:
        return needs
    part_of = {place: each for each in joined for place in each.places}
    draws: list[Draw] = []
    now: dict[int, int] = {}
    for place, draw in enumerate(needs.draws):
        mine = part_of[place].draw if place in part_of else draw
        if mine not in draws:
            draws.append(mine)
        now[place] = draws.index(mine)
    summed = tuple(draw.measure for draw in draws if draw.measure.shape is not Shape.RANKS)
    request = request_of(needs.aggregate, summed)

    def read(reading: Reading) -> Reading:
        if reading.draw in part_of:
            return _reading(reading, now[reading.draw], part_of[reading.draw])
        moved = replace(reading, draw=now[reading.draw])
        return replace(moved, part=request.part) if isinstance(moved, Count) and moved.shape is Shape.ROWS else moved

    return replace(
        needs,
        request=request,
        rankings=(*needs.rankings, *(each.request for each in joined)),
        draws=tuple(draws),
        readings=tuple(read(each) for each in needs.readings),
        joined=tuple(joined),
    )


def _reading(reading: Reading, draw: int, joined: Joined) -> CellCount:
    row = joined.weights[joined.places.index(reading.draw)]
    return CellCount(reading.column, draw, Shape.ROWS, reading.span, PART, row, joined.way)


def _condition(measure: Measure) -> Expression | None:
    """Which rows a count is of; None: all."""
    if measure.argument is None:
        return measure.condition
    there = call("not", call("is_null", measure.argument))
    return there if measure.condition is None else call("and", measure.condition, there)


def _weight(needs: Needs, place: int, weights: Mapping[Column, Fraction]) -> float:
    return float(sum(weights.get(each.column, Fraction(1)) for each in needs.readings if each.draw == place))


def _joined(needs: Needs, places: tuple[int, ...], cells: Cells, chosen: ChosenStrategy) -> Joined:
    """One draw for these; the request counts rows by the number of their cell."""
    conditions = [_condition(needs.draws[place].measure) for place in places]
    added, sums = _numbered(cells.patterns)
    source = needs.aggregate.source
    owner = source.owner
    if owner is None:
        raise InvalidParameter("counts are of rows that somebody owns")
    used = dict.fromkeys([*owner.unit, *(each for key in needs.aggregate.keys for each in columns_in(key.expression))])
    renewed = {old: Column(old.name, old.facts) for old in used}
    number = _sum_of(conditions, added)
    total = Column("cell", Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(sum(added))))
    items = [*((new, Reference(old)) for old, new in renewed.items()), (total, number)]
    unit = Owner(tuple(renewed[each] for each in owner.unit), owner.limits)
    keys = tuple(replace(key, expression=exchanged(key.expression, renewed)) for key in needs.aggregate.keys)
    numbered = replace(needs.aggregate, source=Project(source, tuple(items), unit), keys=keys)
    branches = [
        part for place, each in enumerate(sums) for part in (call("eq", Reference(total), _whole(each)), _whole(place))
    ]
    place = call("case", *branches, Literal(None, Type.INTEGER))
    measure = Measure(Shape.RANKS, place, span=Span(Fraction(1), 0, max(len(sums) - 1, 1)))
    weights = tuple(tuple(map(float, row)) for row in chosen.strategy.readings(cells.patterns.astype(np.float64)))
    draw = Draw(measure, joint=CellCounts(chosen))
    return Joined(places, draw, request_of(numbered, (measure,)), weights, _way(places, cells, chosen))


def _numbered(patterns: NDArray[np.bool_]) -> tuple[list[int], list[int]]:
    """What each condition adds where it is true, and the sum in each cell; no two are equal, if that can be had.

    Cells that have one sum would be counted as one, which only makes answers worse.
    """
    many = len(patterns)
    ways = [[1 << place for place in range(many)]] if many <= POWERS else []
    ways += [[pow(factor, place + many, PRIME) for place in range(many)] for factor in FACTORS]
    for added in ways:
        sums = [sum(each for each, true in zip(added, column, strict=True) if true) for column in patterns.T]
        if len(set(sums)) == len(sums):
            return added, sums
    raise InvalidParameter("cells cannot be told apart")


def _sum_of(conditions: Sequence[Expression | None], added: Sequence[int]) -> Expression:
    """In halves, because parts of an expression may not lie deep inside one another."""
    if len(conditions) == 1:
        (condition,), (number,) = conditions, added
        return _whole(number) if condition is None else call("case", condition, _whole(number), _whole(0))
    half = len(conditions) // 2
    return call("add", _sum_of(conditions[:half], added[:half]), _sum_of(conditions[half:], added[half:]))


def _whole(number: int) -> Literal:
    return Literal(number, Type.INTEGER)


def _way(places: Sequence[int], cells: Cells, chosen: ChosenStrategy) -> str:
    """What is released, in words, and why."""
    alone = dict(chosen.others)["one by one"]
    return (
        f"read with {len(places) - 1} other counts off {chosen.name} of {cells.patterns.shape[1]} cells, which no row "
        f"shares: asked one by one they would err {alone:.3g} times as much"
    )
