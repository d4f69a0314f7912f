"""The second price: what a statement costs, computed again from the SQL that the engine would run.

Nothing here uses `measures/request.py` or what it returned. Limits, clips and sizes are read back from the text
(`engine_text.py`), the moves of one unit follow from them, and the loss from the moves and the noise. If that is
not the very loss that would be reserved, nothing is charged and nothing is read.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    DiscreteLaplaceCurve,
    ExponentialCurve,
    GaussianCurve,
    LaplaceCurve,
    LossCurve,
    NamingCurve,
    Neighbors,
    PermuteAndFlipCurve,
    PrivacyLoss,
)
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace, PartitionCounts, TwoRoundSelection
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.mechanisms.promised_selection import PromisedSelection
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.measures.noise_margin import Noise
from privet.query.measures.request import Shape
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.second_price.cell_moves import sum_moves
from privet.query.second_price.engine_text import ReadNumbers, ReadRequest, read_back


@dataclass(frozen=True)
class Moves:
    """How far one protected unit moves the numbers of a measure: in sum, and as the crow flies."""

    l1: Fraction
    l2: Fraction


def refuse_another_price(quote: Quote, backend: Backend, catalog: Catalog) -> None:
    """Raise unless the price read off the engine's SQL is the price of the quote.

    Raises:
        InvalidParameter: before anything is charged or read.
    """
    try:
        found = second_loss(quote, backend, catalog)
    except RecursionError:
        raise InvalidParameter(
            "the statement is nested too deeply for the engine: nothing was run or charged, split it into simpler ones"
        ) from None
    if found != quote.loss:
        raise InvalidParameter(
            "the price of this statement, computed a second time from the engine's SQL, differs from the first, so "
            "nothing was run or charged: this is a defect of Privet, please report the statement"
        )


def second_loss(quote: Quote, backend: Backend, catalog: Catalog) -> PrivacyLoss:
    """The loss of all mechanisms on what the engine's SQL lets one unit do."""
    return sum_of(stage_loss(stage, backend, catalog) for stage in quote.stages)


def stage_loss(stage: PricedStage, backend: Backend, catalog: Catalog) -> PrivacyLoss:
    """The loss of the mechanisms of one stage on what the engine's SQL lets one unit do."""
    copies = 1 if catalog.window is None else catalog.window.length
    neighbors = catalog.unit.neighbors
    losses = []
    requests = (stage.needs.request, *stage.needs.rankings)
    read = [read_back(backend.text(each), backend.name) for each in requests]
    if isinstance(stage.selection, TwoRoundSelection):
        losses.append(_two_rounds(stage, stage.selection, backend, neighbors, copies))
    elif stage.selection is not None:
        times = _partitions(read[0][0], neighbors, copies)
        losses.append(PrivacyLoss.of(ApproximateCurve(stage.selection.epsilon, stage.selection.delta), times))
    for place, mechanism in enumerate(stage.mechanisms):
        request, numbers = _found(stage, place, read)
        if isinstance(mechanism, PartitionCounts):
            _refuse_other_counts(stage, mechanism, numbers)
            continue  # told with the names
        # how many units have more than a number: one that is replaced moves it no farther than one that comes
        relation = Neighbors.ADD_REMOVE if isinstance(mechanism, CapChoice) else neighbors
        moves = moves_of(request, numbers, neighbors=relation, copies=copies)
        if (joint := stage.needs.draws[place].joint) is not None:
            moves = _moves_of_sums(request, numbers, joint.chosen.strategy.asked, neighbors, copies)
        losses.append(_loss(mechanism, moves, request))
    return sum_of(losses)


def moves_of(request: ReadRequest, numbers: ReadNumbers, *, neighbors: Neighbors, copies: int) -> Moves:
    """The farthest that a protected unit moves the numbers of a measure in all groups.

    Proof: in a group a unit adds cells whose absolute values add up to `reach` at most: one row's size times the cap.
        It does so in as many groups as it is held to, or, where rows are counted over all groups, in all of
        them together. A unit replaced takes one such vector away and adds another; a single number then moves between
        the lowest and the highest sum.
    """
    times = 1 if numbers.by_unit else request.cap
    groups = _groups(request) if numbers.by_unit or not request.shared else 1
    reach = times * numbers.size
    span = times * (numbers.highest - numbers.lowest)
    if neighbors is Neighbors.ADD_REMOVE:
        l1 = groups * reach
        l2 = root_above(groups * reach * reach)
    elif not request.keyed and numbers.cells == 1 and not request.places:  # one number in all
        l1 = l2 = span
    else:
        l1 = 2 * groups * reach
        l2 = root_above(groups * max(span * span, 2 * reach * reach))
    return Moves(copies * l1, copies * l2)


def _moves_of_sums(
    request: ReadRequest, numbers: ReadNumbers, asked: NDArray[np.int64], neighbors: Neighbors, copies: int
) -> Moves:
    """The same for sums of counts by place."""
    if not request.places or numbers.cells != 1 or numbers.by_unit:
        raise InvalidParameter("the engine's SQL does not count rows by place: nothing was run or charged")
    l1, l2 = sum_moves(
        asked,
        reach=request.cap * numbers.size,
        groups=1 if request.shared else _groups(request),
        keyed=request.keyed,
        replaced=neighbors is not Neighbors.ADD_REMOVE,
    )
    return Moves(copies * l1, copies * l2)


def _groups(request: ReadRequest) -> int:
    if not request.keyed:
        return 1
    if request.groups is None:
        raise InvalidParameter(
            "a unit is held to no number of groups, so there is no price: nothing was run or charged"
        )
    return request.groups


def _partitions(request: ReadRequest, neighbors: Neighbors, copies: int) -> int:
    """How many counts of units one unit moves."""
    if not request.counts_units or copies > 1:
        raise InvalidParameter(
            "units are not counted by group, so groups cannot be selected: nothing was run or charged"
        )
    return _groups(request) * (1 if neighbors is Neighbors.ADD_REMOVE else 2)


def _two_rounds(
    stage: PricedStage, selection: TwoRoundSelection, backend: Backend, neighbors: Neighbors, copies: int
) -> PrivacyLoss:
    """Gaussian noise on weights of norm 1, and naming what is one unit's own, in no more groups than it is held to."""
    members = stage.needs.members
    read = () if members is None else read_back(backend.text(members), backend.name)
    if len(read) != 1 or not read[0].members or _groups(read[0]) > selection.groups_per_unit:
        raise InvalidParameter("units are in more groups than they are named for: nothing was run or charged")
    if neighbors is not Neighbors.ADD_REMOVE or copies > 1:
        raise InvalidParameter("two rounds hold for one unit more or less only: nothing was run or charged")
    if isinstance(selection, PromisedSelection):  # it refuses to be made unless it keeps this, in so many groups
        noise: LossCurve = ApproximateCurve(selection.kept.epsilon, selection.kept.delta)
        named = Fraction(0)
    else:
        noise, named = GaussianCurve(selection.mu), selection.delta
    return PrivacyLoss.of(noise) + PrivacyLoss.of(NamingCurve(named))


def _refuse_other_counts(stage: PricedStage, mechanism: PartitionCounts, numbers: ReadNumbers) -> None:
    """A count is told with the names only if it is the count of units that they are named by."""
    if mechanism != stage.selection or not numbers.by_unit or numbers.cells * numbers.size != 1:
        raise InvalidParameter("groups are named by another number than is told: nothing was run or charged")


def _found(stage: PricedStage, place: int, read: list[tuple[ReadRequest, ...]]) -> tuple[ReadRequest, ReadNumbers]:
    """What was read back for a draw: measures stand in the text as in the request, DISTINCT ones alone at the end."""
    draw = stage.needs.draws[place]
    needs = stage.needs
    if draw.measure.shape is Shape.RANKS:
        (request,) = read[1 + needs.rankings.index(needs.request_of(draw))]
        return request, request.numbers[0]
    order = sorted(needs.request.measures, key=lambda measure: measure.shape is Shape.DISTINCT)
    flat = [(request, numbers) for request in read[0] for numbers in request.numbers]
    if len(flat) != len(order):
        raise InvalidParameter("the engine's SQL adds up other numbers than were asked for: nothing was run or charged")
    return flat[order.index(draw.measure)]


def _loss(
    mechanism: Noise | GroupedChoice | GroupedInterval | CapChoice, moves: Moves, request: ReadRequest
) -> PrivacyLoss:
    match mechanism:
        case DiscreteLaplace():
            return PrivacyLoss.of(DiscreteLaplaceCurve(mechanism.scale, math.floor(moves.l1)))
        case Laplace():
            return PrivacyLoss.of(LaplaceCurve(moves.l1 / mechanism.scale))
        case Gaussian():
            return PrivacyLoss.of(GaussianCurve(moves.l2 / mechanism.scale))
        case CapChoice():
            return PrivacyLoss.of(PermuteAndFlipCurve(mechanism.epsilon * moves.l1 / mechanism.units))
        case GroupedInterval():
            return sum_of(_loss(choice, moves, request) for choice in mechanism.choices)
        case GroupedChoice():
            if request.places > mechanism.places:
                raise InvalidParameter(
                    "the engine ranks at more places than are chosen from: nothing was run or charged"
                )
            larger = max(mechanism.fraction, 1 - mechanism.fraction) * mechanism.fraction.denominator
            return PrivacyLoss.of(ExponentialCurve(2 * mechanism.rate * larger * moves.l1))
