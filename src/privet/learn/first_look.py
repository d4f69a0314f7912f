"""FirstLook: a first noisy round that tells where rows are: how many, around which middle, how far spread."""

from dataclasses import dataclass

import numpy as np

from privet.learn.features import Box, Floats
from privet.learn.fitting import Draws
from privet.learn.nearest_sums import NearestSums, nearest_by
from privet.learn.rows import Rows

EVEN = 1 / 3  # the mean square of numbers that lie evenly in [-1, 1]
LEAST = 1e-4  # of a mean square: a spread of a hundredth of half the width


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


def look(draws: Draws, first: NearestSums, box: Box) -> Cloud:
    """Release the sums of all rows, and return what they tell.

    Args:
        draws: paid for.
        first: the round.
        box: the bounds of the features.
    """
    center, reach = np.zeros((1, first.columns)), np.ones(first.columns)

    def compute(rows: Rows) -> object:
        return first.sums(box.unit(rows.read_features()), center, reach, nearest_by(reach))

    sums, counts, squares = first.read(draws.release(compute, first.sensitivity, first.mechanism).value)
    noise, rows = first.deviation, max(float(counts[0]), 1.0)
    middle = np.clip(rows * sums[0] / (rows**2 + noise**2 / EVEN), -1.0, 1.0)
    square = float(squares[0]) / rows - float((middle**2).mean())
    return Cloud(rows, middle, float(np.clip(square, LEAST, EVEN)) ** 0.5, min(noise / rows, 1.0))
