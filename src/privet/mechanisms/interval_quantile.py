"""IntervalQuantile: a quantile chosen among all points between two bounds."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.loss.exact import Exact, exact, exact_within, readable, whole
from privet.mechanisms.additive import positive
from privet.noise import BitSource
from privet.noise.rank import RankLaw

Column: TypeAlias = ArrayLike
POINTS = 1 << 32  # steps between the bounds, where nothing else is asked for
MOST_POINTS = 1 << 44
LARGEST_FLOAT = Fraction(2) ** 1023
NARROWEST = 2.0**-900  # so that points divided by it is a float


@dataclass(frozen=True, init=False, repr=False)
class IntervalQuantile(Mechanism[Column, float]):
    """Chooses a point between the bounds, the likelier the nearer its rank is to the quantile's.

    Args:
        quantile: in [0, 1]; 1/2 is the median.
        bounds: the lowest and the highest value; values beyond are clipped to them. The answer lies between.
        score_sensitivity: > 0; the most that one unit moves the rank of a point against the target, in rows:
            max(q, 1-q) for one row more or less, 1 for one row replaced, k times as much for a unit of k rows.
        epsilon: > 0; the pure ε.
        points: how many equal steps lie between the bounds; answers and rounded values are multiples of one.
        offset: so many ranks above (or below) the quantile is the target. For the quantiles 0 and 1 it ends in the
            middle of the ranks, so that "a few from the end" makes sense for a few rows as well.

    Privacy: epsilon-DP with the curve of the exponential mechanism, whatever the values: ties, NaN (dropped) and
        infinities (clipped) included.
    Proof: point j is scored -d(j) = -max(0, below(j) - t, t - upto(j)) with the target t = q n + offset. One row more
        moves t by q, and below(j) and upto(j) by 0 or 1: so both differences move by at most max(q, 1-q), and so
        does their maximum. Where t ends at n/2 it moves by 0 to 1, so they move by at most 1, which is max(q, 1-q)
        there. A replaced row leaves t alone and moves each difference by at most 1. Moving k rows is a chain of k
        such steps. Values are rounded one by one before. The draw is the exponential mechanism's, exactly
        (`RankLaw`); a gap weighs as much as it has points (McSherry and Talwar 2007; Smith 2011). All of it is in
        docs/proofs/quantiles.md.
    Not covered: time.

    Example:
        >>> median = IntervalQuantile("0.5", bounds=(0, 100), score_sensitivity="0.5", epsilon=1)
        >>> median.loss.epsilon(delta=0)
        1.0
        >>> round(median.rank_margin(0.95), 1)  # rows, whatever the data are
        25.2
    """

    quantile: Fraction
    bounds: tuple[Fraction, Fraction]
    score_sensitivity: Fraction
    epsilon: Fraction
    points: int
    offset: Fraction

    def __init__(  # noqa: PLR0913 - public parameters, each by name
        self,
        quantile: Exact,
        *,
        bounds: tuple[Exact, Exact],
        score_sensitivity: Exact,
        epsilon: Exact,
        points: int = POINTS,
        offset: Exact = 0,
    ) -> None:
        self._keep(
            quantile=exact_within(quantile, "quantile", low=0, high=1),
            bounds=ordered_bounds(bounds),
            score_sensitivity=positive(score_sensitivity, "score_sensitivity"),
            epsilon=positive(epsilon, "epsilon"),
            points=whole(points, "points"),
            offset=exact(offset, "offset"),
        )
        if self.points > MOST_POINTS:
            raise InvalidParameter(f"points must be at most 2^44, got {points}: answers need no finer steps")
        if not Fraction(1, 1 << 200) <= self.rate <= 1 << 200:
            raise InvalidParameter("epsilon / score_sensitivity must lie between 2^-199 and 2^200")

    @property
    def rate(self) -> Fraction:
        """The factor before the score, epsilon / (2 score_sensitivity), exactly."""
        return self.epsilon / (2 * self.score_sensitivity)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The curve of a loss whose range is epsilon."""
        return PrivacyLoss.of(ExponentialCurve(self.epsilon))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the largest move of one point's score, in rows."""
        return sensitivity.linf <= self.score_sensitivity

    def check(self, value: Column) -> None:
        """Refuse what is not a column of numbers."""
        number_column(value)

    def sample(self, value: Column, source: BitSource) -> float:
        """A point between the bounds."""
        return self.point(self.law(value).one(source))

    def law(self, value: Column) -> RankLaw:
        """The law of the answer, in steps above the lower bound. As secret as the values."""
        values = known_numbers(value)
        return RankLaw(values, top=self.points, target=self.target(len(values)), rate=self.rate, place=self.place)

    def target(self, rows: int) -> Fraction:
        """The rank aimed at among so many rows."""
        aimed = self.quantile * rows + self.offset
        middle = Fraction(rows, 2)
        if self.quantile == 0:
            return min(aimed, middle) if self.offset > 0 else aimed
        return max(aimed, middle) if self.quantile == 1 and self.offset < 0 else aimed

    @cached_property
    def _parts(self) -> int:
        """Parts of a rank of which every target is a whole number: halves too, for it may end in the middle."""
        return math.lcm(self.quantile.denominator, self.offset.denominator, 2)

    def place(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The step nearest to each value, as float64 sees it: monotone, and for each value by itself."""
        return placed(values, bounds=self.bounds, points=self.points)

    def point(self, step: int) -> float:
        """The value of a step."""
        low, high = self.bounds
        return float(low + step * (high - low) / self.points)

    @cached_property
    def _described(self) -> str:
        """The public parameters as they were typed."""
        words = f"{readable(self.quantile)}, {described_bounds(self.bounds, self.points)}"
        if self.offset:
            words += f", offset={readable(self.offset)}"
        score, price = readable(self.score_sensitivity), readable(self.epsilon)
        return f"{type(self).__name__}({words}, score_sensitivity={score}, epsilon={price})"

    def rank_margin(self, confidence: float = 0.95) -> float:
        """How many rows the rank of the answer may be off: farther with at most probability 1 - confidence.

        Proof: the points that are r rows off weigh together at most (points + 1) e^(-rate r), the best one weighs 1.
            In the unit of the values no margin is known without the data: it depends on how dense they are.
        """
        refuse_certainty(confidence, "confidence")
        return (math.log(self.points + 1) - math.log1p(-confidence)) / float(self.rate) * UP


def placed(values: NDArray[Any], *, bounds: tuple[Fraction, Fraction], points: int) -> NDArray[np.int64]:
    """Return the step from 0 to `points` nearest to each value between the bounds; beyond them, the nearer end.

    Monotone, because every float operation here is: so values may be put in order before or after.
    """
    low, high = float(bounds[0]), float(bounds[1])
    inside = np.clip(values.astype(np.float64), low, high)
    inside /= 2.0  # so that no difference overflows
    inside -= low / 2.0
    inside *= points / (high / 2.0 - low / 2.0)
    return np.clip(np.rint(inside), 0, points).astype(np.int64)


def ordered_bounds(bounds: tuple[Exact, Exact]) -> tuple[Fraction, Fraction]:
    """Return (low, high) as exact numbers that are different floats."""
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise InvalidParameter(f"bounds must be a pair (low, high), got {bounds!r}") from None
    low, high = exact(low, "the lower bound"), exact(high, "the upper bound")
    if not -LARGEST_FLOAT <= low < high <= LARGEST_FLOAT:
        raise InvalidParameter(f"bounds must be finite with low < high, got {bounds!r}: give the lower one first")
    if float(high) / 2 - float(low) / 2 < NARROWEST:
        raise InvalidParameter(f"bounds must be farther apart, got {bounds!r}: choose another unit")
    return low, high


def described_bounds(bounds: tuple[Fraction, Fraction], points: int) -> str:
    """The bounds as they were typed, and the points where they are not the usual ones."""
    low, high = (readable(bound) for bound in bounds)
    return f"bounds=({low}, {high})" + ("" if points == POINTS else f", points={points}")


def number_column(value: Column) -> NDArray[Any]:
    """Return the value as one row of numbers; the error says what to do, and no value."""
    try:
        column = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("the value must be one row of numbers, got something uneven") from None
    if column.ndim != 1 or column.dtype.kind not in "biuf":
        kind = f"{column.ndim} dimensions of {column.dtype}"
        if column.size or column.ndim != 1:
            raise InvalidParameter(f"the value must be one row of numbers, got {kind}: convert it first")
    return column if column.size else np.empty(0)


def known_numbers(value: Column) -> NDArray[Any]:
    """Return the numbers of a column that are not NaN."""
    column = number_column(value)
    missing = np.isnan(column) if column.dtype.kind == "f" else np.zeros(1, dtype=np.bool_)
    known: NDArray[Any] = column[~missing] if missing.any() else column
    return known
