"""Correlations around rough centers: which share of the price finds them, from when on, and the error."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.core import Sensitivity, Uncertainty
from privet.mechanisms import CenteredProducts, Laplace
from privet.mechanisms.laplace import LaplaceError
from privet.stats.sums.centered import merged
from privet.stats.sums.linear_error import FromDistance, LinearError

FROM, SURER = 1000, 5000  # n ε from which centers pay, and from which a smaller share will do
SHARE, SMALLER = Fraction(3, 20), Fraction(1, 10)
CELLS, WIDEST = 40, 40.0  # into which sizes of the centers' errors are sorted, up to so many scales
LEAST = 1e-9  # a variance that says something, in squared widths


def centered_products(budget: Budget | None, rows: int, moved: int) -> CenteredProducts | None:
    """Return the mechanism that finds centers first, where that pays; None where it does not.

    Privacy: from public numbers. Around centers in the middle three sums have less than half the noise of nine shares;
        where the found centers lie near an edge, the shares are released after all, with what is left of ε: measured,
        the error is 0.5 to 0.7 of that without centers in the middle, and up to 1.2 times it at edges. Below n ε = 1000
        the centers' own errors, which enter squared, are too large.
    """
    if budget is None or budget.epsilon is None or rows * budget.epsilon < FROM * moved:
        return None
    if not isinstance(best_noise(budget, Sensitivity(1, cells=9, l1=2)), Laplace):
        return None
    share = SMALLER if rows * budget.epsilon >= SURER * moved else SHARE
    reach = CenteredProducts.reach(moved)
    return CenteredProducts(
        rows,
        moved=moved,
        center=Laplace(1, 2 / (budget.epsilon * share)),
        products=Laplace(reach, reach / (budget.epsilon * (1 - share))),
    )


def around_centers(mechanism: CenteredProducts, released: list[float]) -> tuple[float, Uncertainty]:
    """Return the correlation that two noisy sums and three products give, and the law of its error."""
    centers = mechanism.centers(released)
    reaches = [float(max(center, 1 - center)) for center in centers]
    rough = float(mechanism.center.scale) * mechanism.moved / mechanism.rows
    expected = 2 * rough**2  # what a center's error adds to a variance on average
    both, *halves = (each / mechanism.rows for each in released[2:])
    variances = [2 * half - expected / reach**2 for half, reach in zip(halves, reaches, strict=True)]
    noise = mechanism.products.uncertainty
    if min(variances) <= LEAST:
        return 0.0, ShiftedError(noise, (), ((1.0, 1.0),), 1.0)
    root = math.sqrt(variances[0] * variances[1])
    found = min(max(both / root, -1.0), 1.0)
    slopes = (1 / root, *(-found / each for each in variances))
    sizes = [rough / reach / math.sqrt(each) for reach, each in zip(reaches, variances, strict=True)]
    shifts = _shifts(sizes[0], sizes[1], abs(found))
    return found, ShiftedError(noise, tuple(each / mechanism.rows for each in slopes), shifts, 1 + abs(found))


@dataclass(frozen=True)
class ShiftedError(FromDistance):
    """The error of a smooth function of noisy numbers, to first order, that is shifted besides.

    Args:
        noise: of each number.
        slopes: how much the function moves with each number; none if nothing is known.
        shifts: how likely each size of a shift is.
        width: the distance of its largest and smallest value.

    Proof: the linear part is symmetric with one peak, so its tail beyond a distance grows with the size of a shift that
        is independent of it.
    """

    noise: LaplaceError
    slopes: tuple[float, ...]
    shifts: tuple[tuple[float, float], ...]
    width: float

    def tail(self, distance: float) -> float:
        """The mean over all sizes of the shift."""
        if not self.slopes:
            return 0.0 if distance >= self.width else 1.0
        return (
            0.0
            if distance >= self.width
            else min(1.0, math.fsum(self._beyond(distance, *each) for each in self.shifts))
        )

    def _beyond(self, distance: float, chance: float, shift: float) -> float:
        if shift == math.inf:
            return chance
        return chance * (self._above(distance - shift) + self._above(distance + shift))

    def _above(self, place: float) -> float:
        half = LinearError(self.noise, self.slopes).tail(abs(place)) / 2
        return half if place >= 0 else 1 - half

    def distance(self, tail: float) -> float:
        """Found from above by halving; at most the whole width."""
        return _distance(self, tail)


@lru_cache(maxsize=1024)
def _distance(error: ShiftedError, tail: float) -> float:
    low, high = 0.0, error.width
    while error.slopes and high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if error.tail(middle) <= tail else (middle, high)
    return high


def _shifts(left: float, right: float, size: float) -> tuple[tuple[float, float], ...]:
    """Sizes of what the centers' errors do to a correlation, and how likely they are.

    Args:
        left: the scale of the first center's error, in standard deviations of its column.
        right: of the second.
        size: of the correlation.

    Proof: with errors e and f in these units the covariance has e f more, and the variances e² - E e² and f² - E f²
        more; to first order the correlation moves by e f - r/2 (e² - E e² + f² - E f²). Of each cell of sizes the
        largest is taken.
    """
    ends = [WIDEST * (place / CELLS) ** 2 for place in range(CELLS + 1)] + [math.inf]
    cells = [(math.exp(-low) - math.exp(-high), low, high) for low, high in pairwise(ends)]

    def beyond(low: float, high: float, scale: float) -> float:
        return scale**2 * max(abs(low**2 - 2), abs(high**2 - 2))

    found = (
        (p * q, left * e * right * f + size / 2 * (beyond(low, e, left) + beyond(start, f, right)))
        for p, low, e in cells
        for q, start, f in cells
    )
    return merged(found)
