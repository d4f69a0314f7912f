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
Boxes = tuple[Ends, Ends]  # of p and of q
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

    def slope_interval(self, first: Ends, second: Ends, roughly: Ends, noise: Noise, alpha: float) -> Ends:
        """Of the slope of p by q, if the means are within these ends, and so is the slope, roughly.

        Proof: for the exact slope b and means, the sum of (p - p0)(q - q0) - b (q - q0)² is 0, so the released one is a
            weighted sum of the noises. Its weights are linear in p0 and b and have a second derivative in q0 of at
            most 2 |b|, so they exceed those at corners by at most |b| / 4 times the square of the box (`_bent`).
        """
        known = np.isfinite(np.stack(roughly)).all(axis=0)
        slopes = [np.where(known, end, 0.0)[:, None] for end in roughly]
        products = [(self._products(p, q), self._squares(1, q)) for p in first for q in second]
        corners = [product - b * square for product, square in products for b in slopes]
        bent = _bent(second) * np.abs(np.hstack(slopes)).max(axis=1)
        margin = self._margin(corners, bent, noise, alpha)
        low, high = self._released([product for product, _ in products])
        low, high = quotient_ends((low - margin, high + margin), self._released_squares(1, second))
        return common((np.where(known, low, -np.inf), np.where(known, high, np.inf)), roughly)

    def correlation_interval(self, boxes: Boxes, squares: Boxes, roughly: Ends, noise: Noise, alpha: float) -> Ends:
        """Of the correlation, if means and sums of squares are within these ends, and so is it, roughly.

        Proof: let r be the exact correlation, X and Y the exact sums of squares, Z that of products, and t² = X / Y.
            Then 2 t Z - r (X + t² Y) is 0, because Z is r times the root of X Y. The released one is a weighted sum of
            the noises, linear in r; its second derivatives in p0, q0 and t are at most 2, 2 t² and 2 times |r| <= 1.
            Over the box 2 t / (X + t² Y) of released sums is largest at the root of X / Y and least at an end of t.
        """
        (few, many), (fewer, more) = squares
        known = (few > 0) & (fewer > 0)
        tops = (few, many)
        bottoms = (more, fewer)
        turns = [
            np.sqrt(np.where(known, top, 1.0) / np.where(known, bottom, 1.0))
            for top, bottom in zip(tops, bottoms, strict=True)
        ]
        first, second = boxes
        places = [(p, q) for p in first for q in second]
        corners = [
            2 * t[:, None] * self._products(p, q)
            - r[:, None] * (self._squares(0, p) + t[:, None] ** 2 * self._squares(1, q))
            for p, q in places
            for t in turns
            for r in roughly
        ]
        bent = _bent(first) + turns[1] ** 2 * _bent(second) + _bent(turns)
        margin = self._margin(corners, bent, noise, alpha)
        found = self._ratios(boxes, turns, self._released([self._products(p, q) for p, q in places]), margin)
        return common((np.where(known, found[0], -np.inf), np.where(known, found[1], np.inf)), roughly)

    def _ratios(self, boxes: Boxes, turns: Sequence[Floats], products: Ends, margin: Floats) -> Ends:
        """All (2 t Z ± margin) / (X + t² Y) of released sums in the boxes; without end where a square may be 0."""
        one, other = (self._released_squares(axis, box) for axis, box in enumerate(boxes))
        known = (one[0] > 0) & (other[0] > 0)
        (x, larger_x), (y, larger_y) = ([np.where(known, end, 1.0) for end in ends] for ends in (one, other))
        most = 1 / np.sqrt(x * y)
        least = np.minimum(*(2 * t / (larger_x + t**2 * larger_y) for t in turns))
        reach = margin / (x + turns[0] ** 2 * y)
        low = products[0] * np.where(products[0] < 0, most, least) - reach
        high = products[1] * np.where(products[1] > 0, most, least) + reach
        return np.where(known, low, -np.inf), np.where(known, high, np.inf)

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

    def _released(self, weighted: list[Floats]) -> Ends:
        """The least and the largest of several weighted sums of the released numbers."""
        sums = np.stack([(self.numbers * each).sum(axis=1) for each in weighted])
        return sums.min(axis=0), sums.max(axis=0)

    def _released_squares(self, axis: int, ends: Ends) -> Ends:
        """The least and the largest sum of squares: at the released mean, and at an end."""
        return self._released([self._squares(axis, at) for at in (*ends, np.clip(self.mean(axis), *ends))])

    def _margin(self, corners: list[Floats], bent: Floats, noise: Noise, alpha: float) -> Floats:
        """Of sums whose weights are at most those at the corners, and what they may be bent by between."""
        largest = np.abs(np.stack(corners)).max(axis=0) + bent[:, None]
        return noise_margin(np.nan_to_num(largest, nan=1.0), noise, 1 - alpha)

    def _around(self, centers: list[Floats], extremes: list[Floats], noise: Noise, alpha: float) -> Ends:
        """From the least of the weighted sums to the largest, and the margin of the largest weights around."""
        sums = np.stack([(self.numbers * each).sum(axis=1) for each in centers])
        largest = np.nan_to_num(np.abs(np.stack(extremes)).max(axis=0), nan=1.0)
        margin = noise_margin(largest, noise, 1 - alpha)
        return sums.min(axis=0) - margin, sums.max(axis=0) + margin


def _bent(ends: Sequence[Floats]) -> Floats:
    """How far a function with a second derivative of 2 at most is from its chord, between these ends."""
    return np.asarray((ends[1] - ends[0]) ** 2 / 4)


def common(one: Ends, other: Ends) -> Ends:
    """What both hold: each holds the exact value, so both do."""
    return np.fmax(one[0], other[0]), np.fmin(one[1], other[1])


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
