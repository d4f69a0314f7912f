"""Nearest counts that are not negative and add up: post-processing of released numbers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.noise.lazy import Floats


def nonnegative(counts: ArrayLike) -> Floats:
    """Return the counts with negative ones raised to zero: the nearest point without negative cells.

    Example:
        >>> nonnegative([3, -1, 2]).tolist()
        [3.0, 0.0, 2.0]
    """
    return np.maximum(np.asarray(counts, dtype=np.float64), 0.0)


def with_total(counts: ArrayLike, total: float) -> Floats:
    """Return the nearest counts (in squares) that are not negative and add up to a total.

    Proof: the nearest point of a simplex is max(count - t, 0), with t such that the sum is right (Held, Wolfe and
        Crowder 1974); sorted, the cells above zero are the first ones.

    Example:
        >>> with_total([3, -1, 2], 6).tolist()
        [3.5, 0.0, 2.5]
    """
    cells = np.asarray(counts, dtype=np.float64)
    if not cells.size or not np.isfinite(cells).all():
        raise InvalidParameter("counts must be finite numbers, at least one")
    goal = max(float(total), 0.0)
    if goal == 0:
        return np.zeros_like(cells)
    ordered = np.sort(cells.ravel())[::-1]
    levels = (np.cumsum(ordered) - goal) / np.arange(1, ordered.size + 1)
    last = int(np.flatnonzero(ordered > levels)[-1])
    near: Floats = np.maximum(cells - levels[last], 0.0)
    near *= goal / float(near.sum())  # what float64 lost
    return near


def whole_numbers(cells: ArrayLike, total: int) -> NDArray[np.int64]:
    """Return whole numbers, each a cell rounded down or up, that add up to a total.

    The cells with the largest fractions are rounded up (ties: the first ones), so zero stays zero where it can.

    Example:
        >>> whole_numbers([3.5, 0.0, 2.5], 6).tolist()
        [4, 0, 2]
    """
    exact = np.asarray(cells, dtype=np.float64)
    floors = np.floor(exact + 1e-9)
    missing = int(total) - int(floors.sum())
    if not 0 <= missing <= exact.size:
        raise InvalidParameter(f"the cells must add up to the total {total}, up to rounding")
    order = np.argsort(-(exact - floors).ravel(), kind="stable")
    found: NDArray[Any] = floors.ravel()
    found[order[:missing]] += 1
    return found.astype(np.int64).reshape(exact.shape)
