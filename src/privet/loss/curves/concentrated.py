"""Curves of mechanisms of which only a Rényi bound is known."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.curve import Array, LossCurve, rounded_up
from privet.loss.exact import Exact, exact, float_at_least, shortest


def converted_delta(order: Array | float, divergence: Array | float, epsilon: Array) -> Array:
    """Delta at epsilon of any mechanism with this Rényi divergence at this order > 1.

    Proof: (1 - e^(e-L))+ <= c e^((a-1)L) with the best constant c = e^(-(a-1)e) (1 - 1/a)^(a-1) / a; take the
        mean over L (Canonne, Kamath and Steinke 2020, Proposition 12; Asoodeh et al. 2020, Lemma 1).

    Example:
        >>> float(converted_delta(10.0, 1.0, np.array([1.918011]))[0].round(8))
        1e-05
    """
    less = np.asarray(order, dtype=np.float64) - 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        exponent = less * (divergence - epsilon) + less * np.log1p(-1.0 / (less + 1.0)) - np.log1p(less)
        delta = np.exp(np.minimum(np.nan_to_num(exponent, nan=0.0), 0.0) * (1 - 2.0**-48))
    return rounded_up(delta)


def concentrated_delta(rho: float, epsilon: Array) -> Array:
    """Delta at epsilon of any rho-zCDP mechanism: the best order for each epsilon.

    Proof: `converted_delta` at every order a; its logarithm is convex in a with derivative
        (2a - 1) rho - e + log(1 - 1/a), whose root a bisection finds. Any other order is valid too.
    """
    if rho == 0:
        return np.zeros_like(epsilon)
    low = np.full_like(epsilon, -60.0)
    high = np.log(1.0 + (np.minimum(epsilon, 1e9) + 1.0) / rho)
    for _ in range(60):
        middle = (low + high) / 2
        less = np.exp(middle)
        rising = (2 * less + 1) * rho - epsilon - np.log1p(1.0 / less) > 0
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    order = 1.0 + np.exp(high)
    return converted_delta(order, order * rho, epsilon)


@dataclass(frozen=True)
class ConcentratedCurve(LossCurve):
    """Any mechanism of which only rho-zCDP is known (Bun and Steinke 2016).

    Args:
        rho: >= 0; Rényi divergence at most rho * order, for every order.

    Privacy: the tight conversion at the best order.
    Proof: see `concentrated_delta`.

    Example:
        >>> ConcentratedCurve(0.5).removing(np.array([4.728388])).round(8)
        array([1.e-05])
    """

    __hash__ = LossCurve.__hash__

    rho: Exact

    def __post_init__(self) -> None:
        self._keep_exact("rho")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        return concentrated_delta(float(self.rho), epsilon)

    @property
    def known_by_renyi(self) -> bool:
        """It is the bound and nothing else."""
        return True

    def renyi(self, order: float) -> tuple[float, float]:
        """The definition."""
        value = float_at_least(exact(order, "order") * Fraction(self.rho))
        return value, value

    def zcdp(self) -> float:
        """The definition."""
        return float_at_least(Fraction(self.rho))

    def grouped(self, size: int) -> LossCurve:
        """Bun and Steinke 2016, Proposition 27: rho grows with the square of the size."""
        return ConcentratedCurve(size**2 * Fraction(self.rho))

    @classmethod
    def fused(cls, parts: Iterable[tuple[Self, int]]) -> LossCurve:
        """Bun and Steinke 2016, Lemma 7: rho adds."""
        return ConcentratedCurve(sum((times * Fraction(curve.rho) for curve, times in parts), Fraction(0)))


@dataclass(frozen=True)
class RenyiBoundCurve(LossCurve):
    """Any mechanism of which one Rényi divergence is known.

    Args:
        order: > 1.
        divergence: >= 0, the bound at this order.

    Privacy: delta(e) = e^((a-1)(divergence - e)) (1 - 1/a)^(a-1) / a.
    Proof: see `converted_delta`.

    Example:
        >>> RenyiBoundCurve(order=10, divergence=1).removing(np.array([1.918011])).round(8)
        array([1.e-05])
    """

    __hash__ = LossCurve.__hash__

    order: Exact
    divergence: Exact

    def __post_init__(self) -> None:
        self._keep_exact("order", low=1)
        self._keep_exact("divergence")
        if self.order == 1:
            raise InvalidParameter("order must be > 1, got 1; at 1 the divergence does not bound delta")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        return converted_delta(float(self.order), float(self.divergence), epsilon)

    @property
    def known_by_renyi(self) -> bool:
        """It is the bound and nothing else."""
        return True

    def renyi(self, order: float) -> tuple[float, float]:
        """Divergences grow with the order: the bound holds up to its own order and says nothing above."""
        value = float_at_least(Fraction(self.divergence)) if exact(order, "order") <= Fraction(self.order) else math.inf
        return value, value

    @classmethod
    def fused(cls, parts: Iterable[tuple[Self, int]]) -> LossCurve | None:
        """At one order divergences add (Mironov 2017, Proposition 1)."""
        curves = list(parts)
        orders = {shortest(Fraction(curve.order)) for curve, _ in curves}
        if len(orders) > 1:
            return None
        total = sum((times * Fraction(curve.divergence) for curve, times in curves), Fraction(0))
        return RenyiBoundCurve(orders.pop(), total)
