"""DiscreteLaplace: Laplace noise on whole numbers, also called geometric."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privet.core import Sensitivity, Uncertainty
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP
from privet.errors import InvalidParameter
from privet.loss import DiscreteLaplaceCurve, PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms.additive import positive
from privet.mechanisms.whole_noise import WholeNoise
from privet.noise import DiscreteLaplaceLaw


@dataclass(frozen=True)
class DiscreteLaplaceError(Uncertainty):
    """Two-sided geometric noise: Pr[k] is proportional to exp(-|k| / scale).

    Example:
        >>> DiscreteLaplaceError(scale=2).margin(0.95)
        6.0
    """

    scale: float

    def tail(self, distance: float) -> float:
        """Pr[|K| > d] = 2 t^(m+1) / (1 + t) with t = exp(-1/scale) and m the whole part of d."""
        beyond = math.floor(max(distance, 0.0)) + 1
        return min(1.0, 2 * math.exp(-beyond / self.scale) / (1 + math.exp(-1 / self.scale)) * UP)

    def distance(self, tail: float) -> float:
        """The least whole distance whose tail is small enough; beyond 2^53, of those that floats tell apart."""
        ratio = math.log(2 / (tail * (1 + math.exp(-1 / self.scale))))
        least = max(0, math.ceil(self.scale * ratio - 1) - 1)
        step = max(1, int(math.ulp(float(least))))
        while self.tail(least) > tail:
            least += step
        return float(least)


@dataclass(frozen=True, init=False, repr=False)
class DiscreteLaplace(WholeNoise):
    """Adds two-sided geometric noise to whole numbers; answers are whole numbers.

    Args:
        l1_sensitivity: >= 1; the largest L1 move between neighbors.
        scale: > 0; Pr[k] is proportional to exp(-|k| / scale).

    Privacy: (l1_sensitivity / scale)-DP, under either neighbor relation for which the sensitivity holds.
    Proof: of one number moved by s: see `DiscreteLaplaceCurve`. In many dimensions a move of L1 length s is a walk of s
        unit steps. One step raises a set's chance p to at most J(p), the best raise in one dimension, slice by slice,
        because J is concave; and s such steps in one dimension along a half-line reach J(...J(p)), so one dimension is
        the worst. (Ghosh, Roughgarden and Sundararajan 2009 for the mechanism.)

    Example:
        >>> DiscreteLaplace(l1_sensitivity=1, scale=1).loss.epsilon(delta=0)
        1.0
        >>> round(DiscreteLaplace(l1_sensitivity=1, scale=1).variance, 6)
        1.841347
    """

    l1_sensitivity: Fraction
    scale: Fraction

    def __init__(self, l1_sensitivity: Exact, scale: Exact) -> None:
        self._keep(l1_sensitivity=positive(l1_sensitivity, "l1_sensitivity"), scale=positive(scale, "scale"))
        if self.l1_sensitivity < 1:
            raise InvalidParameter("l1_sensitivity must be >= 1: whole numbers move by whole numbers; else use Laplace")

    @classmethod
    def calibrated(cls, *, epsilon: Exact, sensitivity: Sensitivity) -> "DiscreteLaplace":
        """Return the mechanism with the least noise that is epsilon-DP for this sensitivity."""
        refuse_undeclared(sensitivity)
        moved = max(math.floor(sensitivity.l1), 1)
        return cls(moved, moved / positive(epsilon, "epsilon"))

    @property
    def variance(self) -> float:
        """2 t / (1 - t)² with t = exp(-1/scale)."""
        ratio = math.exp(-1 / float(self.scale))
        return 2 * ratio / (1 - ratio) ** 2

    @cached_property
    def law(self) -> DiscreteLaplaceLaw:
        """The noise."""
        return DiscreteLaplaceLaw(self.scale)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The discrete Laplace curve, exact."""
        return PrivacyLoss.of(DiscreteLaplaceCurve(self.scale, math.floor(self.l1_sensitivity)))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L1, in whole steps."""
        return math.floor(sensitivity.l1) <= self.l1_sensitivity

    @cached_property
    def uncertainty(self) -> DiscreteLaplaceError:
        """Exact, for each number."""
        return DiscreteLaplaceError(float(self.scale) * UP)
