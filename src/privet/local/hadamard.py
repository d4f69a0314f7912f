"""Hadamard's matrix of +1 and -1, never written down: the sign at (x, y) is the parity of the ones that both have."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def odd_parity(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each number, from 0 to 2^62, has an odd number of ones.

    Example:
        >>> odd_parity(np.array([0, 1, 3, 7])).tolist()
        [False, True, False, True]
    """
    folded = numbers
    for bits in (32, 16, 8, 4, 2, 1):
        folded = folded ^ (folded >> bits)
    return (folded & 1).astype(np.bool_)


def hadamard_sums(cells: NDArray[Any]) -> NDArray[Any]:
    """For each x, the sum over y of the cell at y, with the sign at (x, y); along the last axis.

    The number of cells is a power of two; whole numbers stay exact (the fast transform, by halves).

    Example:
        >>> hadamard_sums(np.array([1, 2, 3, 4])).tolist()
        [10, -2, -4, 0]
    """
    sums = cells.copy()
    size = sums.shape[-1]
    width = 1
    while width < size:
        pairs = sums.reshape(*sums.shape[:-1], -1, 2, width)
        left, right = pairs[..., 0, :].copy(), pairs[..., 1, :]
        pairs[..., 0, :] += right
        pairs[..., 1, :] = left - right
        width *= 2
    return sums
