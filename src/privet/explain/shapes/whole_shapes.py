"""Shapes of whole numbers: rounded noise, discrete Laplace, and whatever can be listed."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privet.errors import InvalidParameter
from privet.explain.shapes.shape import Floats, Shape, floats

NEAR = 1e-9  # a share that falls on a step but for rounding is on it


@dataclass(frozen=True)
class RoundedShape(Shape):
    """Continuous noise, rounded to the nearest whole number: what `LaplaceLaw`, `GaussianLaw` and `CauchyLaw` draw.

    Args:
        shape: before rounding.

    Example:
        >>> from privet.explain.shapes import LaplaceShape
        >>> round(float(RoundedShape(LaplaceShape(1)).density(0)), 6)  # 1 - e^(-1/2)
        0.393469
    """

    shape: Shape
    whole = True

    def density(self, at: ArrayLike) -> Floats:
        """What lies within half a step of a whole number; 0 at all others."""
        places = floats(at)
        inside = self.shape.cdf(places + 0.5) - self.shape.cdf(places - 0.5)
        return np.where(places == np.rint(places), inside, 0.0)

    def cdf(self, at: ArrayLike) -> Floats:
        """What lies below the next half."""
        return self.shape.cdf(np.floor(floats(at)) + 0.5)

    def _quantile(self, share: float) -> float:
        return float(math.ceil(self.shape.quantile(share) - 0.5 - NEAR))


@dataclass(frozen=True)
class DiscreteLaplaceShape(Shape):
    """P(k) = tanh(1/(2 scale)) exp(-|k| / scale): the two-sided geometric law.

    Args:
        scale: > 0.

    Example:
        >>> round(float(DiscreteLaplaceShape(1).density(0)), 6)
        0.462117
    """

    scale: float
    whole = True

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf:
            raise InvalidParameter(f"scale must be > 0, got {self.scale}")

    def density(self, at: ArrayLike) -> Floats:
        """The probability of a whole number; 0 at all others."""
        places = floats(at)
        likely = math.tanh(0.5 / self.scale) * np.exp(-np.abs(places) / self.scale)
        return np.where(places == np.rint(places), likely, 0.0)

    def cdf(self, at: ArrayLike) -> Floats:
        """Sums of geometric series."""
        places = np.floor(floats(at))
        ratio = math.exp(-1 / self.scale)
        tail = np.exp(-np.where(places < 0, -places, places + 1) / self.scale) / (1 + ratio)
        return np.where(places < 0, tail, 1 - tail)

    def _quantile(self, share: float) -> float:
        ratio = math.exp(-1 / self.scale)
        edge = -self.scale * math.log(min(share, 1 - share) * (1 + ratio))  # where a tail has just this share
        return float(-math.floor(edge + NEAR)) if share < 1 / 2 else float(max(math.ceil(edge - 1 - NEAR), 0))


@dataclass(frozen=True, eq=False)
class TableShape(Shape):
    """Whole numbers from `first` on, with these probabilities.

    Args:
        first: the first of them.
        weights: of each, >= 0, in proportion to their probabilities; those left out are 0.

    Example:
        >>> TableShape.of([1, 2, 1]).density([0, 1, 5]).tolist(), TableShape.of([1, 2, 1]).quantile(0.5)
        ([0.25, 0.5, 0.0], 1.0)
    """

    first: int
    weights: Floats
    whole = True

    @classmethod
    def of(cls, weights: Iterable[float], *, first: int = 0) -> "TableShape":
        """The shape with these weights."""
        listed = np.array(list(weights), dtype=np.float64)
        if not listed.size or not np.isfinite(listed).all() or listed.min() < 0 or not listed.sum():
            raise InvalidParameter("weights must be finite numbers >= 0, with at least one above 0")
        return cls(first, listed / listed.sum())

    @cached_property
    def _sums(self) -> Floats:
        return np.cumsum(self.weights)

    def density(self, at: ArrayLike) -> Floats:
        """The probability of a listed number; 0 at all others."""
        places = floats(at)
        row = np.clip(np.rint(places) - self.first, 0, len(self.weights) - 1).astype(np.intp)
        return np.where(places == row + self.first, self.weights[row], 0.0)

    def cdf(self, at: ArrayLike) -> Floats:
        """The sum up to a place."""
        row = np.floor(floats(at)) - self.first
        inside = self._sums[np.clip(row, 0, len(self.weights) - 1).astype(np.intp)]
        return np.where(row < 0, 0.0, np.minimum(inside, 1.0))

    def _quantile(self, share: float) -> float:
        row = int(np.searchsorted(self._sums, share * (1 - NEAR)))
        return float(self.first + min(row, len(self.weights) - 1))
