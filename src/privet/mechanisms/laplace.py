"""Laplace: the mechanism for answers with a bounded L1 move."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privet.core import Sensitivity, Uncertainty, calibrate
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP
from privet.loss import Guarantee, LaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms.additive import BINARY, AdditiveNoise, positive
from privet.noise import LaplaceLaw


@dataclass(frozen=True)
class LaplaceError(Uncertainty):
    """Laplace noise of a scale, rounded to a step.

    Args:
        scale: > 0, in the answer's unit.
        step: the distance of two possible answers.

    Example:
        >>> round(LaplaceError(scale=1).margin(0.9), 6)  # ln 10
        2.302585
    """

    scale: float
    step: float = 0.0

    def tail(self, distance: float) -> float:
        """exp(-distance / scale), less half a step for the rounding."""
        return min(1.0, math.exp(-max(distance - self.step / 2, 0.0) / self.scale) * UP)

    def distance(self, tail: float) -> float:
        """Scale times ln(1 / tail), plus half a step."""
        return -self.scale * math.log(tail) * UP + self.step / 2


@dataclass(frozen=True, init=False, repr=False)
class Laplace(AdditiveNoise):
    """Adds Laplace noise to every coordinate.

    Args:
        l1_sensitivity: > 0; the largest L1 move between neighbors, in the input's unit.
        scale: > 0; the mean size of the noise, in the input's unit. Its variance is 2 scale².

    Privacy: (l1_sensitivity / scale)-DP, under either neighbor relation for which the sensitivity holds; the curve
        δ(ε) is that of one number moved by the whole of l1_sensitivity, whatever the dimension.
    Proof: the density exp(-|z|/scale) changes by at most exp(|move|/scale) (Dwork, McSherry, Nissim and Smith 2006).
        For the curve: let g(t) be the chance of a set when the answer has moved a share t of its way. Its growth is
        at most the sum over coordinates of |move_i| times the boundary of a slice, in the Laplace measure at most
        min(p, 1 - p)/scale for a slice of chance p; that is concave, so by Jensen g' <= l1/scale min(g, 1 - g),
        with equality for half-lines in one dimension.
    Not covered: time.

    Example:
        >>> Laplace(l1_sensitivity=1, scale=2).loss.epsilon(delta=0)
        0.5
        >>> Laplace.calibrated(epsilon="0.5", sensitivity=Sensitivity(180_000)).scale  # one salary between 20k and 200k
        Fraction(360000, 1)
    """

    l1_sensitivity: Fraction
    scale: Fraction

    def __init__(self, l1_sensitivity: Exact, scale: Exact) -> None:
        self._keep(l1_sensitivity=positive(l1_sensitivity, "l1_sensitivity"), scale=positive(scale, "scale"))

    @classmethod
    def calibrated(cls, *, epsilon: Exact, sensitivity: Sensitivity, delta: Exact = 0) -> "Laplace":
        """Return the mechanism with the least noise that is (epsilon, delta)-DP for this sensitivity."""
        refuse_undeclared(sensitivity)
        promise = Guarantee(positive(epsilon, "epsilon") if not delta else epsilon, delta)
        if promise.delta:
            return calibrate(lambda scale: cls(sensitivity.l1, scale), promise)
        return cls(sensitivity.l1, sensitivity.l1 / promise.epsilon)

    @property
    def noise_scale(self) -> Fraction:
        """The scale."""
        return self.scale

    def law(self, steps: Fraction) -> LaplaceLaw:
        """Laplace noise."""
        return LaplaceLaw(steps)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The Laplace curve of l1_sensitivity / scale."""
        return PrivacyLoss.of(LaplaceCurve(self.l1_sensitivity / self.scale))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L1."""
        return sensitivity.l1 <= self.l1_sensitivity

    @cached_property
    def uncertainty(self) -> LaplaceError:
        """Exact, for each coordinate."""
        return LaplaceError(float(self.noise_scale * BINARY) * UP, float(self.lattice.step))
