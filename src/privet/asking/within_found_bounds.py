"""WithinFoundBounds: a column's bounds are found, and then sums of what lies within them are released."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.bounds import Bounds
from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, Guarantee, PrivacyLoss
from privet.loss.exact import readable
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace
from privet.mechanisms.interval_quantile import IntervalQuantile, known_numbers
from privet.noise import BitSource
from privet.postprocessing.bins import Bins, Ends, Expected
from privet.postprocessing.bounds_search import CERTAIN, PLACES, CountNoise, FoundBounds, Look, search_bounds

Floats: TypeAlias = NDArray[np.float64]
Weigh: TypeAlias = Callable[[NDArray[Any], Bounds], Any]


@dataclass(frozen=True, repr=False)
class WithinFoundBounds(Mechanism[NDArray[Any], Floats]):
    """Counts rows in bins, draws a median, counts once more, and releases sums of values clipped to what was found.

    Args:
        statistic: what the sums are for.
        rows: how many rows one unit can add or remove, or replace.
        moved: how many rows' weight one unit can move counts by, in all: as many, or twice as many if it replaces them.
        look: noise of the first counts.
        epsilon: of the median.
        again: noise of the second counts.
        answer: noise of the sums.
        expected: what the owner said of the values.
        weigh: the sums of a column within bounds. One unit moves them by what `answer` covers, whatever the bounds are.
        promise: what it was made for, if that is not pure.

    The answer has: 1 if bounds were found, else 0; the bounds; how many rows were counted, how many of them lie beyond,
    how many more at most; and the sums.

    Privacy: the composition of its four steps.
    Proof: a row is in one bin, so one unit moves counts by at most `moved` in L1, and by rows √(moved / rows) in L2,
        whatever the bins are; it moves the rank of the median by at most half of `moved` (see `IntervalQuantile`:
        half a row for one that comes or goes, one for one replaced); and the sums as said. Bins, the ends between which
        the median is drawn, and bounds are functions of what was released before (`search_bounds`). So each
        step is a mechanism whose curve holds whatever was released before: an adaptive composition of four
        fixed curves (Dwork and Roth 2014, Theorem B.1). A median that is not needed is not drawn, and counted.
    """

    of_rows: ClassVar[bool] = True

    statistic: str
    rows: int
    moved: int
    look: DiscreteLaplace | DiscreteGaussian
    epsilon: Fraction
    again: DiscreteLaplace | DiscreteGaussian
    answer: Mechanism[Any, Any]
    expected: Expected
    weigh: Weigh = field(repr=False, compare=False)
    promise: Guarantee | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        moves = count_moves(self.rows, self.moved)
        if not self.look.covers(moves) or not self.again.covers(moves):
            raise InvalidParameter("look and again must be noise for counts that one unit moves by `moved` rows")
        self._refuse_broken_promise()

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of all steps."""
        middle = PrivacyLoss.of(ExponentialCurve(self.epsilon))
        return self.look.loss + middle + self.again.loss + self.answer.loss

    @cached_property
    def _described(self) -> str:
        """Short: counts are described by their scales."""
        first, second = (readable(each.scale) for each in (self.look, self.again))
        kind = "normal " if isinstance(self.look, DiscreteGaussian) else ""
        words = [self.statistic, f"rows={self.rows}", f"moved={self.moved}", f"counts ± {kind}{first} and {second}"]
        words += [f"{name}={value}" for name, value in vars(self.expected).items() if value is not None]
        return f"{type(self).__name__}({', '.join(words)}, epsilon={readable(self.epsilon)}, {self.answer!r})"

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in rows."""
        return sensitivity.linf <= self.rows and sensitivity.l1 <= self.moved

    def check(self, value: NDArray[Any]) -> None:
        """Refuse what is not a column of numbers."""
        known_numbers(value)

    def sample(self, value: NDArray[Any], source: BitSource) -> Floats:
        """What was found, and the sums."""
        known = known_numbers(value).astype(np.float64)
        found = search_bounds(
            self.expected,
            first=lambda bins: self._look(self.look, known, bins, source),
            middle=lambda ends: Fraction(self._median(ends).sample(known, source)),
            off=self._median(self.expected.fallback).rank_margin(CERTAIN),
            second=lambda bins: self._look(self.again, known, bins, source),
        )
        bounds = Bounds(*(found.ends or self.expected.fallback))
        sums = np.atleast_1d(self.answer.sample(self.weigh(value, bounds), source))
        about = (found.ends is not None, bounds.low, bounds.high, found.rows, found.outside, found.sure)
        return np.array([*map(float, about), *sums.tolist()])

    def _median(self, ends: Ends) -> IntervalQuantile:
        half = Fraction(self.moved, 2)
        return IntervalQuantile("0.5", bounds=ends, score_sensitivity=half, epsilon=self.epsilon, points=PLACES)

    @staticmethod
    def _look(noise: DiscreteLaplace | DiscreteGaussian, values: Floats, bins: Bins, source: BitSource) -> Look:
        counts = np.asarray(noise.sample(counted(values, bins), source), dtype=np.float64)
        return Look(bins, counts, (CountNoise.of(noise.uncertainty, 1.0),))


def read_found(released: Floats) -> tuple[FoundBounds, Bounds, Floats]:
    """What was found, the bounds, and the sums of a released answer."""
    is_found, low, high, rows, outside, sure = released[:6].tolist()
    bounds = Bounds(Fraction(low), Fraction(high))
    ends = (bounds.low, bounds.high) if is_found else None
    return FoundBounds(ends, rows, outside, sure), bounds, released[6:]


def counted(values: Floats, bins: Bins) -> NDArray[np.int64]:
    """How many values are in each bin: of its ends a bin has the one nearer to the center.

    Example:
        >>> counted(np.array([-2.0, -1.0, 0.0, 1.0, 5.0]), Bins((Fraction(-2), Fraction(-1), Fraction(1), Fraction(2))))
        array([2, 1, 2])
    """
    inner = [float(edge) for edge in bins.edges[1:-1]]
    below = np.array([edge for edge in inner if edge <= bins.center])
    above = np.array([edge for edge in inner if edge > bins.center])
    places = np.searchsorted(below, values, side="left") + np.searchsorted(above, values, side="right")
    return np.bincount(places, minlength=len(bins)).astype(np.int64)


def count_moves(rows: int, moved: int) -> Sensitivity:
    """How far one unit moves the counts of bins."""
    return Sensitivity(rows, cells=moved, l1=moved, l2=root_above(Fraction(rows * moved)))
