"""Draws: textbook noise in floats, the way that is not safe. For broken mechanisms and their controls only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.noise import BitSource

Array = NDArray[np.float64]
UNIT = 2.0**-53


class Draws:
    """Many draws at once from a source of bits.

    Example:
        >>> from privet.noise import Entropy
        >>> Draws(Entropy()).laplace(1.0, 3, 2).shape
        (3, 2)
    """

    def __init__(self, source: BitSource) -> None:
        self._source = source

    def uniform(self, *shape: int) -> Array:
        """Multiples of 2^-53 in [0, 1)."""
        words = self._source.words(int(np.prod(shape)))
        return np.asarray((words >> np.uint64(11)) * UNIT, dtype=np.float64).reshape(shape)

    def laplace(self, scale: float, *shape: int) -> Array:
        """The textbook's logarithm of a uniform, as numpy has it."""
        uniform = self.uniform(*shape)
        below = uniform < 0.5  # noqa: PLR2004 - half
        sides = np.where(below, 2 * uniform, 2 - 2 * uniform)
        return np.where(below, scale, -scale) * np.log(np.maximum(sides, UNIT))

    def exponential(self, scale: float, *shape: int) -> Array:
        """Minus the logarithm of a uniform."""
        return -scale * np.log1p(-self.uniform(*shape))

    def normal(self, deviation: float, *shape: int) -> Array:
        """Box and Muller's formula."""
        radius = np.sqrt(self.exponential(2.0, *shape))
        return deviation * radius * np.cos(2 * np.pi * self.uniform(*shape))

    def gumbel(self, *shape: int) -> Array:
        """Minus the logarithm of an exponential."""
        return -np.log(np.maximum(self.exponential(1.0, *shape), 1e-300))

    def coin(self, chance: float, *shape: int) -> NDArray[np.bool_]:
        """True with this probability."""
        return self.uniform(*shape) < chance

    def whole(self, below: int, *shape: int) -> NDArray[np.int64]:
        """Whole numbers from 0, even to within 2^-40 for small bounds."""
        return np.floor(self.uniform(*shape) * below).astype(np.int64)

    def geometric(self, scale: float, *shape: int) -> NDArray[np.int64]:
        """Discrete Laplace noise: the difference of two geometric numbers."""
        one, other = (np.floor(self.exponential(scale, *shape)) for _ in range(2))
        return (one - other).astype(np.int64)


def repeated(value: Any, count: int) -> Array:  # noqa: ANN401 - a number or a row of them
    """The input once for each run."""
    row = np.asarray(value, dtype=np.float64)
    return np.broadcast_to(row, (count, *row.shape))
