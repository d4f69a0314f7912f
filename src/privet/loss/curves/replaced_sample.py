"""ReplacedSample: privacy amplification by sampling when a unit is replaced by another."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.loss.curve import ROUNDING, Array, LossCurve, rounded_up
from privet.loss.curves.sampled import SampledCurve
from privet.loss.exact import Exact
from privet.loss.neighbors import Neighbors

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss

LARGE = 700.0  # exponents up to here are floats
# where the best split is searched, and between it is interpolated
NEAREST = 1e-12
FARTHEST = 60.0
KNOTS = 768
# of Hölder's inequality, and up to which order it is tried
POWERS = (1.25, 1.5, 2.0, 3.0)
HIGHEST = 64.0
WIDTHS = ((45.0, 47), (2.0, 41), (0.1, 21))  # half widths of the search for log(s / (1 - s)), and how many are tried


@dataclass(frozen=True)
class ReplacedSampleCurve(LossCurve):
    """A computation on a sample that holds a unit with probability `rate`, when that unit is replaced by another.

    Args:
        inner: the loss of the computation when a unit is in the sample, or not; removing it and adding it.
        replaced: the loss of the computation when a unit in the sample is replaced by another.
        rate: in (0, 1].

    Privacy: delta(e) = rate min over s of s D(a/s) + (1 - s) D'(b/(1 - s)), b = e^e, a = (1/rate - 1)(e^e - 1), where D
        and D' are the hockey sticks of `inner` and `replaced` as functions of e^epsilon. Exact for Gaussian noise.
    Proof: docs/proofs/sampling.md. With R the law without the unit, P' = (1 - rate) R + rate P, and Q' likewise, so
        P' - e^e Q' = rate (P - a R - b Q) = rate ((s P - a R) + ((1 - s) P - b Q)), and the positive part of a sum is
        at most the sum of the positive parts. Every s from 0 to 1 will do. Exchanging P and Q gives the same bound.

    Example:
        >>> from privet.loss import GaussianCurve, PrivacyLoss
        >>> step = PrivacyLoss.of(GaussianCurve(1)).sampled(0.01, neighbors="replace")
        >>> round((step * 1000).epsilon(delta=1e-6), 2)
        3.21
    """

    __hash__ = LossCurve.__hash__

    inner: "PrivacyLoss"
    replaced: "PrivacyLoss"
    rate: Exact

    def __post_init__(self) -> None:
        self._keep_exact("rate", high=1)

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One unit replaced."""
        return frozenset({Neighbors.REPLACE})

    @cached_property
    def largest_loss(self) -> float:
        """Where a e^-A + b e^-B is 1, A and B being the largest losses of `inner` and `replaced`; if both are pure."""
        top = float(self.inner.largest_loss)
        twice = float(self.replaced.largest_loss)
        rate = float(self.rate)
        if math.isinf(top + twice) or self.inner.delta(math.inf) or self.replaced.delta(math.inf):
            return math.inf
        absent = math.log1p(-rate) - top if rate < 1 else -math.inf
        present = math.log(rate)
        grown = float(np.logaddexp(present, absent)) - float(np.logaddexp(present - twice, absent))
        return max(grown, 0.0) * (1 + ROUNDING)

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon; the same in both directions. Nothing remains beyond the largest loss."""
        if self.inner == self.replaced:  # both ratios equal is best, as the hockey stick is convex in the ratio
            found = self._bound(epsilon, self._log_absent(epsilon) - np.minimum(epsilon, LARGE))
        else:
            found = self._bound(epsilon, np.interp(np.log(np.maximum(epsilon, NEAREST)), *self._splits))
        top = float(self.largest_loss)
        if math.isfinite(top):  # pure losses end in a kink: there s is where one of the two has come to its end
            log_share = np.minimum(self._log_absent(epsilon) - float(self.inner.largest_loss), -(2.0**-40))
            log_rest = np.minimum(epsilon - float(self.replaced.largest_loss), -(2.0**-40))
            for odds in (log_share - _log_rest(log_share), _log_rest(log_rest) - log_rest):
                found = np.minimum(found, self._bound(epsilon, odds))
            found = np.where(epsilon >= top, 0.0, found)
        return rounded_up(found)

    def renyi(self, order: float) -> tuple[float, float]:
        """The least of what the curve says, of a mixture with no loss, and of the way over samples without the unit.

        Proof: E_Q'[(P'/Q')^a] is convex in the two laws together, so at most (1 - rate) + rate E_Q[(P/Q)^a]. And by
            Hölder's inequality D_a(P'|Q') <= (a - 1/p)/(a - 1) D_pa(P'|R) + D_b(R|Q'), b = (pa - 1)/(p - 1), for p > 1
            (Mironov 2017, Proposition 11): the two are those of `SampledCurve`. Bounded losses are told by the curve.
        """
        rate = float(self.rate)
        less = order - 1
        moment = less * max(self.replaced.renyi_pair(order))
        mixed = float(np.logaddexp(math.log1p(-rate), math.log(rate) + moment)) if rate < 1 else moment
        value = min(max(super().renyi(order)), max(mixed, 0.0) / less * (1 + ROUNDING))
        if order <= HIGHEST and math.isinf(self.largest_loss):
            over = SampledCurve(self.inner, self.rate)
            for p in POWERS:
                way = (order - 1 / p) / less * over.renyi(p * order)[0] + over.renyi((p * order - 1) / (p - 1))[1]
                value = min(value, way * (1 + ROUNDING))
        return value, value

    def zcdp(self) -> float:
        """That of a unit in the sample: P' and Q' mix their laws with a common one, which lowers every divergence."""
        return min(super().zcdp(), self.replaced.zcdp())

    def _log_absent(self, epsilon: Array) -> Array:
        """Log a."""
        with np.errstate(divide="ignore"):
            lift = np.log(np.expm1(np.minimum(epsilon, LARGE)))
        result: Array = lift + (math.log(float(1 / Fraction(self.rate) - 1)) if self.rate != 1 else -math.inf)
        return result

    def _bound(self, epsilon: Array, odds: Array) -> Array:
        """The bound for s / (1 - s) = e^odds, rounded up."""
        share = 1 / (1 + np.exp(-np.clip(odds, -LARGE, LARGE)))
        rest = 1 / (1 + np.exp(np.clip(odds, -LARGE, LARGE)))
        ratio = self._log_absent(epsilon) - np.log(share)
        ratio = np.maximum(ratio - 2.0**-48 * (1 + np.abs(ratio)), -LARGE)
        small = np.minimum(ratio, 0.0)
        inner = -np.expm1(small) + np.exp(small) * np.where(
            ratio < 0, self.inner.profile(-small, adding=True), self.inner.profile(np.maximum(ratio, 0.0))
        )
        grown = (np.minimum(epsilon, LARGE) - np.log(rest)) * (1 - 2.0**-48)
        other = self.replaced.profile(grown)
        if not self.replaced.symmetric:
            other = np.maximum(other, self.replaced.profile(grown, adding=True))
        result: Array = float(self.rate) * (share * inner + rest * other) * (1 + ROUNDING)
        return result

    @cached_property
    def _splits(self) -> tuple[Array, Array]:
        """Logarithms of epsilons, and the best odds of s there, on ever finer grids: the bound is convex in s."""
        logs = np.linspace(math.log(NEAREST), math.log(FARTHEST), KNOTS)
        best = np.zeros_like(logs)
        for width, number in WIDTHS:
            tried = best[:, None] + np.linspace(-width, width, number)
            bounds = self._bound(np.broadcast_to(np.exp(logs)[:, None], tried.shape), tried)
            best = np.take_along_axis(tried, np.argmin(bounds, axis=1)[:, None], axis=1)[:, 0]
        return logs, best


def _log_rest(log_share: Array) -> Array:
    """Log(1 - s) for log s < 0."""
    result: Array = np.log(-np.expm1(log_share))
    return result
