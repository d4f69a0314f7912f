"""Gaussian: the mechanism for answers with a bounded Euclidean move."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from scipy import special

from privet.core import Sensitivity, Uncertainty
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP
from privet.loss import GaussianCurve, Guarantee, PrivacyLoss, calibrated_scale
from privet.loss.exact import Exact
from privet.loss.gaussian_privacy import gaussian_scale_classical
from privet.mechanisms.additive import BINARY, AdditiveNoise, positive
from privet.mechanisms.gaussian_promise import concentrated_ratio, promised
from privet.noise import GaussianLaw

ROOT = 1 + Fraction(1, 2**48)  # a root typed as a float, such as 2 ** 0.5, may lie this much below the real one


@dataclass(frozen=True)
class GaussianError(Uncertainty):
    """Gaussian noise of a standard deviation, rounded to a step.

    Args:
        scale: > 0; the standard deviation, in the answer's unit.
        step: the distance of two possible answers.

    Example:
        >>> error = GaussianError(scale=1)
        >>> round(error.margin(0.9), 6), round(error.margin(0.95, cells=11), 6)
        (1.644854, 2.830181)
    """

    scale: float
    step: float = 0.0

    def tail(self, distance: float) -> float:
        """Twice the normal tail, less half a step for the rounding."""
        size = max(distance - self.step / 2, 0.0) / self.scale
        return min(1.0, float(special.erfc(size / math.sqrt(2))) * (1 + 1e-12))

    def distance(self, tail: float) -> float:
        """The normal quantile of half the tail, plus half a step."""
        return -self.scale * float(special.ndtri(tail / 2)) * (1 + 1e-12) + self.step / 2


@dataclass(frozen=True, init=False, repr=False)
class Gaussian(AdditiveNoise):
    """Adds Gaussian noise to every coordinate.

    Args:
        l2_sensitivity: > 0; the largest Euclidean move between neighbors, in the input's unit.
        scale: > 0; the standard deviation of the noise, in the input's unit.
        promise: the (ε, δ) it was made for, where a ledger that counts ε and δ charges it; set by `calibrated`.

    Privacy: δ(ε) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) with μ = l2_sensitivity / scale: never pure DP, and (μ²/2)-zCDP.
    Proof: the noise is the same in every direction, so only the distance counts (Balle and Wang 2018, Theorem 8). It is
        drawn a part in 2^47 wider, so that a root rounded to a float is covered.
    Not covered: time.

    Example:
        >>> Gaussian.calibrated(epsilon=1, delta=1e-4, sensitivity=Sensitivity(1))
        Gaussian(l2_sensitivity=1, scale=3.18570299)
        >>> Gaussian.calibrated(rho=0.5, sensitivity=Sensitivity(1))
        Gaussian(l2_sensitivity=1, scale=1)
        >>> round(float(Gaussian.classical(epsilon=1, delta=1e-4, sensitivity=Sensitivity(1)).scale), 6)
        4.343612
    """

    l2_sensitivity: Fraction
    scale: Fraction
    promise: Guarantee | None = field(repr=False)

    def __init__(self, l2_sensitivity: Exact, scale: Exact, *, promise: Guarantee | None = None) -> None:
        self._keep(l2_sensitivity=positive(l2_sensitivity, "l2_sensitivity"), scale=positive(scale, "scale"))
        self._keep(promise=promise)
        self._refuse_broken_promise()

    @classmethod
    def calibrated(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
    ) -> "Gaussian":
        """Return the mechanism with the least noise for this sensitivity: (epsilon, delta)-DP, or rho-zCDP."""
        refuse_undeclared(sensitivity)
        promise = promised(epsilon, delta, rho, pure="Laplace")
        kept = promise if isinstance(promise, Guarantee) else None
        if isinstance(promise, Guarantee):
            ratio = Fraction(
                calibrated_scale(lambda scale: PrivacyLoss.of(GaussianCurve(1 / Fraction(scale))), promise)
            )
        else:
            ratio = concentrated_ratio(promise)
        return cls(sensitivity.l2, sensitivity.l2 * ratio, promise=kept)

    @classmethod
    def classical(cls, *, epsilon: Exact, delta: Exact, sensitivity: Sensitivity) -> "Gaussian":
        """Return the textbook's choice, for comparison: more noise than needed, and refused above ε = 1.

        σ = l2 √(2 ln(1.25/δ)) / ε is proven for ε <= 1 only (Dwork and Roth 2014, Theorem 3.22), and from about ε = 8
        on it is not private at δ = 1e-4.
        """
        refuse_undeclared(sensitivity)
        scale = gaussian_scale_classical(epsilon, delta=delta, l2_sensitivity=sensitivity.l2)
        return cls(sensitivity.l2, scale, promise=Guarantee(epsilon, delta))

    @property
    def noise_scale(self) -> Fraction:
        """The scale."""
        return self.scale

    def law(self, steps: Fraction) -> GaussianLaw:
        """Gaussian noise."""
        return GaussianLaw(steps * ROOT)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The Gaussian curve of l2_sensitivity / scale."""
        return PrivacyLoss.of(GaussianCurve(self.l2_sensitivity / self.scale))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L2, up to the rounding of a root."""
        return sensitivity.l2 <= self._reach

    @cached_property
    def _reach(self) -> Fraction:
        return self.l2_sensitivity * ROOT

    @cached_property
    def uncertainty(self) -> GaussianError:
        """Exact, for each coordinate."""
        return GaussianError(float(self.noise_scale * BINARY * ROOT) * UP, float(self.lattice.step))
