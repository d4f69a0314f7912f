"""CenteredRows: rows brought around their noisy middle, in lengths of how far they lie from it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.learn.features import Ball, Box, Floats
from privet.loss.exact import Exact
from privet.mechanisms import CubeNoise, Gaussian

CHUNK = 1 << 11  # rows worked on at once: what is between stays in the cache
STEPS = 1 << 20  # to 1: rows are multiples of 1 / STEPS
NEAR = 0.6  # the part of how far rows lie apart to which they are shortened: directions say most
LONGEST_APART = 2.0  # of two rows of length at most 1
LEAST_SPREAD = 0.05  # the length below which rows are not drawn apart, in that of the longest row
ALONG, CONSTANT = 251 / 256, 49 / 256  # how long a row and its constant 1 become: together less than 1


class UnitRows(Protocol):
    """What turns rows of X into rows of length at most 1, each by itself."""

    def unit(self, rows: Floats) -> Floats:
        """Return rows of length at most 1, multiples of 1 / STEPS."""


@dataclass(frozen=True)
class Centering:
    """The release that says where the rows lie: their sum, the sum of their squared lengths, and their number.

    Args:
        width: how many numbers a row has.
        longest: the largest number in a row; rows have length at most 1.
        moved: how many rows a unit can move.
        replaced: whether it replaces them.

    Privacy: a row adds (v, |v|², 1/2) with |v| <= 1, of length at most 3/2. Two rows with lengths a, b <= 1 differ by
        at most 2: (a + b)² (1 + (a - b)²) grows in a and in b up to 1. A row and one that does not count, by 3/2.
        For pure noise the largest number counts: longest, with |v|² and 1 taken as often; twice that if replaced.

    Example:
        >>> Centering(2, longest=1.0, moved=1, replaced=False).gaussian("0.5")
        Gaussian(l2_sensitivity=1.5, scale=3)
    """

    width: int
    longest: float
    moved: int
    replaced: bool

    def gaussian(self, mu: Exact) -> Gaussian:
        """Noise for so much Gaussian privacy."""
        length = self.moved * (Fraction(2) if self.replaced else Fraction(3, 2))
        return Gaussian(length, length / Fraction(mu))

    def pure(self, epsilon: Exact) -> CubeNoise:
        """Noise for so much ε."""
        moved = self.moved * self._top * (2 if self.replaced else 1)
        return CubeNoise(self.width + 2, reach=moved, scale=Fraction(moved) / Fraction(epsilon))

    @property
    def _top(self) -> int:
        """The largest number of a row in steps."""
        return math.ceil(STEPS * self.longest)

    def sensitivity(self, noise: Mechanism[Any, Any]) -> Sensitivity:
        """How far a unit moves `sums`."""
        if isinstance(noise, CubeNoise):
            return Sensitivity(noise.reach, cells=self.width + 2)
        length = self.moved * (Fraction(2) if self.replaced else Fraction(3, 2))
        return Sensitivity(2 * self.moved, cells=self.width + 2, l2=length)

    def sums(self, rows: Floats, noise: Mechanism[Any, Any]) -> NDArray[Any]:
        """The exact sums: rows are multiples of 1 / STEPS, and so are the squared lengths once rounded down."""
        squares = np.minimum(np.einsum("ij,ij->i", rows, rows), 1.0)
        if isinstance(noise, CubeNoise):
            whole = np.clip(np.rint(rows * STEPS).astype(np.int64), -self._top, self._top)
            taken = np.floor(squares * self._top).astype(np.int64)
            return np.array([*whole.sum(axis=0), taken.sum(), len(rows) * self._top])
        return np.array([*rows.sum(axis=0), (np.floor(squares * STEPS) / STEPS).sum(), len(rows) / 2])

    def read(self, released: NDArray[Any], noise: Gaussian | CubeNoise) -> "Centered":
        """Where the rows lie: the sum is drawn towards 0 by as much of it as is noise (James and Stein 1961)."""
        numbers = np.asarray(released, dtype=np.float64)
        if isinstance(noise, CubeNoise):
            rows, deviation = numbers[-1] / self._top, noise.standard_deviation / STEPS
            total, squares = numbers[: self.width] / STEPS, numbers[-2] / self._top
        else:
            rows, deviation = 2 * numbers[-1], float(noise.scale)
            total, squares = numbers[: self.width], numbers[-2]
        count = max(rows, 1.0)
        length = float(total @ total)
        kept = max(0.0, 1.0 - max(self.width - 2, 1) * deviation**2 / length) if length else 0.0
        middle = np.clip(kept * total / count, -self.longest, self.longest)
        middle /= max(float(np.linalg.norm(middle)), 1.0)
        apart = squares / count - 2 * float(middle @ total) / count + float(middle @ middle)
        return Centered(middle, min(max(NEAR * math.sqrt(max(apart, 0.0)), LEAST_SPREAD), LONGEST_APART), count)


@dataclass(frozen=True, eq=False)
class Centered:
    """What the release said.

    Args:
        middle: about the mean of the rows.
        spread: the length to which they are shortened, a part of how far they lie from it.
        count: about how many rows there are, at least 1.
    """

    middle: Floats
    spread: float
    count: float

    @classmethod
    def nothing(cls, width: int) -> "Centered":
        """Rows as they are."""
        return cls(np.zeros(width), 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class CenteredRows:
    """Rows of X as a linear model sees them: of length at most 1, with a constant 1 if there is an intercept.

    Args:
        columns: makes rows of length at most 1.
        where: their middle and spread, which were released.
        intercept: whether a constant is added.

    Privacy: each row becomes what it is by itself, from public numbers and released ones.
    """

    columns: UnitRows
    where: Centered
    intercept: bool

    def rows(self, features: Floats) -> Floats:
        """Return one row for each row of X."""
        return self.around(self.columns.unit(features))

    def around(self, unit: Floats) -> Floats:
        """Return the same for rows of length at most 1."""
        ball, width = Ball(Fraction(self.where.spread)), unit.shape[1]
        seen = np.full((len(unit), width + int(self.intercept)), CONSTANT)
        for start in range(0, len(unit), CHUNK):
            piece = slice(start, start + CHUNK)
            apart = ball.unit(unit[piece] - self.where.middle)
            seen[piece, :width] = ALONG * apart if self.intercept else apart
        return seen

    def unwound(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return factors of the unit rows, and constants, that predict the same for rows that are not shortened."""
        slopes = parameters[:, : len(self.where.middle)] * ((ALONG if self.intercept else 1.0) / self.where.spread)
        constant = CONSTANT * parameters[:, -1] if self.intercept else np.zeros(len(parameters))
        return slopes, constant - slopes @ self.where.middle


@dataclass(frozen=True, eq=False)
class HalfDiagonal:
    """Rows of a box, in half its diagonal: corners farther from the middle are brought to that length.

    Args:
        box: the declared bounds.
        width: how many columns.
    """

    box: Box
    width: int

    @property
    def reach(self) -> float:
        """The length that becomes 1, in half widths."""
        return self.reach_of(self.width)

    @staticmethod
    def reach_of(width: int) -> float:
        """The same for so many columns."""
        return max(math.sqrt(width) / 2, 1.0)

    def unit(self, rows: Floats) -> Floats:
        """Return rows of length at most 1."""
        ball = Ball(Fraction(self.reach))
        unit = np.empty(rows.shape)
        for start in range(0, max(len(rows), 1), CHUNK):  # without rows too: what the box keeps tells nothing
            piece = slice(start, start + CHUNK)
            unit[piece] = ball.unit(self.box.unit(rows[piece]))
        return unit
