"""CenteredProducts: squares and products of two columns around rough centers, for a public number of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import whole
from privet.mechanisms.centered_spread import MOST_ROWS, ONE_MOVE, on_lattice
from privet.mechanisms.laplace import Laplace
from privet.noise import BitSource

ROUNDING = Fraction(1, 2**20)  # more than rounding three numbers to 2^-24 adds to a move
MOMENTS, SHARES = 5, 9
BETTER = Fraction(27, 20)  # times the noise of products: shares are better where they have less
HALVES = (Fraction(1), Fraction(1, 2), Fraction(0))  # of u in the shares u², 2 u (1 - u), (1 - u)²


@dataclass(frozen=True, init=False, repr=False)
class CenteredProducts(Mechanism[Any, NDArray[np.float64]]):
    """Releases noisy means of two columns, and then three sums around them, or nine shares of the rows.

    Args:
        rows: n, public; how many rows the sums are of.
        center: noise for a number that moves by 1: of each mean.
        products: noise for numbers that move by `reach(moved)` in L1.
        moved: how many of the rows one unit can replace.

    The input are exact sums over rows with u and v in [0, 1]: Σu, Σv, Σu², Σv², Σuv, and nine shares that are not
    negative and add up to n, as `correlation` makes them. The answer are two noisy sums, in multiples of `moved`, and
    then, with a and b the distances from the centers in parts of the farthest possible, Σab, Σa²/2 and Σb²/2; or the
    shares, if centers near an edge of the bounds make these the better (`around` tells which).

    Privacy: the composition of its noises, under replacement; n must be public. What is released second depends on the
        released centers only.
    Proof: a sum moves by at most `moved`. Given the centers, |a| and |b| are at most 1. If a row (a, b) becomes (c, d),
        |ab - cd| + |a² - c²|/2 + |b² - d²|/2 <= 2: the last two terms add up to the larger of |S - S'| and |T - T'|,
        S = (a² + b²)/2, T = (a² - b²)/2. With S: |ab| <= S, so for products of opposite signs the sum is at most
        S + S' + |S - S'| = 2 max(S, S') <= 2, and else at most 1 + 1. With T: |ab| + |T| <= 1 for either row, since
        t + (1 - t²)/2 <= 1. Shares of a replaced row move by 2 in L1. Adaptive composition does the rest (Dwork and
        Roth 2014, Theorem B.1); `reach` includes what rounding to 2^-24 adds.

    Example:
        >>> noise = Laplace(CenteredProducts.reach(1), 3)
        >>> mechanism = CenteredProducts(1000, center=Laplace(1, 20), products=noise)
        >>> mechanism.around([Fraction(1, 2), Fraction(2, 5)]), mechanism.around([Fraction(1, 10), Fraction(1, 5)])
        (True, False)
    """

    rows: int
    moved: int
    center: Laplace
    products: Laplace

    def __init__(self, rows: int, *, center: Laplace, products: Laplace, moved: int = 1) -> None:
        self._keep(rows=whole(rows, "rows"), moved=whole(moved, "moved"), center=center, products=products)
        if self.rows > MOST_ROWS:
            raise InvalidParameter("rows must be at most 2^29")
        if not center.covers(ONE_MOVE) or products.l1_sensitivity < self.reach(self.moved):
            raise InvalidParameter(
                "center must be noise for a number that moves by 1, and products noise for numbers that move by "
                "CenteredProducts.reach(moved) in L1"
            )

    @staticmethod
    def reach(moved: int) -> Fraction:
        """How far the sums that come second can move, in L1, if so many rows are replaced."""
        return 2 * moved + ROUNDING

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The noise of both centers, and of what comes second."""
        return self.center.loss * 2 + self.products.loss

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Each sum moves by at most as many rows as one unit can replace."""
        return sensitivity.linf <= self.moved

    def check(self, value: Any) -> None:  # noqa: ANN401 - whatever is handed over
        """Refuse what is not a row of so many numbers."""
        if np.ndim(value) != 1 or len(value) != MOMENTS + SHARES:
            raise InvalidParameter(
                f"the sums must be a row of {MOMENTS + SHARES} numbers: five moments and nine shares"
            )

    def sample(self, value: Any, source: BitSource) -> NDArray[np.float64]:  # noqa: ANN401 - a row of exact numbers
        """The noisy sums of both columns, and three products or nine shares."""
        self.check(value)
        exact = [Fraction(each) for each in value]
        noisy = [float(self.center.sample(on_lattice(each / self.moved), source)) for each in exact[:2]]
        centers = self.centers(noisy)
        second = self._around(exact, centers) if self.around(centers) else exact[MOMENTS:]
        told = self.products.sample(np.array([on_lattice(each) for each in second]), source)
        return np.concatenate([noisy, np.asarray(told)])

    def centers(self, released: Sequence[float]) -> list[Fraction]:
        """The centers that released sums give, within the bounds."""
        return [min(max(Fraction(each) * self.moved / self.rows, Fraction(0)), Fraction(1)) for each in released[:2]]

    def around(self, centers: Sequence[Fraction]) -> bool:
        """Whether products around these centers come second, and not shares: the noise of a covariance decides."""
        first, second = (_reach(center) ** 2 for center in centers)
        left, right = (sum((each - center) ** 2 for each in HALVES) for center in centers)
        return BETTER**2 * first * second < left * right

    def _around(self, exact: Sequence[Fraction], centers: Sequence[Fraction]) -> list[Fraction]:
        """Σab, Σa²/2 and Σb²/2."""
        left, right, left_square, right_square, both = exact[:MOMENTS]
        (c, d), n = centers, self.rows
        r, s = _reach(c), _reach(d)
        return [
            (both - c * right - d * left + n * c * d) / (r * s),
            (left_square - 2 * c * left + n * c * c) / (2 * r * r),
            (right_square - 2 * d * right + n * d * d) / (2 * s * s),
        ]


def _reach(center: Fraction) -> Fraction:
    """How far a value between 0 and 1 can lie from the center."""
    return max(center, 1 - center)
