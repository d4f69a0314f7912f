"""RowMap: what public maps of rows share: rows become whole numbers once, in few bytes, and are at most 1 long."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import Floats

BITS = 15  # mapped rows are multiples of 2^-15: they fit in 16 bits
INSIDE = 1 - 2.0**-40  # more than rounding can add to a row's length
Whole16 = NDArray[np.int16]


class RowMap(Protocol):
    """A map of each row by itself, from public numbers alone."""

    @property
    def width(self) -> int:
        """How many numbers a mapped row has."""

    @property
    def longest(self) -> float:
        """The largest of them."""

    def whole(self, rows: Floats) -> Whole16:
        """Return mapped rows in whole steps of 2^-15, each of length at most 1."""

    def unit(self, rows: NDArray[Any]) -> Floats:
        """Return rows that were mapped as multiples of 2^-15."""


def in_steps(rows: Floats) -> Whole16:
    """Rows below 1 as whole steps, rounded toward 0, which makes none longer; in place.

    Example:
        >>> in_steps(np.array([[0.5, -0.00001]])).tolist()
        [[16384, 0]]
    """
    rows *= 2.0**BITS
    return rows.astype(np.int16)


def as_floats(rows: NDArray[Any]) -> Floats:
    """Whole steps as multiples of 2^-15."""
    return rows * 2.0**-BITS
