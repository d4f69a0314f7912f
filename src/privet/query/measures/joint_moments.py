"""Joint moments: what nine released numbers tell about two arguments, and how sure each of it is.

Let p and q be the two arguments of a row as shares of the way from their low to their high bound. The nine numbers are
sums over rows of b_i(p) b_j(q), where b_1 = p², b_2 = 2p(1 - p) and b_3 = (1 - p)² add up to 1. So the number of rows
and the sums of p, q, p², q² and pq are weighted sums of the nine (`weights`), and so is, for any two numbers, the sum
of (p - p0)(q - q0).

Proof of the intervals: let p0 and q0 be the exact means. The exact sum of (p - p0)(q - q0) is the released one less a
weighted sum of the noises alone. p0 and q0 are not known, but lie in a box that is found first: for a mean the
argument is that of Fieller (`measures/ratio_interval.py`), with the largest margin that any mean has. Over the box the
released sum is linear in each of p0 and q0, so that it is least and largest at corners; so is the absolute value of
every weight, and a weighted sum of symmetric unimodal noises spreads more if a weight grows (Birnbaum 1948), so the
margin of the largest weights is never too small. For squares the weights are parabolas, and the same holds at their
ends and where the middle one turns, at 1/2. Each step may fail with a share of what the confidence leaves, and all
shares add up to that (Boole).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.query.measures.noise_margin import Floats, Noise, noise_margin

Ends = tuple[Floats, Floats]
Axes = Sequence[tuple[int, float, float]]
POWERS = np.array([[1.0, 1.0, 1.0], [1.0, 0.5, 0.0], [1.0, 0.0, 0.0]])  # of 1, p and p², in b_1, b_2 and b_3


def weights(first: int, second: int) -> Floats:
    """The weights of the nine numbers in the sum of p^first q^second."""
    return np.outer(POWERS[first], POWERS[second]).ravel()


ROWS = weights(0, 0)


@dataclass(frozen=True)
class JointMoments:
    """Moments of two arguments, as shares of the way between their bounds.

    Args:
        numbers: released, nine for each group.
    """

    numbers: Floats

    def sum_of(self, first: int, second: int) -> Floats:
        """The released sum of p^first q^second."""
        return np.asarray(self.numbers @ weights(first, second))

    @cached_property
    def rows(self) -> Floats:
        """Rows, in lattice steps; NaN if not above 0."""
        total = self.sum_of(0, 0)
        return np.where(total > 0, total, np.nan)

    def mean(self, axis: int) -> Floats:
        """Of p (axis 0) or q (axis 1)."""
        return np.asarray(self.sum_of(1 - axis, axis) / self.rows)

    @property
    def covariance(self) -> Floats:
        """The mean of (p - mean)(q - mean), between -1/4 and 1/4."""
        return np.clip(self.sum_of(1, 1) / self.rows - self.mean(0) * self.mean(1), -0.25, 0.25)

    def variance(self, axis: int) -> Floats:
        """The mean of (p - mean)², between 0 and 1/4."""
        squares = self.sum_of(2, 0) if axis == 0 else self.sum_of(0, 2)
        return np.clip(squares / self.rows - self.mean(axis) ** 2, 0.0, 0.25)

    # --- intervals; NaN where the released rows are not above 0 ---

    def rows_interval(self, noise: Noise, alpha: float) -> Ends:
        """Of the number of rows."""
        margin = noise_margin(ROWS[None, :], noise, 1 - alpha)
        return self.rows - margin, self.rows + margin

    def mean_interval(self, axis: int, noise: Noise, alpha: float) -> Ends:
        """Of a mean; the margin of Σp - p0 n is largest for p0 = 0 or 1."""
        values = weights(1 - axis, axis)
        largest = np.maximum(np.abs(values), np.abs(values - ROWS))
        reach = noise_margin(largest[None, :], noise, 1 - alpha) / self.rows
        center = self.mean(axis)
        return np.clip(center - reach, 0.0, 1.0), np.clip(center + reach, 0.0, 1.0)

    def products_interval(self, first: Ends, second: Ends, noise: Noise, alpha: float) -> Ends:
        """Of the sum of (p - p0)(q - q0), if the means are within these ends."""
        corners = [self._products(p, q) for p in first for q in second]
        return self._around(corners, corners, noise, alpha)

    def squares_interval(self, axis: int, ends: Ends, noise: Noise, alpha: float) -> Ends:
        """Of the sum of (p - p0)², which is never below 0, if the mean is within these ends."""
        low, high = ends
        center = np.clip(self.mean(axis), low, high)
        turn = np.clip(0.5, low, high)
        sums = [self._squares(axis, at) for at in (low, center, high)]
        least, most = self._around(sums, [self._squares(axis, at) for at in (low, turn, high)], noise, alpha)
        return np.maximum(least, 0.0), np.maximum(most, 0.0)

    def line_margin(self, axes: Axes, slopes: Ends, intercepts: Ends, noise: Noise, alpha: float) -> Floats:
        """How far the mean of y - b x - a may lie from the released one, for any slope b and intercept a in between.

        Args:
            axes: of each argument its number, its low bound and how far that is from the high one.
            slopes: where b lies.
            intercepts: where a lies.
            noise: of the numbers.
            alpha: how often it may lie farther.
        """
        y, x = (low * ROWS + width * weights(1 - axis, axis) for axis, low, width in axes)
        known = np.isfinite(np.stack([*slopes, *intercepts])).all(axis=0) & (self.rows > 0)
        corners = [
            np.abs(y - np.where(known, b, 0.0)[:, None] * x - np.where(known, a, 0.0)[:, None] * ROWS)
            for b in slopes
            for a in intercepts
        ]
        margin = noise_margin(np.stack(corners).max(axis=0), noise, 1 - alpha) / self.rows
        return np.where(known, margin, np.inf)

    def _products(self, p: Floats, q: Floats) -> Floats:
        """The weights of the sum of (p - p0)(q - q0), for each group."""
        one, other = (POWERS[1][None, :] - at[:, None] * POWERS[0][None, :] for at in (p, q))
        return np.asarray((one[:, :, None] * other[:, None, :]).reshape(len(p), ROWS.size))

    def _squares(self, axis: int, at: Floats) -> Floats:
        parts = POWERS[2][None, :] - 2 * at[:, None] * POWERS[1][None, :] + at[:, None] ** 2 * POWERS[0][None, :]
        ones = np.ones((len(at), 3))
        one, other = (parts, ones) if axis == 0 else (ones, parts)
        return np.asarray((one[:, :, None] * other[:, None, :]).reshape(len(at), ROWS.size))

    def _around(self, centers: list[Floats], extremes: list[Floats], noise: Noise, alpha: float) -> Ends:
        """From the least of the weighted sums to the largest, and the margin of the largest weights around."""
        sums = np.stack([(self.numbers * each).sum(axis=1) for each in centers])
        largest = np.nan_to_num(np.abs(np.stack(extremes)).max(axis=0), nan=1.0)
        margin = noise_margin(largest, noise, 1 - alpha)
        return sums.min(axis=0) - margin, sums.max(axis=0) + margin


def quotient_ends(top: Ends, bottom: Ends) -> Ends:
    """All quotients of numbers between these ends; without end where the bottom may be 0. The bottom is never below."""
    low, high = bottom
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(top[0] < 0, top[0] / low, top[0] / high)
        most = np.where(top[1] > 0, top[1] / low, top[1] / high)
    known = low > 0
    return np.where(known, least, -np.inf), np.where(known, most, np.inf)


def product_ends(one: Ends, other: Ends) -> Ends:
    """All products of numbers between these ends."""
    with np.errstate(invalid="ignore"):
        every = np.stack([a * b for a in one for b in other])
    unknown = ~np.isfinite(every).all(axis=0)
    return np.where(unknown, -np.inf, every.min(axis=0)), np.where(unknown, np.inf, every.max(axis=0))
