"""Variances and covariances around a rough center: which share of the price finds it, from when on, and the error."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity, Uncertainty
from privet.core.sensitivity import root_above
from privet.loss import ConcentratedGuarantee
from privet.mechanisms import CenteredSpread, Gaussian, Laplace, Staircase
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError
from privet.stats.sums.lattice_sums import COARSE, SQUARES, RowMap, Weigh, lattice_sums
from privet.stats.sums.linear_error import FromDistance

ONE = 2**COARSE
FROM = {1: 200, 2: 1000}  # n ε from which a center pays, for a variance and a covariance
SURER = 1000  # n ε from which a smaller share will do
SHARE, SMALLER, OF_RHO = Fraction(1, 5), Fraction(3, 20), Fraction(1, 10)
LARGEST = 5  # the ε up to which a share is worth it: beyond, a staircase shrinks faster than its share
CELLS, WIDEST = 160, 40.0  # into which sizes of the centers' errors are sorted, up to so many scales
NEARLY = 1.1


def centered_noise(budget: Budget | None, rows: int, moved: int, columns: int) -> CenteredSpread | None:
    """Return the mechanism that finds a center first, where that pays; None where it does not.

    Privacy: from public numbers. Without a center the noise is that of the widest spread, (high - low)²; around one in
        the middle it is a quarter of that, around one at the edge it is the same, and the center's own error adds its
        square. So it pays from some n ε on (measured: docs/accuracy.md), and costs up to a quarter at the edge.
    """
    if budget is None:
        return None
    one = Sensitivity(1)
    if isinstance(budget.promise, ConcentratedGuarantee):
        rho = budget.promise.rho
        if rows * root_above(2 * rho) < FROM[columns] * moved:
            return None
        center = Gaussian.calibrated(rho=rho * OF_RHO / columns, sensitivity=one)
        return CenteredSpread(
            rows,
            moved=moved,
            columns=columns,
            center=center,
            spread=Gaussian.calibrated(rho=rho * (1 - OF_RHO), sensitivity=one),
        )
    epsilon = budget.promise.epsilon
    pure = isinstance(best_noise(budget, one), Laplace | Staircase)
    if not pure or epsilon > LARGEST or rows * epsilon < FROM[columns] * moved:
        return None
    share = SMALLER if rows * epsilon >= SURER * moved else SHARE
    spread = best_noise(Budget.of(epsilon=epsilon * (1 - share)), one)
    if not isinstance(spread, Laplace | Staircase):
        raise TypeError("noise for a pure ε is Laplace or a staircase")
    rough = Laplace(1, columns / (epsilon * share))
    return CenteredSpread(rows, moved=moved, columns=columns, center=rough, spread=spread)


def released_around(
    question: Question, mechanism: CenteredSpread, maps: tuple[RowMap, ...], weigh: Weigh, unit: float
) -> Release[Any]:
    """Charge, and return the variance or covariance around noisy means.

    Args:
        question: of which columns.
        mechanism: made for their number of rows.
        maps: of the columns onto 0 to 2^COARSE.
        weigh: sums of steps, and of their products.
        unit: what a square of the widths, over n, is in the answer.
    """

    def compute(arrays: Arrays) -> list[Fraction]:
        *lone, both = lattice_sums(arrays, maps, weigh, chunk=SQUARES)
        return [*(Fraction(each, ONE) for each in lone), Fraction(both, ONE**2)]

    sums = Sensitivity(mechanism.moved, cells=mechanism.columns + 1)
    released = question.release_by(mechanism, compute, sums)
    average, step = mechanism.average(released.value.tolist())
    error = centered_error(mechanism, step, unit)
    return released.map(lambda _: (average - error.expected) * unit, uncertainty=error)


def centered_error(mechanism: CenteredSpread, step: float, unit: float) -> "CenteredError":
    """The law of the error where one step of the last noise is so much; of the widest spread it is `moved / rows`."""
    rough, last = mechanism.center.uncertainty, mechanism.spread.uncertainty
    return CenteredError(rough, last, mechanism.moved / mechanism.rows, step, mechanism.columns, unit)


@dataclass(frozen=True)
class CenteredError(FromDistance):
    """The error of a variance or covariance around noisy centers.

    Args:
        center: the error of each center, in moves.
        spread: the error of the sum of products, in moves.
        reach: how much of a width a move of a center is.
        step: how much of the squared widths a move of the sum is.
        columns: 1: the centers' error enters squared, less its mean; 2: as the product of two.
        unit: what the squared widths are in the answer.

    Proof: with centers off by e and f, the mean of (u - c) (v - d) is the covariance plus e f. So the error is the last
        noise plus g, g = e² - E e² or e f, independent of it. The last noise is symmetric with one peak, so the tail
        grows with |g|: sizes of e (and f) are sorted into cells, and the largest |g| of each is taken. To first
        order: that `step` follows the center, so e, moves it by a few percent, up and down alike.
    """

    center: LaplaceError | GaussianError
    spread: Uncertainty
    reach: float
    step: float
    columns: int
    unit: float

    @property
    def expected(self) -> float:
        """What the centers' errors add to a variance on average, in squared widths."""
        if self.columns > 1:
            return 0.0
        square = 2 * self.center.scale**2 if isinstance(self.center, LaplaceError) else self.center.scale**2
        return square * self.reach**2

    def tail(self, distance: float) -> float:
        """The mean over all sizes of the centers' errors."""
        far = distance / self.unit / self.step
        sizes = _sizes(self.center, self.columns, self.expected / self.reach**2)
        shrink = self.reach**2 / self.step
        return min(1.0, math.fsum(chance * self._beyond(far, size * shrink) for chance, size in sizes))

    def _beyond(self, far: float, shift: float) -> float:
        """How likely the last noise, shifted, lies beyond this distance."""
        return 1.0 if shift == math.inf else self._above(far - shift) + self._above(far + shift)

    def _above(self, place: float) -> float:
        return self.spread.tail(place) / 2 if place >= 0 else 1 - self.spread.tail(-place) / 2

    def distance(self, tail: float) -> float:
        """Found from above by halving."""
        return _distance(self, tail)


@lru_cache(maxsize=1024)
def _distance(error: CenteredError, tail: float) -> float:
    high = error.spread.distance(tail) * error.step * error.unit
    while error.tail(high) > tail:
        high *= 1.5
    low = 0.0
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if error.tail(middle) <= tail else (middle, high)
    return high


@lru_cache(maxsize=256)
def _sizes(center: LaplaceError | GaussianError, columns: int, expected: float) -> tuple[tuple[float, float], ...]:
    """Cells of the centers' errors: how likely each is, and the largest |g| in it."""
    count = CELLS if columns == 1 else CELLS // 4
    ends = [center.scale * WIDEST * (place / count) ** 2 for place in range(count + 1)]  # finer near zero
    tails = [1.0, *(center.tail(end) for end in ends[1:]), 0.0]
    ends.append(math.inf)
    cells = [(tails[place] - tails[place + 1], ends[place], ends[place + 1]) for place in range(count + 1)]
    likely = [cell for cell in cells if cell[0] > 0]
    if columns == 1:
        return tuple((p, max(abs(start**2 - expected), abs(end**2 - expected))) for p, start, end in likely)
    return merged((p * q, e * f) for p, _, e in likely for q, _, f in likely)


def merged(cells: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Return fewer cells: of sizes that nearly agree the largest stands for all."""
    merged: list[tuple[float, float]] = []
    for chance, size in sorted(cells, key=lambda cell: -cell[1]):
        if merged and size * NEARLY > merged[-1][1]:
            merged[-1] = (merged[-1][0] + chance, merged[-1][1])
        else:
            merged.append((chance, size))
    return tuple(merged)
