"""DiscreteGaussian: Gaussian noise on whole numbers."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy import special

from privet.core import Sensitivity, Uncertainty
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP
from privet.errors import InvalidParameter
from privet.loss import (
    ConcentratedCurve,
    ConcentratedGuarantee,
    DiscreteGaussianCurve,
    Guarantee,
    PrivacyLoss,
    calibrated_scale,
)
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import positive
from privet.mechanisms.gaussian_promise import concentrated_ratio, promised
from privet.mechanisms.whole_noise import WholeNoise
from privet.noise import DiscreteGaussianLaw

SUMMED = 1000.0  # scales up to here are summed term by term; beyond, the bound is a part in a thousand away
ROUNDED = 1 + 1e-12  # more than a sum of so many terms loses


@dataclass(frozen=True)
class DiscreteGaussianError(Uncertainty):
    """Discrete Gaussian noise: Pr[k] is proportional to exp(-k² / (2 scale²)).

    Proof: Pr[K >= m] is at most Pr[N(0, scale²) >= m - 1] (Canonne, Kamath and Steinke 2020, Proposition 25), and for
        small scales the sum is taken term by term.
    """

    scale: float

    def tail(self, distance: float) -> float:
        """Pr[|K| > d], a sum up to a scale of 1,000, a bound beyond."""
        first = math.floor(max(distance, 0.0)) + 1
        if self.scale > SUMMED:
            return min(1.0, float(special.erfc((first - 1) / self.scale / math.sqrt(2))) * ROUNDED)
        weights = np.exp(-0.5 * (np.arange(first + math.ceil(40 * self.scale) + 2) / self.scale) ** 2)
        return min(1.0, float(2 * weights[first:].sum() / (2 * weights.sum() - 1)) * ROUNDED)

    def distance(self, tail: float) -> float:
        """The least whole distance whose tail is small enough."""
        high = math.ceil(-self.scale * float(special.ndtri(tail / 2))) + 1
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.tail(middle) <= tail else (middle, high)
        return float(high)


@dataclass(frozen=True, init=False, repr=False)
class DiscreteGaussian(WholeNoise):
    """Adds discrete Gaussian noise to whole numbers; answers are whole numbers.

    Args:
        l2_sensitivity: >= 1; the largest Euclidean move between neighbors.
        scale: > 0; Pr[k] is proportional to exp(-k² / (2 scale²)).
        cells: how many numbers one unit can move; 1 by default.
        per_cell: how far each of them can move, where that is known to be less than l2_sensitivity.
        promise: the (ε, δ) it was made for; set by `calibrated`.

    Privacy: (l2_sensitivity² / (2 scale²))-zCDP. If one number moves, or `per_cell` is known, the exact curve.
    Proof: Canonne, Kamath and Steinke 2020. Of the exact curve: a number that moves less far than `per_cell` is a
        post-processing of one that moves as far, since the noise is log-concave; so the worst neighbors move all
        `cells` by `per_cell`, and their losses are independent and add up.

    Example:
        >>> DiscreteGaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=Sensitivity(1))
        DiscreteGaussian(l2_sensitivity=1, scale=4.23077886, cells=1, per_cell=1)
    """

    l2_sensitivity: Fraction
    scale: Fraction
    cells: int
    per_cell: int | None
    promise: Guarantee | None = field(repr=False)

    def __init__(
        self,
        l2_sensitivity: Exact,
        scale: Exact,
        *,
        cells: int = 1,
        per_cell: int | None = None,
        promise: Guarantee | None = None,
    ) -> None:
        self._keep(l2_sensitivity=positive(l2_sensitivity, "l2_sensitivity"), scale=positive(scale, "scale"))
        self._keep(cells=whole(cells, "cells"), per_cell=per_cell and whole(per_cell, "per_cell"), promise=promise)
        if self.l2_sensitivity < 1:
            raise InvalidParameter(
                "l2_sensitivity must be >= 1, for whole numbers move by whole numbers: else use Gaussian"
            )
        self._refuse_broken_promise()

    @classmethod
    def calibrated(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
    ) -> "DiscreteGaussian":
        """Return the mechanism with the least noise for this sensitivity: (epsilon, delta)-DP, or rho-zCDP."""
        refuse_undeclared(sensitivity)
        promise = promised(epsilon, delta, rho, pure="DiscreteLaplace")
        length = max(sensitivity.l2, Fraction(1))
        if isinstance(promise, ConcentratedGuarantee):
            return cls(length, length * concentrated_ratio(promise), cells=sensitivity.cells)
        each = max(math.floor(sensitivity.linf), 1)

        def made(scale: float, promise: Guarantee | None = None) -> DiscreteGaussian:
            return cls(length, scale, cells=sensitivity.cells, per_cell=each, promise=promise)

        return made(calibrated_scale(lambda scale: made(scale).loss, promise), promise)

    @cached_property
    def law(self) -> DiscreteGaussianLaw:
        """The noise."""
        return DiscreteGaussianLaw(self.scale)

    @property
    def _per_cell(self) -> int | None:
        """How far each number can move, where that alone decides."""
        most = math.floor(self.l2_sensitivity)
        return most if self.cells == 1 else self.per_cell and min(self.per_cell, most)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve of the worst move, or what the Euclidean length alone bounds, whichever is known."""
        length, scale = self.l2_sensitivity, self.scale
        each = self._per_cell
        if each is None or length**2 < each**2 * self.cells:
            return PrivacyLoss.of(ConcentratedCurve(length**2 / (2 * scale**2)))
        return PrivacyLoss.of(DiscreteGaussianCurve(scale, each), self.cells)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L2, in the number of cells, and in how far each can move where that was declared."""
        if self.cells == 1 and sensitivity.cells > 1:
            return False
        fits = self.per_cell is None or math.floor(sensitivity.linf) <= self.per_cell
        return sensitivity.l2 <= self.l2_sensitivity and sensitivity.cells <= self.cells and fits

    @cached_property
    def uncertainty(self) -> DiscreteGaussianError:
        """Exact, for each number."""
        return DiscreteGaussianError(float(self.scale) * UP)
