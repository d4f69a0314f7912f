"""Vectors in a ball: as shares of its radius, and replaced by vectors of full length with the same mean."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.weights import WHOLE

ROWS = 2  # axes of a table of vectors
Floats = NDArray[np.float64]


def rows_of(values: Any, dimensions: int) -> Floats:  # noqa: ANN401 - rows of numbers
    """The vectors as rows of numbers; a refusal names no value."""
    try:
        rows = np.asarray(values)
    except ValueError:
        rows = np.empty(0, dtype=np.object_)
    if rows.shape == (0,) and rows.dtype.kind == "f":
        return np.empty((0, dimensions))
    if rows.ndim != ROWS or rows.shape[1] != dimensions or rows.dtype.kind not in "iuf":
        raise InvalidParameter(f"values must be rows of {dimensions:,} numbers, one vector of each device")
    if not np.isfinite(rows).all():
        raise InvalidParameter("no number may be missing or infinite: let such devices report a public default")
    return rows.astype(np.float64, copy=False)


def shortened(rows: Floats, radius: float) -> Floats:
    """The vectors as shares of the radius, of length 1 at most; the largest floats are no trouble."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    directions = scaled / np.where(lengths > 0, lengths, 1.0)
    with np.errstate(over="ignore"):  # too long is 1
        shares: Floats = directions * np.minimum(largest / radius * lengths, 1.0)
    return shares


def full_length(shares: Floats, coins: NDArray[Any]) -> Floats:
    """Vectors of length 1 whose mean, over uniform coins below `WHOLE`, is the given one: forward or backward."""
    lengths = np.sqrt((shares**2).sum(axis=1))
    forward = coins < np.rint((1 + np.minimum(lengths, 1.0)) / 2 * WHOLE).astype(np.int64)
    axis = np.eye(1, shares.shape[1])
    ahead = np.where(lengths[:, None] > 0, shares / np.where(lengths > 0, lengths, 1.0)[:, None], axis)
    return np.where(forward, 1.0, -1.0)[:, None] * ahead
