"""NoisyMoments: released sums of products, and how far each may be from the exact one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.core import Release
from privet.learn.features import BITS, Floats


@dataclass(frozen=True)
class NoisyMoments:
    """A symmetric matrix of sums of v v' over rows v = (1, x, y), plus noise.

    Args:
        matrix: the sums, where 1 is the product of two ones; neither definite nor within bounds, as noise has it.
        deviations: the standard deviation of each sum's noise.
        release: what left through the ledger.
        constant: whether v begins with 1.
        target: whether v ends with y.

    Privacy: everything here is computed from the released numbers and public ones.
    """

    matrix: Floats
    deviations: Floats
    release: Release[Any]
    constant: bool
    target: bool

    @classmethod
    def of(cls, release: Release[Any], deviations: Floats, *, constant: bool, target: bool) -> "NoisyMoments":
        """Return the sums of a released triangle in steps of 2^-30."""
        triangle = np.asarray(release.value, dtype=np.float64) / 4.0**BITS
        return cls(squared(triangle), squared(deviations), release, constant, target)

    @property
    def products(self) -> Floats:
        """Σ x x'."""
        here = self._features
        return self.matrix[here, here]

    @property
    def rows(self) -> float:
        """How many rows, roughly; may come out below 0."""
        if not self.constant:
            raise TypeError("the sums have no constant")
        return float(self.matrix[0, 0])

    @property
    def sums(self) -> Floats:
        """Σ x."""
        if not self.constant:
            raise TypeError("the sums have no constant")
        return self.matrix[0, self._features]

    @property
    def _features(self) -> slice:
        return slice(int(self.constant), len(self.matrix) - int(self.target))


def squared(triangle: Floats) -> Floats:
    """Return the symmetric matrix of an upper triangle, row by row.

    Example:
        >>> squared(np.array([1.0, 2.0, 3.0])).tolist()
        [[1.0, 2.0], [2.0, 3.0]]
    """
    width = int(np.sqrt(2 * len(triangle)))
    matrix = np.zeros((width, width))
    matrix[np.triu_indices(width)] = triangle
    full: Floats = matrix + np.triu(matrix, 1).T
    return full
