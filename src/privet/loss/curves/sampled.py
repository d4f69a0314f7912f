"""Sampled: privacy amplification by Poisson sampling."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.exact import Exact
from privet.loss.neighbors import Neighbors

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss


LARGE = 500.0  # beyond, e^epsilon - 1 is e^epsilon


@dataclass(frozen=True)
class SampledCurve(LossCurve):
    """A computation on a sample in which every unit takes part independently with probability `rate`.

    Args:
        inner: the loss of the computation on the sample, valid under ADD_REMOVE.
        rate: in (0, 1].

    Privacy: with P' = (1 - rate) Q + rate P the curves of (P', Q) and (Q, P') follow from those of (P, Q).
    Proof: removing: P' - e^e Q = rate (P - e^e' Q) with e^e' = 1 + (e^e - 1)/rate. Adding:
        Q - e^e P' = w (Q - (e^e rate/w) P) with w = 1 - (1 - rate) e^e, and nothing remains once w <= 0
        (Zhu, Dong and Wang 2022, Theorem 11). Only for units that come and go, hence not for REPLACE.

    Example:
        >>> from privet.loss import GaussianCurve, PrivacyLoss
        >>> round((PrivacyLoss.of(GaussianCurve(1)).sampled(0.01) * 1000).epsilon(delta=1e-6), 3)
        2.125
    """

    __hash__ = LossCurve.__hash__

    inner: "PrivacyLoss"
    rate: Exact

    def __post_init__(self) -> None:
        self._keep_exact("rate", high=1)

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One unit more or less."""
        return frozenset({Neighbors.ADD_REMOVE})

    @property
    def symmetric(self) -> bool:
        """Sampling makes the two directions differ."""
        return False

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit leaves."""
        rate = float(self.rate)
        near = np.log1p(np.expm1(np.minimum(epsilon, LARGE)) / rate)
        shifted = np.where(epsilon > LARGE, epsilon - math.log(rate), near) * (1 - 2.0**-50)
        return rounded_up(rate * self.inner.profile(shifted))

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit joins."""
        rate = float(self.rate)
        kept = np.minimum(epsilon, LARGE)
        weight = rate * np.exp(kept) * (1 + 2.0**-50) - np.expm1(kept)
        inside = weight > 0
        safe = np.where(inside, weight, 1.0)
        shifted = np.maximum(kept + np.log(rate / safe), 0.0) * (1 - 2.0**-50)
        return rounded_up(np.where(inside, safe * self.inner.profile(shifted, adding=True), 0.0))

    @property
    def largest_loss(self) -> Fraction | float:
        """log(1 + rate (e^loss - 1)); the other direction has less."""
        top, rate = float(self.inner.largest_loss), float(self.rate)
        if math.isinf(top) or self.rate in (0, 1):
            return self.inner.largest_loss if self.rate else 0
        return float(np.logaddexp(math.log1p(-rate), math.log(rate) + top)) * (1 + 2.0**-48)

    def renyi(self, order: float) -> tuple[float, float]:
        """Removing: the binomial sum at whole orders, in between the chord; adding: the same, or Jensen.

        Proof: E_Q[(1 - q + q P/Q)^a] expands into E_Q[(P/Q)^k] (Mironov, Talwar and Zhang 2019, Section 3.3);
            (a - 1) D_a is convex in a. For pairs that are their own mirror image the reverse divergence is
            smaller (same, Theorem 5); for others (1 - q + qr)^(1-a) <= 1 - q + q r^(1-a).
        """
        low = math.floor(order)
        share = order - low
        exponent = (1 - share) * self._whole(low) + (share * self._whole(low + 1) if share else 0.0)
        removing = exponent / (order - 1)
        if self.inner.symmetric:
            return removing, removing
        reverse = (order - 1) * self.inner.renyi_pair(order)[1]
        rate = float(self.rate)
        mixed = math.inf if math.isinf(reverse) else float(np.logaddexp(math.log1p(-rate), math.log(rate) + reverse))
        return removing, mixed / (order - 1)

    def _whole(self, order: int) -> float:
        """Log E_Q[(1 - q + q P/Q)^order] for a whole order."""
        rate, k = float(self.rate), np.arange(order + 1.0)
        if order <= 1:
            return 0.0
        inner = np.array([0.0, 0.0, *((j - 1) * self.inner.renyi_pair(float(j))[0] for j in range(2, order + 1))])
        if rate == 1 or math.isinf(inner[-1]):
            return float(inner[-1])
        choose = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
        terms = choose + (order - k) * math.log1p(-rate) + k * math.log(rate) + inner
        return max(0.0, float(terms.max() + np.log(np.exp(terms - terms.max()).sum())))
