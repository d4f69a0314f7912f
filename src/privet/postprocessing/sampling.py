"""Sampling: by how much released numbers would differ if other units of the same population had been asked.

Units are what is sampled, each by itself. Where how many there are is as random as who they are, a sum over units of
what each adds has the variance that the sum of squares tells (a compound Poisson law), which is never less than where
their number is fixed. A unit that adds x_1 + … + x_c in c rows adds at most c (x_1² + … + x_c²) to that (Cauchy and
Schwarz), so with up to c rows a unit the variance of rows is taken c times.

What rows add is not released, but bounded: the largest variance that the released numbers and the bounds allow is
taken. A few rows more than were released are counted (`MORE`): of no rows, or of a share of 0, the variance would be
0, and too small for few rows. With three, intervals of 95 % for counts of any size and for shares of 30 rows or more
hold at least 94 % of the time, without any noise.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MORE = 3  # rows that are counted besides those that were released


def sum_of_squares(total: Any, size: Any) -> Any:  # noqa: ANN401 - floats or arrays of them
    """At most how large the squares of numbers between 0 and `size` add up to, from what they themselves add up to.

    Proof: x² <= size x.

    Example:
        >>> float(sum_of_squares(100.0, 1)), float(sum_of_squares(-5.0, 2))
        (103.0, 12.0)
    """
    return size * (np.maximum(total, 0.0) + MORE * size)


def rows_at_most(rows: Any) -> Any:  # noqa: ANN401 - floats or arrays of them
    """A released number of rows, and a few more."""
    return np.maximum(rows, 0.0) + MORE


def largest_variance(share: Any) -> Any:  # noqa: ANN401 - floats or arrays of them
    """The largest variance of numbers between 0 and 1 whose mean is known (Bhatia and Davis 2000)."""
    return share * (1 - share)


def mean_deviation(share: float, rows: float, *, variance: float | None = None) -> float:
    """By how much the means of samples of numbers between 0 and 1 differ, to first order.

    Args:
        share: the released mean.
        rows: how many rows there are, from below; with none, nothing is known.
        variance: of the numbers, from above, where it was released.

    Proof: with the sums A and B of u and 1 - u, of variance A + MORE and B + MORE, A/(A + B) has by its slopes the
        variance (B² (A + MORE) + A² (B + MORE))/(A + B)⁴.

    Example:
        >>> round(mean_deviation(0.5, 1000), 4), mean_deviation(0.5, 0)
        (0.0159, 1.0)
    """
    if rows <= 0:
        return 1.0
    mean = min(max(share, 0.0), 1.0)
    largest = float(largest_variance(mean))
    spread = largest if variance is None else min(max(variance, 0.0), largest)
    few = MORE * (mean**2 + (1 - mean) ** 2) / rows
    return min(1.0, float(np.sqrt((spread + few) / rows)))


def variance_deviation(variance: float, rows: float) -> float:
    """By how much the variances of samples of numbers between 0 and 1 differ, to first order.

    Proof: the mean m satisfies m (1 - m) >= v, so no squared distance from it is above M = (1 + √(1 - 4 v))²/4; the
        variance is the mean of numbers between 0 and M, whose own variance is at most v (M - v).

    Example:
        >>> round(variance_deviation(0.04, 1000), 4)
        0.0062
    """
    if rows <= 0:
        return 1.0
    spread = min(max(variance, 0.0), 0.25)
    farthest = (1 + float(np.sqrt(1 - 4 * spread))) ** 2 / 4
    return min(1.0, float(np.sqrt((spread * (farthest - spread) + MORE / rows) / rows)))
