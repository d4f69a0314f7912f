"""Shapes of continuous noise, before it is rounded to steps: Laplace, Gaussian, Cauchy, staircase."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from privet.errors import InvalidParameter
from privet.explain.shapes.shape import Floats, Shape, floats


@dataclass(frozen=True)
class ScaledShape(Shape):
    """A shape that is known at center 0 and scale 1.

    Args:
        scale: > 0.
        center: where it is symmetric about.
    """

    scale: float = 1.0
    center: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf or not math.isfinite(self.center):
            raise InvalidParameter(f"scale must be > 0 and center finite, got {self.scale} and {self.center}")

    def density(self, at: ArrayLike) -> Floats:
        """That of the standard law, stretched."""
        return self._density((floats(at) - self.center) / self.scale) / self.scale

    def cdf(self, at: ArrayLike) -> Floats:
        """That of the standard law, stretched."""
        return self._cdf((floats(at) - self.center) / self.scale)

    def _quantile(self, share: float) -> float:
        return self.center + self.scale * self._standard_quantile(share)

    def _density(self, at: Floats) -> Floats:
        raise NotImplementedError

    def _cdf(self, at: Floats) -> Floats:
        raise NotImplementedError

    def _standard_quantile(self, share: float) -> float:
        raise NotImplementedError


class LaplaceShape(ScaledShape):
    """exp(-|x - center| / scale) / (2 scale); its variance is 2 scale².

    Example:
        >>> float(LaplaceShape(scale=10, center=10).density(15) / LaplaceShape(scale=10, center=20).density(15))
        1.0
    """

    def _density(self, at: Floats) -> Floats:
        return np.exp(-np.abs(at)) / 2

    def _cdf(self, at: Floats) -> Floats:
        beyond = np.exp(-np.abs(at)) / 2
        return np.where(at < 0, beyond, 1 - beyond)

    def _standard_quantile(self, share: float) -> float:
        return math.log(2 * share) if share < 1 / 2 else -math.log(2 * (1 - share))


class GaussianShape(ScaledShape):
    """The normal law: center is its mean, scale its standard deviation.

    Example:
        >>> round(GaussianShape().quantile(0.975), 6)
        1.959964
    """

    def _density(self, at: Floats) -> Floats:
        return np.exp(-at * at / 2) / math.sqrt(2 * math.pi)

    def _cdf(self, at: Floats) -> Floats:
        return np.asarray(ndtr(at))

    def _standard_quantile(self, share: float) -> float:
        return float(ndtri(share))


class CauchyShape(ScaledShape):
    """1 / (π scale (1 + ((x - center) / scale)²)): it has neither mean nor variance.

    Example:
        >>> round(CauchyShape().quantile(0.75), 12)
        1.0
    """

    def _density(self, at: Floats) -> Floats:
        return 1 / (math.pi * (1 + at * at))

    def _cdf(self, at: Floats) -> Floats:
        return 0.5 + np.arctan(at) / math.pi

    def _standard_quantile(self, share: float) -> float:
        return math.tan(math.pi * (share - 0.5))


@dataclass(frozen=True)
class StaircaseShape(Shape):
    """Flat stairs that fall by e^-epsilon at rise, rise + width, rise + 2 width, … on both sides (Geng and Viswanath).

    Args:
        epsilon: > 0.
        width: of a stair: the sensitivity.
        share: rise / width, in (0, 1]; the least expected size has 1 / (1 + e^(epsilon / 2)), which stands for None.
        center: where it is symmetric about.

    Example:
        >>> shape = StaircaseShape(epsilon=1)
        >>> [round(float(shape.density(x)), 6) for x in (0, 0.5, 1.5)]
        [0.521095, 0.1917, 0.070523]
    """

    epsilon: float
    width: float = 1.0
    share: float | None = None
    center: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < math.inf or not 0 < self.width < math.inf or not 0 < self._part <= 1:
            raise InvalidParameter("staircase noise needs epsilon > 0, width > 0 and a share in (0, 1]")

    @property
    def _part(self) -> float:
        return 1 / (1 + math.exp(self.epsilon / 2)) if self.share is None else self.share

    @property
    def _top(self) -> float:
        """The density of the middle stair."""
        down = math.exp(-self.epsilon)
        return (1 - down) / (2 * self.width * (self._part + down * (1 - self._part)))

    def density(self, at: ArrayLike) -> Floats:
        """The height of the stair."""
        stair = np.floor(np.abs(floats(at) - self.center) / self.width + 1 - self._part)
        return self._top * np.exp(-self.epsilon * stair)

    def cdf(self, at: ArrayLike) -> Floats:
        """Half, and the stairs between the center and the place."""
        away = floats(at) - self.center
        far = np.abs(away) / self.width + 1 - self._part
        stair = np.floor(far)
        later = np.exp(-self.epsilon * stair) / -math.expm1(-self.epsilon)  # all stairs from this one on
        beyond = self._top * self.width * (later - np.exp(-self.epsilon * stair) * (far - stair))
        return np.where(away < 0, beyond, 1 - beyond)

    def _quantile(self, share: float) -> float:
        beyond = min(share, 1 - share)
        low, high = 0.0, self.width
        while 1 - float(self.cdf(self.center + high)) > beyond:
            high *= 2
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if 1 - float(self.cdf(self.center + middle)) <= beyond else (middle, high)
        return self.center + math.copysign(high, share - 0.5)
