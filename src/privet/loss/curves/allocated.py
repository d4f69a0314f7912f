"""Allocated: privacy amplification by taking part in one run, drawn at random, of several."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.curves.combined import WorstOfCurve
from privet.loss.curves.ratio_law import RatioLaw
from privet.loss.exact import whole
from privet.loss.neighbors import Neighbors
from privet.loss.pricing.grid import Direction

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss


@dataclass(frozen=True)
class AllocatedCurve(LossCurve):
    """Several runs; a unit takes part in exactly one, drawn for each unit by itself (balls and bins).

    Args:
        inner: the loss of a run that the unit is in, or not; valid under ADD_REMOVE.
        steps: how many runs there are; a later one may depend on what earlier ones gave.

    Privacy: delta(e) = E[(W - e^e)+] removing and E[(1 - e^e W)+] adding, where W is the mean of `steps` independent
        likelihood ratios of `inner` under the law without the unit. Exact, but for some parts in 1,000, if one run
        attains its curve.
    Proof: docs/proofs/allocation.md; and `RatioLaw` for the computation. No worse than taking part in a known run,
        because hockey sticks are convex.

    Example:
        >>> from privet.loss import GaussianCurve, PrivacyLoss
        >>> epoch = PrivacyLoss.of(GaussianCurve(1)).allocated(100)
        >>> round((epoch * 10).epsilon(delta=1e-6), 2)
        1.97
    """

    __hash__ = LossCurve.__hash__

    inner: "PrivacyLoss"
    steps: int

    def __post_init__(self) -> None:
        whole(self.steps, "steps", low=1)

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """One unit more or less."""
        return frozenset({Neighbors.ADD_REMOVE})

    @property
    def symmetric(self) -> bool:
        """Means of ratios make the two directions differ."""
        return False

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit leaves."""
        return self._limited(epsilon, _law(self).above(epsilon), adding=False)

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when a unit joins."""
        return self._limited(epsilon, _law(self).below(epsilon), adding=True)

    def _limited(self, epsilon: Array, found: Array, *, adding: bool) -> Array:
        """At most what a known run costs; nothing remains beyond its largest loss but what is infinite."""
        known = self.inner.profile(epsilon, adding=adding)
        return rounded_up(np.minimum(found, known))

    def unbounded(self, *, adding: bool) -> Fraction | None:
        """Removing: that of the run the unit is in. Adding: at most the same, as every run must tell."""
        known = self.inner.unbounded(adding=adding)
        return known if known == 0 or not adding else None

    @property
    def largest_loss(self) -> Fraction | float:
        """A mean of ratios is at most the largest of them."""
        return self.inner.largest_loss

    def renyi(self, order: float) -> tuple[float, float]:
        """At most those of a known run: Rényi divergence is quasi-convex (van Erven and Harremoës 2014, Theorem 13)."""
        removing, adding = super().renyi(order) if math.isfinite(self.largest_loss) else (math.inf, math.inf)
        known = self.inner.renyi_pair(order)
        return min(removing, known[0]), min(adding, known[1])

    def zcdp(self) -> float:
        """That of a known run, for the same reason."""
        return min(super().zcdp(), self.inner.zcdp())


@lru_cache(maxsize=64)
def _law(curve: AllocatedCurve) -> RatioLaw:
    return _single(curve.inner).mean_of(curve.steps)


@lru_cache(maxsize=64)
def _single(inner: "PrivacyLoss") -> RatioLaw:
    """The ratio of one run; of several at once by their composed curve."""
    ((first, times), *others) = inner.parts
    run = first if times == 1 and not others else WorstOfCurve((inner,))
    return RatioLaw.of(Direction(run, adding=False))
