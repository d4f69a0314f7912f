"""NearestSums: for each centre how many rows are nearest to it and how far they lie from it, with noise."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.features import INSIDE, Floats
from privet.mechanisms import CubeNoise, Gaussian
from privet.mechanisms.row_products import row_products

BITS = 20
MOST_EXACT = 1 << 13  # columns over which products of two numbers of so many bits add up without rounding
STEPS = 1 << BITS
BESIDE = Fraction(1, 4)  # the weight of count and spread beside a row of length 1
WIDEST = 1 << 40  # steps of noise on cubes
CHUNK = 1 << 12  # rows at a time


@dataclass(frozen=True)
class NearestSums:
    """One round of k-means: for each centre the sums over its rows of (x - centre) / reach, 1, and a mean square.

    Args:
        columns: how many features.
        mechanism: adds the noise; `CubeNoise` if pure, else `Gaussian`.
        sensitivity: how far one unit moves the sums.
        factor: the sums are in steps, times this.
        bits: a step is 2^-bits.

    Privacy: as the mechanism. Centres and reaches are public or were released before; a row counts at one centre.
    Proof: let r rows be a unit's. Pure: (x - c)/reach is clipped to [-1, 1] in each of d columns, the count is 1 and
        the mean square 2q - 1 lies in [-1, 1]: the largest move of a row's numbers is 1 (r for r rows, wherever they
        are; twice that if replaced). Gaussian: z = (x - c)/(reach √d) is shortened to length 1, count and 2|z|² - 1
        have weight w = 1/4: r √(1 + 2w²) in L2. Replaced within a centre: |z - z'| <= a + b and the squares differ by
        2w (a² - b²) for lengths a, b; (a + b)² (1 + 4w² (a - b)²) <= 4 for w <= 1/2. Between two: 2 + 4w² <= 4. So 2r,
        and one step for rounding. To which centre a row counts is exact arithmetic on its own numbers.

    Example:
        >>> round(NearestSums.pure(Fraction(1), columns=2, rows=1, replaces=False).deviation, 2)  # of each sum
        3.16
    """

    columns: int
    mechanism: CubeNoise | Gaussian
    sensitivity: Sensitivity
    factor: int = 1
    bits: int = BITS

    @classmethod
    def pure(cls, epsilon: Fraction, *, columns: int, rows: int, replaces: bool) -> "NearestSums":
        """Return the round that is epsilon-DP.

        Args:
            epsilon: > 0.
            columns: how many features.
            rows: how many rows one unit can have.
            replaces: whether neighbors have a unit replaced.
        """
        width, moved = columns + 2, rows * (2 if replaces else 1)
        bits, factor = BITS, 1
        while bits > 1 and moved << bits > epsilon * WIDEST:  # noise of more steps is not drawn
            bits -= 1
        while moved * factor << bits < epsilon * width:  # nor is noise of less than a step
            factor *= 2
        reach = moved * factor << bits
        sensitivity = Sensitivity(reach, cells=width * moved, l1=width * reach)
        noise = CubeNoise.calibrated(epsilon=epsilon, width=width, sensitivity=sensitivity, added_up=True)
        return cls(columns, noise, sensitivity, factor, bits)

    @classmethod
    def gaussian(cls, rho: Fraction, *, columns: int, rows: int, replaces: bool) -> "NearestSums":
        """Return the round that is rho-zCDP; see `pure`."""
        moved = rows * (2 * STEPS + 1) if replaces else rows * STEPS * root_above(1 + 2 * BESIDE**2)
        sensitivity = Sensitivity(moved, cells=(columns + 2) * rows * (2 if replaces else 1), l2=moved)
        return cls(columns, Gaussian.calibrated(rho=rho, sensitivity=sensitivity), sensitivity)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise in a sum of (x - centre) / reach."""
        noise = self.mechanism
        if isinstance(noise, CubeNoise):
            return noise.standard_deviation / (self.factor << self.bits)
        return float(noise.scale) / STEPS * math.sqrt(self.columns)

    def sums(self, rows: Floats, centers: Floats, reach: Floats, nearest: "Nearest") -> NDArray[np.int64]:
        """Return the exact sums, a row for each centre.

        Args:
            rows: within [-1, 1].
            centers: likewise.
            reach: how far rows count, in each column.
            nearest: which centre a row belongs to.
        """
        total = np.zeros((len(centers), self.columns + 2), dtype=np.int64)
        for first in range(0, len(rows), CHUNK):
            here = rows[first : first + CHUNK]
            place = nearest(here, centers)
            moves, weight, spread = self._steps((here - centers[place]) / reach)
            of = np.zeros((len(centers), len(here)))
            of[place, np.arange(len(here))] = 1.0
            total[:, : self.columns] += np.rint(of @ moves).astype(np.int64)
            total[:, -2] += np.bincount(place, minlength=len(centers)) * weight
            total[:, -1] += np.rint(of @ spread).astype(np.int64)
        return total * self.factor

    def read(self, released: Any) -> tuple[Floats, Floats, Floats]:  # noqa: ANN401 - what a mechanism released
        """Return, for each centre, the noisy sums of (x - centre) / reach, counts, and sums of mean squares."""
        noisy = np.asarray(released, dtype=np.float64) / (self.factor << self.bits)
        beside = 1.0
        if isinstance(self.mechanism, Gaussian):
            noisy[:, : self.columns] *= self.columns**0.5
            beside = float(BESIDE)
        counts = noisy[:, self.columns] / beside
        return noisy[:, : self.columns], counts, (noisy[:, -1] / beside + counts) / 2

    def _steps(self, distance: Floats) -> tuple[Floats, int, Floats]:
        """What rows add to the sums, in whole steps: their distances, 1, and their mean squares.

        Squares of whole numbers add up exactly, so what a row adds depends on that row alone.
        """
        one = 1 << self.bits
        if isinstance(self.mechanism, CubeNoise):
            moves, weight = whole_steps(distance, one), one
            square = _squares(moves) / (self.columns * one**2)
        else:
            near = whole_steps(distance / math.sqrt(self.columns), one)
            length = np.maximum(np.sqrt(_squares(near)), one)
            moves, weight = np.trunc(near * (one * INSIDE / length)[:, None]), int(one * BESIDE)
            square = _squares(moves) / one**2
        return moves, weight, np.clip(np.rint((2 * square - 1) * weight), -weight, weight)


def whole_steps(distance: Floats, one: int) -> Floats:
    """Distances clipped to [-1, 1], in whole steps."""
    steps = np.clip(distance, -1.0, 1.0)
    steps *= one
    rounded: Floats = np.rint(steps, out=steps)
    return rounded


def _squares(steps: Floats) -> Floats:
    """The sum of squares of each row: exact, in any order."""
    found: Floats = (steps * steps) @ np.ones(steps.shape[1])
    return found


Nearest = Callable[[Floats, Floats], NDArray[np.intp]]


def nearest_by(lengths: Floats) -> Nearest:
    """Return what finds the nearest centre where columns are measured in these lengths.

    Args:
        lengths: of each column's unit; at most 1.

    Proof: rows and centres become multiples of 2^-20 within [-1, 1]; products of these add up exactly, in any order.
        So a row's centre depends on nothing but the row and the centres, not even on how a library adds up.

    Example:
        >>> nearest_by(np.array([1.0, 0.1]))(np.array([[0.2, 1.0]]), np.array([[0.0, 1.0], [0.3, -0.5]]))
        array([1])
    """
    steps = lengths * STEPS

    def nearest(rows: Floats, centers: Floats) -> NDArray[np.intp]:
        if len(centers) == 1:
            return np.zeros(len(rows), dtype=np.intp)
        there = np.rint(centers * steps)
        places = np.rint(rows * steps)
        product = np.matmul if rows.shape[1] <= MOST_EXACT else row_products
        squares = (there**2).sum(axis=1)[:, None] - 2 * product(places, there.T).T
        found: NDArray[np.intp] = squares.argmin(axis=0)
        return found

    return nearest
