"""The search for bounds: how noisy counts of rows in public bins become the range that values are clipped to.

There are two looks at the bins, and a private middle between them. The first look finds a rough range. If it is far
from 0 for its width, the second look is at bins around the middle; else it is at the same bins once more, and both
counts together tell where the range ends. What is asked of the data, and its price, is the same either way.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.core import Uncertainty
from privet.core.uncertainty import UP
from privet.mechanisms.discrete_gaussian import DiscreteGaussianError
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError
from privet.postprocessing.bins import Bins, Ends, Expected
from privet.postprocessing.weighted_noise import WeightedNoiseError

Floats: TypeAlias = NDArray[np.float64]
SHARES = (Fraction(6, 10), Fraction(1, 10), Fraction(3, 10))  # of the first look, the middle and the second look
PLACES = 1 << 16  # steps of a rough range among which the middle is chosen
WRONG = Fraction(1, 10_000)  # the probability that any far bin without rows is taken for one with rows, at most
NEXT = 0.05  # twice the probability that an empty bin next to the range is taken; of the j-th one, of this to the j
WIDEST = 8  # the high end of a range over its low end, up to which a middle is worth it
CERTAIN = 0.9999  # how sure it must be that a middle lies among the values
HEAVIEST = 0.5  # how many of an octave's rows the next one is expected to have, at most
SURE = 6  # strict thresholds of rows from which a middle is worth it
MORE = 3  # octaves that a tail is continued by, at most


@dataclass(frozen=True)
class CountNoise:
    """The law of a count's error, in rows.

    Args:
        scale: of Laplace noise, or the deviation of normal noise.
        step: how far it may lie from a continuous one: discrete noise within one step, rounded noise within half of it.
        normal: whether it is normal.
    """

    scale: float
    step: float
    normal: bool

    @classmethod
    def of(cls, error: Uncertainty, row: float) -> "CountNoise":
        """Return that of a mechanism which counts a row as `row`."""
        match error:
            case LaplaceError() | GaussianError():
                return cls(error.scale / row, error.step / 2 / row, isinstance(error, GaussianError))
            case DiscreteLaplaceError() | DiscreteGaussianError():
                return cls(error.scale / row, 1 / row, isinstance(error, DiscreteGaussianError))
        raise TypeError("bins are counted with Laplace or Gaussian noise")

    def times(self, weight: float) -> "CountNoise":
        """That of a multiple."""
        return CountNoise(self.scale * weight, self.step * weight, self.normal)


@dataclass(frozen=True)
class Look:
    """Released counts of rows in bins.

    Args:
        bins: public.
        counts: of each, in rows, with noise.
        noises: each count's errors are independent, and of one kind: one of a look, two of two looks together.
    """

    bins: Bins
    counts: Floats
    noises: tuple[CountNoise, ...]

    def with_(self, other: "Look") -> "Look":
        """Both together, of the same bins: each weighs as much as it is sure."""
        sure = [1 / self.noises[0].scale ** 2, 1 / other.noises[0].scale ** 2]
        one, two = (each / sum(sure) for each in sure)
        noises = (self.noises[0].times(one), other.noises[0].times(two))
        return Look(self.bins, one * self.counts + two * other.counts, noises)

    def margin(self, tail: float) -> float:
        """What the size of a count's error exceeds with probability `tail` at most.

        Proof: a sum of normal noises is one. Of Laplace noises with scales s > t, Pr[|sum| > d] is
            (s² e^(-d/s) - t² e^(-d/t)) / (s² - t²), by partial fractions, so at most s²/(s² - t²) e^(-d/s).
        """
        scales = [each.scale for each in self.noises]
        step = sum(each.step for each in self.noises)
        if self.noises[0].normal:
            return math.hypot(*scales) * NormalDist().inv_cdf(1 - tail / 2) * UP + step
        large = max(scales)
        apart = math.prod(large**2 / (large**2 - small**2) for small in sorted(scales)[:-1])
        return large * math.log(apart / tail) * UP + step

    @property
    def strict(self) -> float:
        """The count that a bin must exceed by itself.

        Proof: noise is symmetric, so a bin without rows exceeds its margin half as often as it is exceeded on either
            side: with probability WRONG / 2 / len(bins) at most. Then the union over bins, and over two looks.
        """
        return self.margin(float(WRONG) / len(self.bins))

    def found(self) -> Ends | None:
        """From the first to the last bin above the strict threshold, and on as far as counts say; None if none is."""
        full = np.flatnonzero(self.counts > self.strict)
        if not len(full):
            return None
        first, last = (self._reached(int(end), step) for end, step in ((full[0], -1), (full[-1], 1)))
        return self.bins.ends(self._continued(first, last, -1), self._continued(last, first, 1))

    def _reached(self, end: int, step: int) -> int:
        """On from the end of a range: the j-th bin beyond it is taken if it is above a threshold that grows with j.

        A bin without rows exceeds it with probability NEXT^j / 2 at most, and one too many makes a range 2^j times as
        wide: false bins widen it by some 6 % in expectation, while a gap of j bins is bridged by that many more rows.
        """
        while True:
            beyond = range(end + step, len(self.bins) if step > 0 else -1, step)
            full = (place for j, place in enumerate(beyond, 1) if self.counts[place] > self._threshold(j))
            farther = next(full, None)
            if farther is None:
                return end
            end = farther

    def _threshold(self, bins: int) -> float:
        """For the j-th bin beyond a range."""
        chance = NEXT**bins
        return self.margin(max(chance, float(WRONG) / len(self.bins)))

    def _continued(self, end: int, other: int, step: int) -> int:
        """On from the end of a range where counts fall as those of a heavy tail do.

        The next octave is expected to have as many rows, relative to the last, as the last has to the one before. It is
        taken if its own count does not deny that, and if so many rows are worth twice the noise.
        """
        sure = self.margin(NEXT)
        before, last = float(self.counts[end - step]) if end != other else 0.0, float(self.counts[end])
        for beyond in range(end + step, end + step * (MORE + 1), step):
            outward = (beyond - 2 * step - self.bins.middle) * step > 0
            if not outward or before <= 0 or not 0 <= beyond < len(self.bins):
                break
            before, last = last, last * min(last / before, HEAVIEST)
            if not sure / 2 <= last <= float(self.counts[beyond]) + sure:
                break
            end = beyond
        return end

    def rows(self, ends: Ends) -> float:
        """How many rows lie within a range of these bins."""
        return float(self.counts.sum() - self.counts[list(self.bins.outside(ends))].sum())


@dataclass(frozen=True)
class FoundBounds:
    """What a search has found.

    Args:
        ends: None if no bin was full enough.
        rows: how many rows were counted, with noise.
        outside: how many of them lie beyond the ends, with noise.
        sure: how many more these are at most, with confidence 95 %.
    """

    ends: Ends | None
    rows: float = 0.0
    outside: float = 0.0
    sure: float = 0.0

    @property
    def clipped_share(self) -> float:
        """The share of rows that is expected to be clipped, between 0 and 1."""
        return self._share(self.outside)

    @property
    def largest_clipped_share(self) -> float:
        """The share of rows that is clipped at most, with confidence 95 %, but for the noise of the number of rows."""
        return self._share(max(self.outside, 0.0) + self.sure)

    def _share(self, rows: float) -> float:
        return min(max(rows / self.rows, 0.0), 1.0) if self.rows > 0 else 1.0


def search_bounds(
    expected: Expected,
    *,
    first: Callable[[Bins], Look],
    middle: Callable[[Ends], Fraction],
    off: float,
    second: Callable[[Bins], Look],
) -> FoundBounds:
    """Find the range of values.

    Args:
        expected: what the owner said.
        first: the first look, released.
        middle: of the values within a rough range, released.
        off: by how many rows its rank may be off, with confidence CERTAIN.
        second: the second look, released.

    Privacy: it sees released numbers only. What `middle` and `second` are asked for follows from what was released
        before; each must keep its own price whatever it is asked for, as `first` does. Then the three compose as fixed
        mechanisms do, because the curve of each holds for whatever came before.
    """
    bins = expected.bins
    look = first(bins)
    rough = look.found()
    if rough is not None and far_from_zero(rough) and look.rows(rough) > max(2 * off, SURE * look.strict):
        again = second(Bins.around(middle(rough), rough))
        return _found(again.found() or rough, (look, rough), again)
    both = look.with_(second(bins))
    ends = both.found() or rough
    return FoundBounds(None) if ends is None else _found(ends, None, both)


def far_from_zero(ends: Ends) -> bool:
    """Whether a range is on one side of 0, and not wide for where it is.

    Example:
        >>> far_from_zero((Fraction(512), Fraction(2048))), far_from_zero((Fraction(-1), Fraction(2)))
        (True, False)
    """
    near, far = sorted(abs(end) for end in ends)
    return ends[0] * ends[1] > 0 and far <= WIDEST * near


def _found(ends: Ends, before: tuple[Look, Ends] | None, look: Look) -> FoundBounds:
    """With the rows beyond a rough range, which only the look before has seen, and those beyond the ends within it.

    All rows of an outermost bin that is within the ends may lie beyond it: nobody looked farther.
    """
    seen = [(look, ends), *(() if before is None else (before,))]
    outside, scales = 0.0, list[float]()
    for each, within in seen:
        farthest = each.bins.reached(within) if each is seen[-1][0] else ()
        places = [*each.bins.outside(within), *farthest]
        outside += float(each.counts[places].sum())
        scales += [noise.scale for noise in each.noises] * len(places)
    law: Uncertainty = GaussianError(scale=1.0) if look.noises[0].normal else LaplaceError(scale=1.0)
    sure = WeightedNoiseError.of(law, scales).margin(0.9) if scales else 0.0  # 5 % on either side
    return FoundBounds(ends, float(seen[-1][0].counts.sum()), outside, sure)
