"""Caps: limits that are found first: what finding them weighs, which rank is aimed at, and the noise that follows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.mechanisms import Gaussian, Laplace, TwoRoundSelection
from privet.mechanisms.cap_choice import MOST_RANK, CapChoice
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.mechanisms.least_noise import expected_error
from privet.mechanisms.promised_selection import PromisedSelection
from privet.query.aggregates.needs import Needs, needs_of
from privet.query.measures.automatic_caps import groups_expected, share_for
from privet.query.measures.request import Shape
from privet.query.plan.limits import STAND_IN
from privet.query.pricing.naming import named_at_any_limit, named_in_rounds
from privet.query.pricing.priced import Drawn, Naming, PricedStage
from privet.query.pricing.split import draw_moved, units_moved, weight_of
from privet.query.scalars.expressions import Column

UNKNOWN_MEAN = 2  # the largest value over the mean one, of what is added up, where nobody knows it
DIGITS = 1000  # ranks are rounded up to parts of so many


def cap_weights(
    needs: Needs, search: Needs, weights: Mapping[Column, Fraction], *, share: Fraction | None = None
) -> dict[Column, Fraction]:
    """What finding the limit of a stage weighs beside the stage: a public share of both together."""
    part = share_for(groups_expected(needs.aggregate)) if share is None else share
    return {reading.column: weight_of(needs, weights) * part / (1 - part) for reading in search.readings}


def aimed(search: PricedStage, stage: PricedStage) -> PricedStage:
    """The search for the limit of a stage, with the rank that suits the stage's noise. It costs the same.

    Let N be how many units have more than the cap C, and G the number of groups. A larger cap counts N / G rows more in
    each group and adds noise that grows by what C adds to its mean size; the sum of both errors is least where the two
    are equal (docs/proofs/automatic-caps.md).
    """
    choice = choice_in(search)
    groups = groups_expected(stage.needs.aggregate)
    rooted = [_grows_as_root(stage, place) for place in range(len(stage.mechanisms))]
    falling = all(rooted)
    at = 1 if falling else STAND_IN
    ranks = [
        groups * _noise_of_one(stage, place) * (0.5 * math.sqrt(STAND_IN / at) if root else 1.0)
        for place, root in enumerate(rooted)
    ]
    rank = Fraction(math.ceil(min(sum(ranks) / max(len(ranks), 1), MOST_RANK) * DIGITS), DIGITS)
    return replace(search, mechanisms=(replace(choice, rank=min(rank, Fraction(MOST_RANK)), falling=falling),))


def choice_in(search: PricedStage) -> CapChoice:
    """The mechanism that finds a limit."""
    (choice,) = search.mechanisms
    if not isinstance(choice, CapChoice):
        raise TypeError("a limit is chosen")
    return choice


def _noise_of_one(stage: PricedStage, place: int) -> float:
    """The mean size of a draw's noise, over what STAND_IN rows or groups of a unit add, of each of which it is one."""
    moves = stage.sensitivities[place]
    mechanism = stage.mechanisms[place]
    shape = stage.needs.draws[place].measure.shape
    limits = stage.needs.aggregate.limits
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        noise = float(moves.l1 / mechanism.epsilon)
    else:
        noise = expected_error(mechanism)
    many = 1 if limits.of_rows and shape is not Shape.UNITS else STAND_IN
    more = UNKNOWN_MEAN if shape is Shape.SUM else 1
    if not limits.of_rows and limits.cap > 1 and shape is not Shape.UNITS:
        more *= UNKNOWN_MEAN  # of a group that is left out, not all rows would have counted
    return more * noise / float(moves.linf * many)


def _grows_as_root(stage: PricedStage, place: int) -> bool:
    """Whether a draw's noise grows as the root of the limit: Gaussian noise, on a number in each of so many groups."""
    in_groups = not stage.needs.aggregate.limits.of_rows or stage.needs.draws[place].measure.shape is Shape.UNITS
    return in_groups and isinstance(stage.mechanisms[place], Gaussian)


def capped(stage: PricedStage, cap: int, *, neighbors: Neighbors, copies: int) -> PricedStage:
    """The stage under the limit that was found: its noise is as much larger or smaller as a unit's reach is.

    Privacy: the loss of each mechanism is a function of reach over scale, or of its ε, and stays the very same.
    """
    aggregate = stage.needs.aggregate
    within = next((draw.confidence for draw in stage.needs.draws if draw.confidence is not None), None)
    limits = replace(aggregate.limits.found(cap), late=True)
    needs = needs_of(replace(aggregate, limits=limits), quantiles_within=within)
    moves = tuple(draw_moved(needs, draw, neighbors=neighbors, copies=copies) for draw in needs.draws)
    mechanisms = tuple(rescaled(each, far) for each, far in zip(stage.mechanisms, moves, strict=True))
    units = units_moved(needs, neighbors=neighbors, copies=copies) if aggregate.selects else stage.units
    return PricedStage(
        stage.name,
        needs,
        moves,
        mechanisms,
        None if stage.selection is None else _renamed(stage.selection, units),
        units,
    )


def _renamed(selection: Naming, units: Sensitivity) -> Naming:
    """At the same price, for units in so many groups: the same promise, or the same noise and chance of names."""
    if isinstance(selection, PromisedSelection):
        return named_at_any_limit(selection.kept, units.cells)
    if not isinstance(selection, TwoRoundSelection):
        raise TypeError("its price depends on how many groups a unit is in")
    return named_in_rounds(selection.mu, selection.delta, units.cells)


def rescaled(mechanism: Drawn, moves: Sensitivity) -> Drawn:
    """The same mechanism, at the same price, for numbers that move so far."""
    match mechanism:
        case Laplace():
            return Laplace(moves.l1, mechanism.scale * moves.l1 / mechanism.l1_sensitivity)
        case Gaussian():
            return Gaussian(moves.l2, mechanism.scale * moves.l2 / mechanism.l2_sensitivity)
        case GroupedChoice() | GroupedInterval():
            return replace(mechanism, l1_sensitivity=moves.l1)
        case _:
            raise TypeError("its price depends on how far a unit moves the number")


def refuse_together(stages: Sequence[tuple[str, Needs]], *, error: bool) -> None:
    """Raise where a limit cannot be found first."""
    for _, needs in stages:
        if needs.aggregate.limits.automatic and error:
            raise InvalidParameter(
                "error does not go with limits that are found first: how sure an answer is depends on them; say "
                "rows_per_unit, or what to spend"
            )
