"""CenteredSpread: a variance or a covariance around a rough center, for a public number of rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import whole
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.staircase import Staircase
from privet.noise import BitSource

STEPS = 2**24  # to a move: sums of up to 2^29 rows fit a float exactly
MOST_ROWS = 2**29
FARTHEST = Fraction(1)  # beyond the bounds that a center is let be, in widths
ONE_MOVE = Sensitivity(1)


@dataclass(frozen=True, init=False, repr=False)
class CenteredSpread(Mechanism[Any, NDArray[np.float64]]):
    """Releases noisy means of one or two columns, and then the noisy sum of products of distances from these.

    Args:
        rows: n, public; how many rows the sums are of.
        moved: how many of them one unit can replace.
        center: noise for a number that moves by 1: of each mean.
        spread: noise for a number that moves by 1: of the sum of products.
        columns: 1 for a variance, 2 for a covariance.

    The input are exact sums over rows with u (and v) in [0, 1]: (Σu, Σu²), or (Σu, Σv, Σuv). The answer has one noisy
    sum for each column and one noisy spread, all in multiples of the farthest that one unit moves them: `centers` and
    `average` read it.

    Privacy: the composition of its noises, under replacement; n must be public. How far a product of distances can
        move depends on the released centers only.
    Proof: replacing `moved` rows moves Σu by at most `moved`, so in that unit by 1. Given the centers c, d, each row's
        (u - c) (v - d) lies between `low` and `high`, the ends of its range over [0, 1] x [0, 1] (for u = v and c = d
        over the diagonal), so the sum moves by at most moved (high - low), once more 1 in that unit: an adaptive
        composition (Dwork and Roth 2014, Theorem B.1). Rounding to 2^-24 of a move keeps moves (`on_lattice`).

    Example:
        >>> mechanism = CenteredSpread(1000, center=Laplace(1, 5), spread=Laplace(1, "1.25"))
        >>> mechanism.loss.epsilon(0)
        1.0
        >>> mechanism.range_around([Fraction(1, 4)])
        (Fraction(0, 1), Fraction(9, 16))
    """

    rows: int
    moved: int
    center: Laplace | Gaussian
    spread: Laplace | Gaussian | Staircase
    columns: int

    def __init__(
        self,
        rows: int,
        *,
        center: Laplace | Gaussian,
        spread: Laplace | Gaussian | Staircase,
        moved: int = 1,
        columns: int = 1,
    ) -> None:
        self._keep(rows=whole(rows, "rows"), moved=whole(moved, "moved"), columns=whole(columns, "columns"))
        self._keep(center=center, spread=spread)
        if self.columns > 2 or self.rows > MOST_ROWS:  # noqa: PLR2004 - a pair
            raise InvalidParameter("columns must be 1 or 2, and rows up to 2^29")
        if not center.covers(ONE_MOVE) or not spread.covers(ONE_MOVE):
            raise InvalidParameter("center and spread must be noise for numbers that move by 1")

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The noise of each center, and of the spread."""
        return self.center.loss * self.columns + self.spread.loss

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Each sum moves by at most as many rows as one unit can replace."""
        return sensitivity.linf <= self.moved

    def check(self, value: Any) -> None:  # noqa: ANN401 - whatever is handed over
        """Refuse what is not a row of so many numbers."""
        if np.ndim(value) != 1 or len(value) != self.columns + 1:
            raise InvalidParameter(
                f"the sums must be a row of {self.columns + 1} numbers: one for each column, and products"
            )

    def sample(self, value: Any, source: BitSource) -> NDArray[np.float64]:  # noqa: ANN401 - a row of exact numbers
        """The noisy sums, and the noisy spread around what they give."""
        self.check(value)
        *lone, both = (Fraction(each) for each in value)
        noisy = [float(self.center.sample(on_lattice(each / self.moved), source)) for each in lone]
        centers = self.centers(noisy)
        low, high = self.range_around(centers)
        first, last = lone[0], lone[-1]
        around = both - centers[0] * last - centers[-1] * first + self.rows * centers[0] * centers[-1]
        shifted = (around - self.rows * (low + high) / 2) / (self.moved * (high - low))
        return np.array([*noisy, float(self.spread.sample(on_lattice(shifted), source))])

    def centers(self, released: Sequence[float]) -> list[Fraction]:
        """The centers that released sums give, at most one width beyond the bounds."""
        means = [Fraction(each) * self.moved / self.rows for each in released[: self.columns]]
        return [min(max(each, -FARTHEST), 1 + FARTHEST) for each in means]

    def range_around(self, centers: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        """The least and the largest product of distances from the centers that one row can have."""
        if self.columns == 1:
            (center,) = centers
            ends = (center**2, (1 - center) ** 2)
            return (Fraction(0) if 0 <= center <= 1 else min(ends)), max(ends)
        corners = [(u - centers[0]) * (v - centers[1]) for u, v in product((0, 1), repeat=2)]
        return min(corners), max(corners)

    def average(self, released: Sequence[float]) -> tuple[float, float]:
        """The noisy mean product of distances, and how much of it one step of the last noise is.

        The mean is that of a covariance plus the product of the centers' errors.
        """
        low, high = self.range_around(self.centers(released))
        unit = (high - low) * self.moved / self.rows
        return float(Fraction(released[-1]) * unit + (low + high) / 2), float(unit)


def on_lattice(number: Fraction) -> float:
    """Return the nearest multiple of 2^-24.

    Proof: rounding is monotone and commutes with whole steps, and 1 is 2^24 of them; so numbers at most 1 apart
        stay so. Numbers up to 2^29 are exact as floats.
    """
    return float(Fraction(math.floor(number * STEPS + Fraction(1, 2)), STEPS))
