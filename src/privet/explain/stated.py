"""Stated: what one loss lets an attacker do, in numbers that are all rounded against us."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from privet.loss import ApproximateCurve, PrivacyLoss
from privet.loss.divergences.inference import posterior_bounds
from privet.loss.exact import Exact, meant_by, shortest
from privet.loss.outward import float_up

DIGITS = Context(prec=4, rounding=ROUND_CEILING)
SHARES = (0.5, 0.1, 0.01)  # of a failure: any is valid, and the least level is taken
LARGE = 700  # e^ε of more is no float


@dataclass(frozen=True)
class Level:
    """(ε, δ) of a loss, and the best attacker's gain under it.

    Args:
        epsilon: an upper bound; infinite where there is none at this delta.
        delta: that belongs to it.
        advantage: true positives less false positives of the best test, at most.
    """

    epsilon: float
    delta: float
    advantage: float

    @classmethod
    def of(cls, loss: PrivacyLoss, *, delta: Exact) -> "Level":
        """The level of one loss."""
        return cls(loss.epsilon(delta), float_up(Fraction(delta)), loss.advantage())

    @classmethod
    def of_group(cls, loss: PrivacyLoss, size: int, *, delta: Fraction) -> "Level":
        """The level of `size` units at once; where no ε holds at this delta, k ε at the delta that then holds.

        Proof: two bounds of the gain hold: that of the group's curve at 0, and that of the (ε, δ) stated. The lesser
            one is taken.
        """
        group = loss.group(size)
        epsilon, level = group.epsilon(delta), delta
        if math.isinf(epsilon) and (one := loss.epsilon(delta)) < math.inf:
            epsilon = float_up(size * meant_by(one))
            level = Fraction(group.delta(epsilon))
        return cls._stated(group, epsilon, level)

    @classmethod
    def of_years(cls, loss: PrivacyLoss, years: int, *, delta: Fraction) -> "Level":
        """The level of as much once a year; where no ε holds at this delta, that at years times it."""
        total = loss * years
        epsilon, level = total.epsilon(delta), delta
        if math.isinf(epsilon) and years * delta < 1:
            level = years * delta
            epsilon = total.epsilon(level)
        return cls._stated(total, epsilon, level)

    @classmethod
    def _stated(cls, loss: PrivacyLoss, epsilon: float, delta: Fraction) -> "Level":
        gain = loss.advantage()
        if epsilon < LARGE and delta < 1:
            gain = min(gain, PrivacyLoss.of(ApproximateCurve(meant_by(epsilon), delta)).advantage())
        return cls(epsilon, min(float_up(delta), 1.0), gain)


@dataclass(frozen=True)
class Belief:
    """How far a belief about one unit can move.

    Args:
        prior: before.
        at_least: after, whatever is released.
        at_most: likewise.
        failure: each end may be passed with this probability; 0 where it never is.
    """

    prior: float
    at_least: float
    at_most: float
    failure: float


@dataclass(frozen=True)
class Accusation:
    """What a test for one unit finds.

    Args:
        false_alarms: its share of units accused that are not there.
        found: the share of units found that are there, at most.
    """

    false_alarms: float
    found: float


def raised(number: float) -> str:
    """An upper bound for people: to four digits, not below it.

    Example:
        >>> raised(0.31), raised(2.14159265), raised(3.71828e-06), raised(math.inf)
        ('0.31', '2.142', '3.719e-6', 'no limit')
    """
    if math.isinf(number):
        return "no limit"
    short = DIGITS.create_decimal(float.__repr__(float(number)))
    return shortest(Fraction(short))


def belief_level(loss: PrivacyLoss, *, failure: float) -> tuple[float, float]:
    """The most by which the logarithm of odds moves, and the probability with which it moves further.

    Of a bounded loss that is never; where the loss may be infinite with just this failure, twice the failure is taken.

    Proof: odds after = odds before times e^loss (Bayes), and P[loss > e'] <= delta(e)/(1 - e^(e - e')) for e < e'. Each
        end by itself: the other is passed where the reversed loss is as large.

    Example:
        >>> from privet.loss import LaplaceCurve
        >>> belief_level(PrivacyLoss.of(LaplaceCurve(1)), failure=1e-6)
        (1.0, 0.0)
    """
    level = loss.epsilon(0)
    if math.isfinite(level):
        return level, 0.0
    chance = failure if loss.unbounded() < Fraction(failure) / 2 else 2 * failure
    found = [loss.epsilon(chance * share) - math.log1p(-share) for share in SHARES]
    return min(found), chance


def beliefs(loss: PrivacyLoss, priors: Iterable[float], *, failure: float) -> Iterator[Belief]:
    """Each prior with its ends; the failure is as in `belief_level`."""
    level, chance = belief_level(loss, failure=failure)
    for prior in priors:
        low, high = posterior_bounds(prior, epsilon=level) if level < math.inf else (0.0, 1.0)
        yield Belief(prior, low, high, chance)


def accusations(loss: PrivacyLoss, rates: Iterable[float]) -> Iterator[Accusation]:
    """What a test with each rate of false alarms finds at most."""
    for rate in rates:
        yield Accusation(rate, min(1.0, math.nextafter(1.0 - loss.tradeoff(rate), math.inf)))
