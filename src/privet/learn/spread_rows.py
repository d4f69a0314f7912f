"""SpreadRows: rows as a network sees them: around their noisy middle, about as long as is good to learn from, whole."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.learn.centered_rows import LONGEST_APART, NEAR, Centered, UnitRows
from privet.learn.features import Box, Floats
from privet.learn.whole_numbers import SQUARES, bits_of, toward_zero

UNIT_BITS = 20  # rows of length at most 1 are multiples of 2^-20
USUAL = 0.36  # how long rows are about, in the root of how many numbers they have
FINE = 10  # bits below a usual number
SHORT = 1 << 15  # whole numbers below are stored in 16 bits
BLOCK = 1 << 9  # rows at a time: wide ones stay in a cache too


@dataclass(frozen=True, eq=False)
class WholeBox:
    """Rows of a box in the least power of two that is no shorter than their longest: none is brought nearer.

    Args:
        box: the declared bounds.
    """

    box: Box

    @property
    def reach(self) -> float:
        """The length that becomes 1, in half widths."""
        return 1 / self.longest

    @property
    def longest(self) -> float:
        """The largest number in a row."""
        return self.longest_of(self.box.width)

    @staticmethod
    def longest_of(width: int) -> float:
        """The same for so many columns."""
        return 2.0 ** -bits_of(math.sqrt(width))

    def unit(self, rows: Floats) -> Floats:
        """Return rows of length at most 1."""
        return toward_zero(self.box.unit(rows) / self.reach, UNIT_BITS)


@dataclass(frozen=True, eq=False)
class SpreadRows:
    """What turns rows of X into whole numbers.

    Args:
        columns: makes rows of length at most 1.
        where: their middle and spread, which were released.
        longest: the largest number in them.

    Privacy: each row becomes what it is by itself, from public numbers and released ones, and is at most `reach` long.

    Example:
        >>> columns = WholeBox(Box.of((0, 10), width=2))
        >>> rows = SpreadRows(columns, Centered(np.zeros(2), 0.6, 9), columns.longest)
        >>> rows.reach, rows.whole(np.array([[10.0, 0.0], [5.0, np.nan]])).tolist()
        (1.4142135623730951, [[1024, -1024], [0, 0]])
    """

    columns: UnitRows
    where: Centered
    longest: float = 1.0

    @cached_property
    def middle(self) -> Floats:
        """The middle, in whole steps of the unit rows; where noise put it beyond all rows, the nearest place."""
        return toward_zero(np.clip(self.where.middle, -self.longest, self.longest), UNIT_BITS)

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return len(self.middle)

    @property
    def doublings(self) -> int:
        """The power of two that makes rows about `USUAL` times the root of their width long."""
        usual = self.where.spread / NEAR
        return round(math.log2(max(USUAL * math.sqrt(self.width), 1.0) / usual))

    @property
    def reach(self) -> float:
        """No row is longer."""
        return min(LONGEST_APART, 2 * self.longest * math.sqrt(self.width)) * 2.0**self.doublings

    @property
    def bits(self) -> int:
        """Numbers are multiples of 2^-bits."""
        fine = FINE + max(0, bits_of(math.sqrt(self.width)) - bits_of(USUAL * math.sqrt(self.width)))
        return min(fine, SQUARES - bits_of(self.reach))

    def whole(self, features: Floats) -> NDArray[Any]:
        """Return one row of whole numbers for each row of X."""
        steps = 2.0 ** (self.doublings + self.bits)
        kind = np.int16 if 2 * self.longest * steps < SHORT else np.int32
        found = np.empty((len(features), self.width), dtype=kind)
        for start in range(0, max(len(features), 1), BLOCK):
            piece = slice(start, start + BLOCK)
            apart = self.columns.unit(features[piece]) - self.middle
            apart *= steps
            found[piece] = np.trunc(apart, out=apart)
        return found
