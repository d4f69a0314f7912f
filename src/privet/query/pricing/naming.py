"""Naming: which groups are shown where they are private, and what that costs beside the numbers of a statement."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, Guarantee, NamingCurve, PrivacyLoss, calibrated_scale
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.least_noise import Noise, expected_error
from privet.mechanisms.partition_selection import bound_of
from privet.mechanisms.promised_selection import PromisedSelection
from privet.mechanisms.two_round_selection import MOST_GROUPS, NAMED
from privet.query.aggregates.needs import UNITS
from privet.query.pricing.priced import Drawn, Naming
from privet.query.pricing.split import Share

Chosen: TypeAlias = Sequence[Drawn | Naming]


def counted_by_naming(shares: Sequence[Share]) -> dict[int, int]:
    """Where groups are named by a number that is asked for anyway: the place of the naming, and that of the number."""
    units = {share.stage: place for place, share in enumerate(shares) if share.draw == UNITS}
    return {
        place: units[share.stage] for place, share in enumerate(shares) if share.draw is None and share.stage in units
    }


@lru_cache(maxsize=256)
def named_alone(epsilon: Fraction, delta: Fraction, moves: Sensitivity) -> PartitionSelection:
    """Names alone, at this price; dividing it among many groups is a search, and is asked for again and again."""
    return PartitionSelection.calibrated(epsilon=epsilon, delta=delta, sensitivity=moves)


@lru_cache(maxsize=256)
def named_with_counts(epsilon: Fraction, delta: Fraction, moves: Sensitivity) -> PartitionCounts | None:
    """Names and counts at one price; None where their noise cannot be drawn."""
    try:
        return PartitionCounts.calibrated(epsilon=epsilon, delta=delta, sensitivity=moves)
    except InvalidParameter:
        return None


def in_rounds(share: Share) -> bool:
    """Whether groups can be named in two rounds: units come and go, and may be in several."""
    return share.draw is None and share.rounds and 1 < share.moves.cells <= MOST_GROUPS


def refuse_unnamed(shares: Sequence[Share]) -> None:
    """Raise where a limit is found first and groups are private, but cannot be named at one price for every limit."""
    if any(share.draw is None and share.later and not in_rounds(share) for share in shares):
        raise InvalidParameter(
            "where groups are private a limit is found only if units come and go, not in windows of time, and not on "
            "Spark: say rows_per_unit, or declare the values of the GROUP BY columns in the catalog"
        )


@lru_cache(maxsize=256)
def named_in_rounds(mu: Fraction, delta: Fraction, groups: int) -> TwoRoundSelection:
    """Names in two rounds, at this noise; its thresholds are a search, and are asked for again and again."""
    return TwoRoundSelection(mu, delta, groups_per_unit=groups)


@lru_cache(maxsize=256)
def named_at_any_limit(promise: Guarantee, groups: int) -> PromisedSelection:
    """Names where a limit on groups is found first, at one price for all of them; its noise is a search."""
    return PromisedSelection(promise, groups_per_unit=groups)


@lru_cache(maxsize=256)
def gaussian_scale(promise: Guarantee, selections: int = 0) -> Fraction:
    """The least scale for a move of 1, beside so many selections in two rounds that share `NAMED` of δ."""
    named = sum_of(PrivacyLoss.of(NamingCurve(NAMED * promise.delta / selections)) for _ in range(selections))
    return Fraction(calibrated_scale(lambda s: PrivacyLoss.of(GaussianCurve(1 / Fraction(s))) + named, promise))


def once(chosen: Chosen, counted: Mapping[int, int]) -> list[Drawn | Naming]:
    """Every mechanism that is run: a count that names groups is run once."""
    drawn = set(counted.values())
    return [each for place, each in enumerate(chosen) if not (place in drawn and isinstance(each, PartitionCounts))]


def error_of(way: Chosen) -> float:
    """What a way errs by: the geometric mean of the errors of its numbers, as `typical_error` takes it, and its names.

    How many units a group must have to be named counts like the error of one number: both are numbers of units, and
    an answer is as good as its rows are many and its numbers sure. A quantile is passed over: every way has it.

    Privacy: it depends on public numbers only.
    """
    logs = [math.log(size) if size else -math.inf for each in way if (size := _size(each)) is not None]
    return math.exp(sum(logs) / len(logs)) if logs else 0.0


def _size(mechanism: Drawn | Naming) -> float | None:
    match mechanism:
        case PartitionSelection():
            return float(bound_of(mechanism.epsilon, mechanism.delta))
        case TwoRoundSelection():  # a unit in t groups gives each 1/√t; nobody knows t, so the middle of its ends
            return mechanism.threshold * (1 + math.sqrt(mechanism.groups_per_unit)) / 2
        case PartitionCounts():  # it stands there twice: once for the names, once for the numbers
            return math.sqrt(mechanism.largest_error * expected_error(mechanism.noise))
        case _:
            return expected_error(mechanism) if isinstance(mechanism, Noise) else None
