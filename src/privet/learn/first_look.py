"""FirstLook: a first noisy round that tells where rows are: how many, around which middle, how far spread."""

from dataclasses import dataclass

import numpy as np

from privet.learn.features import Ball, Box, Floats
from privet.learn.fitting import Draws
from privet.learn.nearest_sums import NearestSums, nearest_by
from privet.learn.rows import Rows
from privet.mechanisms import Gaussian

EVEN = 1 / 3  # the mean square of numbers that lie evenly in [-1, 1]
LEAST = 3e-4  # of that: a spread of a hundredth of half the width


@dataclass(frozen=True)
class Cloud:
    """What was learned.

    Args:
        rows: a noisy number of rows, at least 1.
        middle: their mean, as far as it can be told from noise, else the middle of the box; in half widths.
        spread: the root mean square of distances from it, over rows and columns; in half widths.
        error: the standard deviation of the noise in the middle.
    """

    rows: float
    middle: Floats
    spread: float
    error: float


class UnitRows:
    """The rows within their box or ball, made once however many rounds read them."""

    def __init__(self, features: Box | Ball) -> None:
        self.features = features
        self._kept: Floats | None = None

    def __call__(self, rows: Rows) -> Floats:
        """Return them."""
        if self._kept is None:
            self._kept = self.features.unit(rows.read_features())
        return self._kept


def look(draws: Draws, first: NearestSums, unit: UnitRows) -> Cloud:
    """Release the sums of all rows, and return what they tell.

    Args:
        draws: paid for.
        first: the round.
        unit: the rows; the answer is in half widths of their box, or in radii of their ball.
    """
    features = unit.features
    short = isinstance(features, Ball) and isinstance(first.mechanism, Gaussian)
    longest = first.columns**-0.5 if short else 1.0  # a row's root mean square, at most
    even = EVEN if isinstance(features, Box) else 1 / first.columns
    center, reach = np.zeros((1, first.columns)), np.full(first.columns, longest)

    def compute(rows: Rows) -> object:
        return first.sums(unit(rows), center, reach, nearest_by(reach))

    sums, counts, squares = first.read(draws.release(compute, first.sensitivity, first.mechanism).value)
    noise, rows = first.deviation * longest, max(float(counts[0]), 1.0)
    middle = np.clip(rows * longest * sums[0] / (rows**2 + noise**2 / even), -1.0, 1.0)
    square = longest**2 * float(squares[0]) / rows - float((middle**2).mean())
    return Cloud(rows, middle, float(np.clip(square, LEAST * even, even)) ** 0.5, min(noise / rows, even**0.5))
