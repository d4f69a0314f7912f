"""Sampled: privacy amplification by Poisson sampling."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.curves.sampled_renyi import sampled_renyi
from privet.loss.exact import Exact
from privet.loss.neighbors import Neighbors
from privet.loss.outward import log_sampled

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

    def unbounded(self, *, adding: bool) -> Fraction:
        """Removing: what is infinite must have been sampled. Adding: an answer without the unit is always possible."""
        return Fraction(0) if adding and self.rate != 1 else Fraction(self.rate) * self.inner.unbounded(adding=adding)

    @property
    def largest_loss(self) -> Fraction | float:
        """log(1 + rate (e^loss - 1)); the other direction has less."""
        top = self.inner.largest_loss
        if not self.rate:
            return Fraction(0)
        return top if top == math.inf or self.rate == 1 else log_sampled(Fraction(top), Fraction(self.rate))

    def renyi(self, order: float) -> tuple[float, float]:
        """At every order, whole or not; see `sampled_renyi`."""
        if self.rate in (0, 1) or not self.inner.parts:
            return self.inner.renyi_pair(order) if self.rate else (0.0, 0.0)
        return sampled_renyi(self, order)

    def zcdp(self) -> float:
        """That of the loss itself: mixing Q in lowers every divergence, which is convex, and high orders hardly."""
        return min(super().zcdp(), self.inner.zcdp())
