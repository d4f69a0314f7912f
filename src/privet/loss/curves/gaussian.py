"""Curves of Gaussian noise, continuous and discrete."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from privet.errors import InvalidParameter
from privet.loss.curve import ROUNDING, Array, LossCurve, rounded_up
from privet.loss.curves.concentrated import concentrated_delta
from privet.loss.exact import Exact, exact, float_at_least, whole

TABLE_SCALE = 20_000  # the widest discrete Gaussian whose tail is summed term by term
LARGE = 700.0  # e^epsilon beyond is not a float
UNDERFLOW = 38.5  # standard deviations beyond which a normal tail is below 1e-320


@dataclass(frozen=True)
class GaussianCurve(LossCurve):
    """Gaussian noise: N(mu, 1) against N(0, 1).

    Args:
        mu: >= 0; L2 sensitivity divided by the standard deviation of the noise.

    Privacy: delta(e) = Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu), exact.
    Proof: Balle and Wang 2018, Theorem 8. The pair is its own mirror image, so adding equals removing.
        With a, b the two arguments, e^e exp(-b^2/2) = exp(-a^2/2): in the tail both terms are computed
        as exp(-a^2/2) erfcx(.)/2, whose difference keeps its digits.

    Example:
        >>> GaussianCurve(1).removing(np.array([1.0])).round(6)
        array([0.126937])
    """

    __hash__ = LossCurve.__hash__

    mu: Exact

    def __post_init__(self) -> None:
        self._keep_exact("mu")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        mu = float(self.mu)
        if mu == 0:
            return np.zeros_like(epsilon)
        a = np.maximum(mu / 2 - epsilon / mu, -2 * UNDERFLOW)
        b = -mu / 2 - epsilon / mu
        low = np.minimum(a, 0.0)
        scale = 0.5 * np.exp(-low * low / 2) * (1 + ROUNDING * (1 + low * low))
        tail = scale * ((1 + ROUNDING) * erfcx(-low / math.sqrt(2)) - (1 - ROUNDING) * erfcx(-b / math.sqrt(2)))
        bulk = ndtr(a) - np.exp(np.minimum(epsilon, 1e6) + log_ndtr(b)) + ROUNDING
        return rounded_up(np.where(a < 0, tail, bulk))

    def renyi(self, order: float) -> tuple[float, float]:
        """Mironov 2017, Proposition 7: order mu^2 / 2."""
        value = float_at_least(exact(order, "order") * Fraction(self.mu) ** 2 / 2)
        return value, value

    def zcdp(self) -> float:
        """Bun and Steinke 2016, Proposition 6: mu^2 / 2."""
        return float_at_least(Fraction(self.mu) ** 2 / 2)

    def grouped(self, size: int) -> LossCurve:
        """The answers of neighbors k apart differ by k sensitivities."""
        return GaussianCurve(size * Fraction(self.mu))

    @classmethod
    def fused(cls, parts: Iterable[tuple[Self, int]]) -> LossCurve:
        """Independent Gaussian releases are one in a higher dimension, where only the distance counts."""
        square = sum((times * Fraction(curve.mu) ** 2 for curve, times in parts), Fraction(0))
        mu = math.sqrt(square)
        return GaussianCurve(Fraction(mu if Fraction(mu) ** 2 >= square else math.nextafter(mu, math.inf)))


@dataclass(frozen=True)
class DiscreteGaussianCurve(LossCurve):
    """Discrete Gaussian noise on whole numbers (Canonne, Kamath and Steinke 2020).

    Args:
        scale: > 0, in lattice steps: Pr[k] is proportional to exp(-k^2 / (2 scale^2)).
        sensitivity: how many whole steps one unit moves the answer, >= 1.

    Privacy: exact up to a scale of 20,000 steps; beyond, the bound of its concentrated DP.
    Proof: at shift s the loss (2 k s - s^2)/(2 scale^2) grows with k, so the worst set is a tail {k >= m},
        m = floor(e scale^2/s + s/2) + 1, and delta(e) = T(m - s) - e^e T(m) with T the tail sums.

    Example:
        >>> DiscreteGaussianCurve(scale=1).removing(np.array([1.0])).round(6)
        array([0.141351])
    """

    __hash__ = LossCurve.__hash__

    scale: Exact
    sensitivity: int = 1

    def __post_init__(self) -> None:
        self._keep_exact("scale")
        whole(self.sensitivity, "sensitivity", low=1)
        if self.scale == 0:
            raise InvalidParameter("scale must be > 0, got 0")

    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon."""
        scale = float(self.scale)
        shift = self.sensitivity
        if scale > TABLE_SCALE:
            return concentrated_delta(self.zcdp(), epsilon)
        tails = _tails(scale)
        edge = len(tails) // 2
        cut = np.minimum(epsilon * (scale * scale / shift) + shift / 2, 2.0 * edge + shift)
        first = np.floor(cut).astype(np.int64) + 1
        inside = _tail(tails, first - shift)
        outside = _tail(tails, first)
        lost = ROUNDING * max(1.0, scale / 64)
        grown = np.where(epsilon < LARGE, np.exp(np.minimum(epsilon, LARGE)) * outside, 0.0)
        return rounded_up(inside * (1 + lost) - grown * (1 - lost))

    @property
    def known_by_renyi(self) -> bool:
        """Beyond the table."""
        return self.scale > TABLE_SCALE  # type: ignore[operator] # kept exact

    def renyi(self, order: float) -> tuple[float, float]:
        """Canonne, Kamath and Steinke 2020, Proposition 5: at most that of the continuous Gaussian."""
        value = float_at_least(exact(order, "order") * self.sensitivity**2 / (2 * Fraction(self.scale) ** 2))
        return value, value

    def zcdp(self) -> float:
        """Canonne, Kamath and Steinke 2020, Theorem 4: sensitivity^2 / (2 scale^2)."""
        return float_at_least(self.sensitivity**2 / (2 * Fraction(self.scale) ** 2))

    @property
    def spacing(self) -> float:
        """Losses are odd or even multiples of sensitivity / (2 scale^2)."""
        return self.sensitivity / (2 * float(self.scale) ** 2)

    @property
    def atomic(self) -> bool:
        """The noise is discrete, so the loss is."""
        return True

    def grouped(self, size: int) -> LossCurve:
        """The answers of neighbors k apart differ by k sensitivities."""
        return DiscreteGaussianCurve(self.scale, size * self.sensitivity)


@lru_cache(maxsize=8)
def _tails(scale: float) -> Array:
    """Pr[X >= k] for k = -edge .. edge, summed from the far end so that small tails keep their digits."""
    edge = math.ceil(UNDERFLOW * scale) + 1
    weight = np.exp(-0.5 * (np.arange(-edge, edge + 1) / scale) ** 2)
    sums = np.cumsum(weight[::-1])[::-1]
    result: Array = sums / sums[0]
    return result


def _tail(tails: Array, index: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Array:
    position = index + len(tails) // 2
    inside = tails[np.clip(position, 0, len(tails) - 1)]
    result: Array = np.where(position >= len(tails), 0.0, inside)
    return result
