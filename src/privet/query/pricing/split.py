"""Split: what takes part in a promise, with its weight and how far one unit moves it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privet.core import Sensitivity
from privet.loss import Neighbors
from privet.mechanisms.cap_choice import caps_up_to
from privet.query.aggregates.needs import Draw, Needs
from privet.query.measures.request import Measure, Shape, sensitivity
from privet.query.scalars.expressions import Column


@dataclass(frozen=True)
class Share:
    """A draw (or, without one, the selection of groups) that takes part in a promise.

    Args:
        stage: which of the paid ones.
        draw: whose mechanism is paid for.
        weight: its part of the promise, in proportion.
        moves: how far one unit moves its numbers.
        later: whether that is known only after a limit was found: then these stand for it, and the mechanism must cost
            the same whatever they are.
        rounds: of a selection, whether it may be made in two rounds.
    """

    stage: int
    draw: Draw | None
    weight: Fraction
    moves: Sensitivity
    later: bool = False
    rounds: bool = False

    @property
    def adds_noise(self) -> bool:
        """Whether noise is added to numbers."""
        return self.draw is not None and self.draw.adds_noise


def shares_of(
    stages: Sequence[tuple[str, Needs]],
    neighbors: Neighbors,
    copies: int,
    weights: Mapping[Column, Fraction],
    *,
    rounds: bool = True,
) -> list[Share]:
    """Every draw and selection of the stages, in order; in two rounds only where units come and go."""
    rounds = rounds and neighbors is Neighbors.ADD_REMOVE and copies == 1
    shares = []
    for place, (_, needs) in enumerate(stages):
        aggregate = needs.aggregate
        if aggregate.selects:
            moves = units_moved(needs, neighbors=neighbors, copies=copies)
            weight = _selection_weight(needs, weights)
            shares.append(Share(place, None, weight, moves, aggregate.limits.automatic, rounds=rounds))
        for number, draw in enumerate(needs.draws):
            readers = [each.column for each in needs.readings if each.draw == number]
            weight = sum((weights.get(column, Fraction(1)) for column in readers), Fraction(0))
            moves = draw_moved(needs, draw, neighbors=neighbors, copies=copies)
            shares.append(Share(place, draw, weight, moves, aggregate.limits.automatic))
    return shares


def draw_moved(needs: Needs, draw: Draw, *, neighbors: Neighbors, copies: int) -> Sensitivity:
    """How far one unit moves the numbers of a draw; of the choice of a limit see `measures/automatic_caps.py`."""
    if draw.largest is not None:
        return Sensitivity(copies, cells=len(caps_up_to(draw.largest)))
    if draw.joint is not None:
        return draw.joint.moves(needs.request_of(draw), neighbors=neighbors, copies=copies)
    return sensitivity(needs.request_of(draw), draw.measure, neighbors=neighbors, copies=copies)


def _selection_weight(needs: Needs, weights: Mapping[Column, Fraction]) -> Fraction:
    return max(weights.get(key.column, Fraction(1)) for key in needs.aggregate.keys if key.domain is None)


def weight_of(needs: Needs, weights: Mapping[Column, Fraction]) -> Fraction:
    """What a stage weighs in all: its columns, and the selection of groups if there is one."""
    columns = sum((weights.get(each.column, Fraction(1)) for each in needs.readings), Fraction(0))
    return columns + (_selection_weight(needs, weights) if needs.aggregate.selects else 0)


def units_moved(needs: Needs, *, neighbors: Neighbors, copies: int = 1) -> Sensitivity:
    """How far one unit moves the counts of units by group."""
    return sensitivity(needs.request, Measure(Shape.UNITS), neighbors=neighbors, copies=copies)


def total_of(shares: Sequence[Share]) -> Fraction:
    """What all weigh together."""
    return sum((share.weight for share in shares), Fraction(0))
