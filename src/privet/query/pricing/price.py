"""Pricing: from a promise to one mechanism for each draw of a statement, and the price of all of them together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from privet.core import Sensitivity
from privet.core.mechanism import refuse_uncovered
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import (
    ConcentratedGuarantee,
    ExponentialCurve,
    Guarantee,
    Neighbors,
    PrivacyLoss,
    Promise,
)
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace, PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.chosen_way import ChosenWay
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import SHARES, GroupedInterval
from privet.mechanisms.promised_selection import PromisedSelection
from privet.mechanisms.two_round_selection import NAMED
from privet.query.aggregates.needs import Draw, Needs
from privet.query.measures.request import PART, Shape
from privet.query.options import Options
from privet.query.pricing.naming import (
    Chosen,
    counted_by_naming,
    error_of,
    gaussian_scale,
    in_rounds,
    named_alone,
    named_at_any_limit,
    named_in_rounds,
    named_with_counts,
    once,
    refuse_unnamed,
)
from privet.query.pricing.priced import Drawn, Naming, Priced, PricedStage
from privet.query.pricing.split import Share, shares_of, total_of
from privet.query.scalars.expressions import Column

Stages: TypeAlias = Sequence[tuple[str, Needs]]  # the name and the needs of each that is paid for
WHOLE = {Shape.ROWS, Shape.UNITS, Shape.DISTINCT, Shape.SUM, Shape.RANKS}  # one whole number a group, or sums of cells
ROUNDED = "in two rounds"
NAMINGS = ("by how many units they have", ROUNDED)
EXPONENTIAL = 8  # ρ times this is ε² of an exponential choice, or less where ε is large
LITTLE = Fraction(1, 10)  # up to this ρ it is not less
# of looking for a larger ε, and by how much it must be larger to go on
ROUNDS = 30
ENOUGH = Fraction("1.0005")
COARSER = 1 + Fraction(1, 10**9)  # by which noise is widened where a composed price is a rounding above the promise


def price(  # noqa: PLR0913 - all by name
    stages: Stages,
    options: Options,
    *,
    neighbors: Neighbors,
    copies: int = 1,
    weights: Mapping[Column, Fraction] | None = None,
    gaussian: bool | None = None,
    rounds: bool = True,
) -> Priced:
    """Choose mechanisms that together keep the promise.

    Args:
        stages: name and needs of each paid stage.
        options: what may be spent.
        neighbors: whether units come and go or are replaced.
        copies: engine units in one protected unit (see `sensitivity`).
        weights: of released columns and private keys, 1 if not named. Each brings its share; columns that are read
            off the same numbers bring theirs together.
        gaussian: which noise to use where there is a δ, if that is decided already.
        rounds: whether groups may be named in two rounds, for which the engine must list the units of groups.

    Privacy: pure: ε_i = ε w_i / Σw, with Laplace noise; a selection gets all of δ, and one that counts units
        too the count's share besides. With a δ the same, or Gaussian
        noise for all numbers, of which μ_i² = μ² w_i / Σw and μ is the largest that keeps their share of (ε, δ);
        whichever has the smaller expected error (`error_of`), which public numbers decide. A selection in two rounds
        takes part in the Gaussian noise, by its share of μ², beside which its naming costs two fifths of δ. With ρ:
        ρ_i = ρ w_i / Σw. What is returned was checked: the composed loss keeps the promise.
    """
    shares = shares_of(stages, neighbors, copies, weights or {}, rounds=rounds)
    if copies > 1 and any(share.draw is None for share in shares):
        raise InvalidParameter(
            "groups cannot be selected privately in windows of time: declare the values of the GROUP BY columns"
        )
    if isinstance(options.promise, ConcentratedGuarantee):
        return _concentrated(stages, shares, options, options.promise.rho)
    _refuse_without_delta(shares, options.promise)
    ways: dict[tuple[str, str], Chosen] = {}
    refuse_unnamed(shares)
    found_first = any(share.draw is None and share.later for share in shares)
    namings = NAMINGS if any(map(in_rounds, shares)) else NAMINGS[:1]
    for naming in (ROUNDED,) if found_first else namings:  # it costs the same whatever limit is found
        normal = _with_gaussian(shares, options.promise, in_two=naming == ROUNDED) if gaussian is not False else None
        if not gaussian or normal is None:
            ways["Laplace", naming] = _with_laplace(shares, options.promise, in_two=naming == ROUNDED)
        if normal is not None:
            ways["Gaussian", naming] = normal
    choices = _chosen({way: error_of(chosen) for way, chosen in ways.items()})
    best = min(ways, key=lambda way: error_of(ways[way]))
    return replace(_kept(stages, shares, options, ways[best]), choices=choices)


def _chosen(errors: Mapping[tuple[str, str], float]) -> tuple[ChosenWay, ...]:
    """Between kinds of noise, given how groups are named; and between ways to name them, each with its best noise."""
    naming = min(errors, key=lambda way: errors[way])[1]
    noises = {kind: error for (kind, way), error in errors.items() if way == naming}
    namings = {way: min(error for (_, other), error in errors.items() if other == way) for _, way in errors}
    found = [ChosenWay.least("noise", noises)]
    if len(namings) > 1:
        found.append(ChosenWay.least("naming groups", namings))
    return tuple(each for each in found if each.beside)


def _refuse_without_delta(shares: Sequence[Share], promise: Guarantee) -> None:
    if not promise.delta and any(share.draw is None for share in shares):
        raise InvalidParameter(
            "the groups are not public, so which are shown must be selected, and that needs a delta: pass delta=1e-6 "
            "or so, or declare the values of the GROUP BY columns in the catalog"
        )


def laplace_for(epsilon: Fraction, share: Share) -> Drawn:
    """Pure noise, or a choice, of this ε."""
    draw = share.draw
    if draw is None:
        raise TypeError("a selection draws no noise")
    if draw.chooses:
        return _choice(draw, share, epsilon)
    if draw.largest is not None:
        return CapChoice.calibrated(epsilon=epsilon, sensitivity=share.moves, largest=draw.largest)
    if draw.measure.shape in WHOLE and not share.later:  # what discrete noise costs depends on how far a unit moves it
        return DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=share.moves)
    return Laplace.calibrated(epsilon=epsilon, sensitivity=share.moves)


def _choice(draw: Draw, share: Share, epsilon: Fraction) -> GroupedChoice | GroupedInterval:
    fraction = draw.fraction or Fraction(0)
    places = draw.measure.span.steps + 1
    if draw.confidence is None:
        return GroupedChoice.calibrated(epsilon=epsilon, sensitivity=share.moves, fraction=fraction, places=places)
    return GroupedInterval.calibrated(
        epsilon=epsilon,
        sensitivity=share.moves,
        fraction=fraction,
        places=places,
        confidence=draw.confidence,
        part=PART,
    )


def _with_laplace(shares: Sequence[Share], promise: Guarantee, *, in_two: bool = False) -> Chosen:
    """Shares of ε for all; δ for the selections."""
    total = total_of(shares)
    named = _names(shares, promise, promise.delta, in_two=in_two)
    return [
        named[place] if place in named else laplace_for(promise.epsilon * share.weight / total, share)
        for place, share in enumerate(shares)
    ]


def _names(shares: Sequence[Share], promise: Guarantee, delta: Fraction, *, in_two: bool) -> dict[int, Naming]:
    """The mechanisms that name groups, by their places; those that count them too are in both places, at both shares.

    Args:
        shares: of everything.
        promise: whose ε is shared.
        delta: of all of them together.
        in_two: whether groups are named in two rounds where they can be.
    """
    total = total_of(shares)
    counted = counted_by_naming(shares)
    selections = [(place, share) for place, share in enumerate(shares) if share.draw is None]
    found: dict[int, Naming] = {}
    for place, share in selections:
        part = delta / len(selections)
        number = counted.get(place)
        epsilon = promise.epsilon * share.weight / total
        if in_two and in_rounds(share):
            mine = Guarantee(epsilon, part)
            found[place] = (
                named_at_any_limit(mine, share.moves.cells)
                if share.later
                else named_in_rounds(1 / gaussian_scale(mine, 1), NAMED * part, share.moves.cells)
            )
            continue
        if number is not None:
            joint = epsilon + promise.epsilon * shares[number].weight / total
            if (both := named_with_counts(joint, part, share.moves)) is not None:
                found |= {place: both, number: both}
                continue
        found[place] = named_alone(epsilon, part, share.moves)
    return found


def _with_gaussian(shares: Sequence[Share], promise: Guarantee, *, in_two: bool = False) -> Chosen | None:
    """Gaussian noise for all numbers, at their joint share of ε; half of δ for the selections if there are any.

    Selections in two rounds are Gaussian noise too, and have their part of the other half.
    """
    if not promise.delta:
        return None
    rounds = [place for place, share in enumerate(shares) if in_two and in_rounds(share)]
    others = [share for place, share in enumerate(shares) if place not in rounds]
    alone = sum(share.draw is None for share in others)
    named = {
        place: each
        for place, each in _names(shares, promise, promise.delta / 2, in_two=in_two).items()
        if place not in rounds
    }
    noisy = [
        share for place, share in enumerate(shares) if place in rounds or (place not in named and share.adds_noise)
    ]
    if len(noisy) == len(rounds):
        return None
    total, ours = total_of(shares), total_of(noisy)
    delta = promise.delta * (1 - Fraction(alone, 2 * (alone + len(rounds)))) if alone else promise.delta
    unit = gaussian_scale(Guarantee(promise.epsilon * ours / total, delta), len(rounds))
    chosen: list[Drawn | Naming] = []
    for place, share in enumerate(shares):
        if place in named:
            chosen.append(named[place])
        elif place in rounds:
            mu = 1 / (unit * root_above(ours / share.weight))
            chosen.append(named_in_rounds(mu, NAMED * delta / len(rounds), share.moves.cells))
        elif not share.adds_noise:
            chosen.append(laplace_for(promise.epsilon * share.weight / total, share))
        else:
            chosen.append(Gaussian(share.moves.l2, share.moves.l2 * unit * root_above(ours / share.weight)))
    return chosen


def _concentrated(stages: Stages, shares: Sequence[Share], options: Options, rho: Fraction) -> Priced:
    total = total_of(shares)
    chosen: list[Drawn | Naming] = []
    for share in shares:
        part = rho * share.weight / total
        if share.draw is None:
            raise InvalidParameter(
                "the groups are not public, so which are shown must be selected, which rho cannot price: ask with "
                "epsilon and delta, or declare the values of the GROUP BY columns in the catalog"
            )
        if share.draw.chooses:
            shared = (Fraction(1),) if share.draw.confidence is None else SHARES
            chosen.append(_choice(share.draw, share, _choice_epsilon(part, shared)))
        elif not share.adds_noise:
            chosen.append(laplace_for(1 / root_above(1 / (2 * part)), share))  # what is ε-DP is ε²/2-zCDP
        else:
            chosen.append(Gaussian.calibrated(rho=part, sensitivity=share.moves))
    return _kept(stages, shares, options, chosen)


@lru_cache(maxsize=256)
def _choice_epsilon(rho: Fraction, shares: tuple[Fraction, ...]) -> Fraction:
    """An ε at which exponential choices with these shares of it keep this ρ together, close to the largest.

    Proof: ε² / ρ(ε) of one choice does not fall as ε grows, so that of several does not. The ε whose square is ρ times
        that ratio at a smaller ε keeps ρ; the composed price is checked in any case.
    """
    epsilon = 1 / root_above(sum((share * share for share in shares), Fraction(0)) / (EXPONENTIAL * rho))
    if rho <= LITTLE:
        return epsilon
    for _ in range(ROUNDS):
        loss = sum_of(PrivacyLoss.of(ExponentialCurve(epsilon * share)) for share in shares)
        ratio = epsilon * epsilon / Fraction(repr(loss.zcdp()))
        last = epsilon
        epsilon = max(epsilon, Fraction(math.sqrt(ratio * rho)) / COARSER)
        if epsilon <= last * ENOUGH:
            break
    return epsilon


def _kept(stages: Stages, shares: Sequence[Share], options: Options, chosen: Chosen) -> Priced:
    """The stages with their mechanisms, after checking that together they keep what was asked."""
    for share, mechanism in zip(shares, chosen, strict=True):
        refuse_uncovered(mechanism, share.moves)
    counted = counted_by_naming(shares)
    widened = chosen
    for _ in range(64):
        loss = sum_of(mechanism.loss for mechanism in once(widened, counted))
        if _keeps(loss, options.promise):
            return Priced(options, _staged(stages, shares, widened), loss)
        widened = [_wider(mechanism) for mechanism in widened]
    raise InvalidParameter(f"no mechanisms keep {options.promise!r}: ask for more, or for fewer columns")


@lru_cache(maxsize=256)
def _keeps(loss: PrivacyLoss, promise: Promise) -> bool:
    if isinstance(promise, ConcentratedGuarantee):
        return Fraction(repr(loss.zcdp())) <= promise.rho
    return loss.meets(promise)


def _wider(mechanism: Drawn | Naming) -> Drawn | Naming:
    """The same with a part in a billion more noise: a composed price is rounded against us, once."""
    match mechanism:
        case Gaussian():
            return Gaussian(mechanism.l2_sensitivity, mechanism.scale * COARSER)
        case Laplace():
            return Laplace(mechanism.l1_sensitivity, mechanism.scale * COARSER)
        case DiscreteLaplace():
            return DiscreteLaplace(mechanism.l1_sensitivity, mechanism.scale * COARSER)
        case GroupedChoice() | GroupedInterval() | CapChoice():
            return replace(mechanism, epsilon=mechanism.epsilon / COARSER)
        case PartitionSelection() | PartitionCounts() | TwoRoundSelection():
            return _naming_less(mechanism)


def _naming_less(mechanism: Naming) -> Naming:
    """As `_wider`."""
    match mechanism:
        case PromisedSelection():
            kept = Guarantee(mechanism.kept.epsilon / COARSER, mechanism.kept.delta / COARSER)
            return named_at_any_limit(kept, mechanism.groups_per_unit)
        case TwoRoundSelection():
            return named_in_rounds(mechanism.mu / COARSER, mechanism.delta / COARSER, mechanism.groups_per_unit)
        case PartitionSelection() | PartitionCounts():
            return type(mechanism)(
                mechanism.epsilon / COARSER,
                mechanism.delta / COARSER,
                partitions_per_unit=mechanism.partitions_per_unit,
            )


def _staged(stages: Stages, shares: Sequence[Share], chosen: Chosen) -> tuple[PricedStage, ...]:
    found = []
    for place, (name, needs) in enumerate(stages):
        mine = [(share, each) for share, each in zip(shares, chosen, strict=True) if share.stage == place]
        selection = next((each for _, each in mine if isinstance(each, Naming)), None)
        units = next((share.moves for share, _ in mine if share.draw is None), Sensitivity(1))
        drawn = [(share, each) for share, each in mine if share.draw is not None and isinstance(each, Drawn)]
        moves = tuple(share.moves for share, _ in drawn)
        mechanisms = tuple(each for _, each in drawn)
        found.append(PricedStage(name, needs, moves, mechanisms, selection, units))
    return tuple(found)
