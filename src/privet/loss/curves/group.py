"""Group: neighbors that are several units apart."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.neighbors import Neighbors


@dataclass(frozen=True)
class GroupCurve(LossCurve):
    """A mechanism seen by a group of units, when only its curve for one unit is known.

    Args:
        inner: the curve for one unit.
        size: how many units differ, >= 1.

    Privacy: delta_k(e) = delta(e/k) (e^e - 1) / (e^(e/k) - 1): delta grows with the group, not only epsilon.
    Proof: walk from D to D' in k steps; P_0 <= e^(e/k) P_1 + delta <= ... <= e^e P_k + delta sum_i e^(i e/k)
        (Dwork and Roth 2014, Theorem 2.2, whose definition with a fixed delta would be false).

    Example:
        >>> from privet.loss.curves.laplace import LaplaceCurve
        >>> float(GroupCurve(LaplaceCurve(1), 3).removing(np.array([3.0]))[0])
        0.0
    """

    __hash__ = LossCurve.__hash__

    inner: LossCurve
    size: int

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """Those of the inner curve."""
        return self.inner.neighbors

    @property
    def symmetric(self) -> bool:
        """As the inner curve."""
        return self.inner.symmetric

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon when the group leaves."""
        return self._grown(epsilon, self.inner.removing(epsilon / self.size))

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon when the group joins."""
        return self._grown(epsilon, self.inner.adding(epsilon / self.size))

    def _grown(self, epsilon: Array, delta: Array) -> Array:
        step = epsilon / self.size
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            growth = np.where(step > 0, np.expm1(epsilon) / np.expm1(step), self.size)
            growth = np.where(np.isfinite(growth), growth, np.exp(np.minimum(epsilon - step, 709.0)) * self.size)
            grown = np.where(delta > 0, delta * growth, 0.0)
        return rounded_up(np.where(np.isnan(grown), 1.0, grown))

    @property
    def largest_loss(self) -> Fraction | float:
        """A flat curve stays flat only where it is zero; the chain of pure losses adds up."""
        top = self.inner.largest_loss
        flat = self.inner.removing(np.array([np.inf]))[0] == 0 == self.inner.adding(np.array([np.inf]))[0]
        return self.size * top if flat else np.inf

    def grouped(self, size: int) -> LossCurve:
        """A group of groups is a larger group."""
        return GroupCurve(self.inner, size * self.size)
