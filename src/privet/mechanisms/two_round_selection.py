"""TwoRoundSelection: which groups are large enough to be named, where a unit may be in many."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, Guarantee, NamingCurve, PrivacyLoss, calibrated_scale
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import positive
from privet.mechanisms.key_order import in_order
from privet.mechanisms.partition_selection import LARGEST_COUNT
from privet.noise import BitSource, GaussianLaw
from privet.noise.lazy import Steps

Floats: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Callable[[Collection[Any]], Mapping[Any, int]]
STEPS = 1 << 20  # of a weight of 1
FIRST = Fraction(3, 10)  # the share of μ² in the first round
NAMED, NAMED_FIRST = (
    Fraction(2, 5),
    Fraction(1, 50),
)  # of δ: all for naming what is one unit's; of it, in the first round
HOPELESS = 1.0  # standard deviations: what weighs less in the first round has no second
WIDER = 1 + 2.0**-40  # more than the rounding of a tail or a binomial loses
MOST_GROUPS = 1 << 16
_COUNTED = np.arange(400.0)  # groups of one unit that remain, counted one by one


@dataclass(frozen=True, init=False, repr=False)
class TwoRoundSelection(Mechanism[Weights, tuple[Any, ...]]):
    """Names groups by Gaussian weights in two rounds; the second leaves out what is named, and what is hopeless.

    Args:
        mu: > 0; the noise of both rounds together: one Gaussian of standard deviation 1/mu.
        delta: in (0, 1); the most that one unit's own groups are named with.
        groups_per_unit: how many groups one unit can be in.
        promise: the (ε, δ) it was made for; set by `calibrated`.

    The input is a function: it is given the groups that are left out, and returns the weight of every other group that
    anybody is in, in steps of 2^-20. Each unit chooses its groups once, at most `groups_per_unit`, by itself; with t of
    them not left out it must give each the weight of `weight(t)` steps. It must not put others in the place of those
    that are left out: then whether many come to a group would depend on whether one was there before.

    Privacy: the loss is that of Gaussian noise at mu together with naming, with probability `delta`, what only one unit
        is in. One unit more or less only. What leaves is the names.
    Proof: docs/proofs/private-groups.md.
    Not covered: time; how many groups there are shows in it.

    Example:
        >>> selection = TwoRoundSelection.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(1, cells=10))
        >>> round(1 / float(selection.mu), 2), round(selection.threshold, 1)
        (3.84, 19.6)
    """

    mu: Fraction
    delta: Fraction
    groups_per_unit: int
    promise: Guarantee | None = field(repr=False)

    def __init__(self, mu: Exact, delta: Exact, *, groups_per_unit: int, promise: Guarantee | None = None) -> None:
        self._keep(mu=positive(mu, "mu"), delta=positive(delta, "delta"), promise=promise)
        self._keep(groups_per_unit=whole(groups_per_unit, "groups_per_unit"))
        if self.delta >= 1 or self.groups_per_unit > MOST_GROUPS:
            raise InvalidParameter(
                f"delta must be below 1 and groups_per_unit at most {MOST_GROUPS:,}: take fewer groups"
            )
        self._refuse_broken_promise()

    @classmethod
    def calibrated(cls, *, epsilon: Exact, delta: Exact, sensitivity: Sensitivity) -> "TwoRoundSelection":
        """Return the mechanism with the least noise that is (epsilon, delta)-DP for units in so many groups."""
        refuse_undeclared(sensitivity)
        promise = Guarantee(epsilon, positive(delta, "delta"))
        naming = PrivacyLoss.of(NamingCurve(NAMED * promise.delta))
        scale = calibrated_scale(lambda s: PrivacyLoss.of(GaussianCurve(1 / Fraction(s))) + naming, promise)
        groups = max(1, min(sensitivity.cells, math.floor(sensitivity.l1)))
        return cls(1 / Fraction(scale), NAMED * promise.delta, groups_per_unit=groups, promise=promise)

    @staticmethod
    def weight(groups: int) -> int:
        """What a unit in so many groups gives to each, in steps: 1/√groups, rounded down.

        Proof: the squares of t such weights add up to at most STEPS².
        """
        return math.isqrt(STEPS * STEPS // whole(groups, "groups"))

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Gaussian noise, and naming what is one unit's own."""
        return PrivacyLoss.of(GaussianCurve(self.mu)) + PrivacyLoss.of(NamingCurve(self.delta))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """True if a unit is once in each of its groups, and in no more of them than declared."""
        moved = max(1, min(sensitivity.cells, math.floor(sensitivity.l1)))
        return math.floor(sensitivity.linf) <= 1 and moved <= self.groups_per_unit

    @cached_property
    def first_threshold(self) -> float:
        """The weight above which a group is named in the first round."""
        share = float(self.delta * NAMED_FIRST / NAMED)
        deviation = self._deviation(FIRST)
        return _least(lambda height: _alone(height, deviation, self.groups_per_unit), share, deviation)

    @cached_property
    def threshold(self) -> float:
        """The weight, of both rounds together, above which a group is named in the second."""
        share = float(self.delta * (1 - NAMED_FIRST / NAMED))
        mu = float(self.mu)
        second = _SecondRound(mu, self._deviation(FIRST), self.first_threshold, self.groups_per_unit)
        return _least(second.chance, share, 1 / mu)

    def units_for(self, probability: float, *, groups: int = 1) -> int:
        """About how many units, each in so many groups that stay in both rounds, have a group named so often.

        Example:
            >>> selection = TwoRoundSelection("1/4", "4e-6", groups_per_unit=10)
            >>> selection.units_for(0.5), selection.units_for(0.95), selection.units_for(0.5, groups=10)
            (21, 27, 65)
        """
        needed = self.threshold + float(special.ndtri(probability)) / float(self.mu)
        return max(1, math.ceil(needed * math.sqrt(groups)))

    def _deviation(self, share: Fraction) -> float:
        """The standard deviation of a round with this share of μ²."""
        return 1 / (float(self.mu) * math.sqrt(share))

    def _noise(self, share: Fraction, size: int, source: BitSource) -> Steps:
        scale = STEPS / self.mu / Fraction(math.sqrt(share) * (1 - 2.0**-50))
        return GaussianLaw(scale).many(source, size)

    def sample(self, value: Weights, source: BitSource) -> tuple[Any, ...]:
        """The names of the groups that are large enough, sorted."""
        first = _steps(value(()))
        heights = dict(
            zip(first, (list(first.values()) + self._noise(FIRST, len(first), source)).tolist(), strict=True)
        )
        sure, hopeless = (
            math.ceil(self.first_threshold * STEPS) + 1,
            math.floor(HOPELESS * self._deviation(FIRST) * STEPS),
        )
        named = [key for key, height in heights.items() if height > sure]
        left_out = {key for key, height in heights.items() if height > sure or height < hopeless}
        second = {key: weight for key, weight in _steps(value(left_out)).items() if key not in left_out}
        if not second.keys() <= heights.keys():
            raise InvalidParameter("a unit must not count groups in the second round that it did not in the first")
        again = list(second.values()) + self._noise(1 - FIRST, len(second), source)
        top, whole_ = FIRST.numerator, FIRST.denominator
        enough = whole_ * (math.ceil(self.threshold * STEPS) + 1)
        for key, height in zip(second, again.tolist(), strict=True):
            if top * heights[key] + (whole_ - top) * height > enough:
                named.append(key)
        return tuple(key for key, _ in in_order((key, 1) for key in named))


def _steps(weights: Mapping[Any, int]) -> dict[Any, int]:
    """The groups that weigh anything, with numbers that noise can be added to."""
    return {key: min(int(weight), LARGEST_COUNT) for key, weight in weights.items() if weight > 0}


def _alone(height: float, deviation: float, groups: int) -> float:
    """The most, over t up to `groups`, that one of t groups of one unit alone is named with, in one round."""
    sizes = _sizes(groups)
    return float(np.max(sizes[1] * _tail((height - 1 / np.sqrt(sizes[0])) / deviation)))


@dataclass(frozen=True)
class _SecondRound:
    """What one unit's own groups can bring about in the second round.

    Args:
        mu: of both rounds.
        deviation: of the first round's noise.
        named: the first round's threshold.
        groups: how many a unit can be in.
    """

    mu: float
    deviation: float
    named: float
    groups: int

    def chance(self, height: float) -> float:
        """The most that one of a unit's own groups is named with, if it takes more than this height.

        Proof: docs/proofs/private-groups.md. Sizes t between two numbers of `_sizes` are counted as the larger where
            more groups are worse, and as the smaller where fewer are.
        """
        low, high = _sizes(self.groups)
        law = _binomial(low - 1, self._remaining(low), _COUNTED)
        tails = self._tail(height, 1 / np.sqrt(low)[:, None], _COUNTED[None, :] + 1.0)
        beyond = np.clip(1 - law.sum(axis=1), 0.0, 1.0) * self._tail(
            height, 1 / np.sqrt(low), np.full(1, len(_COUNTED))
        )
        return float(np.max(high * ((law * tails).sum(axis=1) + beyond)))

    def _remaining(self, low: Floats) -> Floats:
        """The least that a group of a unit, alone in so many and perhaps not alone in others, remains with."""
        dropped = special.ndtr(HOPELESS - 1 / math.sqrt(self.groups) / self.deviation)
        sure = _tail((self.named - 1 / np.sqrt(low)) / self.deviation)
        return np.asarray(np.clip(1 - dropped - sure, 0.0, 1.0))

    def _tail(self, height: float, weight: Floats, left: Floats) -> Floats:
        """How likely a group of this weight in the first round is named, of so many that are left in the second."""
        share = float(FIRST)
        return _tail(self.mu * (height - share * weight - (1 - share) / np.sqrt(left)))


@lru_cache(maxsize=64)
def _sizes(groups: int) -> tuple[Floats, Floats]:
    """Intervals of whole numbers up to `groups`, by both ends: each number up to 64, then wider by a twentieth."""
    low, high = [], []
    start = 1
    while start <= groups:
        end = min(groups, start if start < 64 else start + start // 20)  # noqa: PLR2004 - where a twentieth is some
        low.append(start)
        high.append(end)
        start = end + 1
    return np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)


def _tail(distance: Floats) -> Floats:
    """How likely a normal number is larger, from above."""
    return np.asarray(special.ndtr(-distance) * WIDER)


def _binomial(trials: Floats, chance: Floats, successes: Floats) -> Floats:
    """The binomial law, a row for each number of trials."""
    n, p, k = trials[:, None], chance[:, None], successes[None, :]
    logs = special.gammaln(n + 1) - special.gammaln(np.maximum(k, 0) + 1) - special.gammaln(np.maximum(n - k, 0) + 1)
    logs = logs + special.xlogy(np.maximum(k, 0), p) + special.xlog1py(np.maximum(n - k, 0), -p)
    return np.where((k >= 0) & (k <= n), np.exp(logs), 0.0)


def _least(chance: Callable[[float], float], most: float, unit: float) -> float:
    """The least height, up to a part in 10^9, at which a chance is not above the most; from above."""
    low, high = 0.0, unit
    while chance(high) > most:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) > most else (low, middle)
        if high - low <= 1e-9 * high:
            break
    return high
