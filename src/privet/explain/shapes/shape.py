"""Shape: what can be said of a law without drawing from it."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter

Floats = NDArray[np.float64]


class Shape(ABC):
    """A distribution of one number: how dense it is, how much lies below, and where a share of it ends.

    Privacy: shapes are for pictures and lessons, in float64; no loss and no draw depends on one.

    Example:
        >>> from privet.explain.shapes import LaplaceShape
        >>> noise = LaplaceShape(scale=1)
        >>> noise.density([0, 1]).round(6).tolist(), noise.cdf([0, 2]).round(6).tolist(), round(noise.quantile(0.9), 6)
        ([0.5, 0.18394], [0.5, 0.932332], 1.609438)
    """

    whole: bool = False  # True where only whole numbers can come: densities are then probabilities

    @abstractmethod
    def density(self, at: ArrayLike) -> Floats:
        """The density at each place; of whole numbers, the probability of each."""

    @abstractmethod
    def cdf(self, at: ArrayLike) -> Floats:
        """The probability of at most this, at each place."""

    @abstractmethod
    def _quantile(self, share: float) -> float:
        """The least place up to which at least this share lies, for a share in (0, 1)."""

    def quantile(self, share: float) -> float:
        """The least place up to which at least this share lies; a share between 0 and 1, both excluded."""
        if not 0 < share < 1:
            raise InvalidParameter(f"share must lie between 0 and 1, both excluded, got {share}")
        return self._quantile(float(share))


def floats(at: ArrayLike) -> Floats:
    """Places as an array of floats."""
    return np.asarray(at, dtype=np.float64)
