"""moments: count, mean, variance and standard deviation of a column, together for the price of one."""

import math
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.question import Arrays, Question
from privet.core import Release
from privet.loss.exact import whole
from privet.postprocessing.sampling import mean_deviation, variance_deviation
from privet.stats.sampled_units import ROOT, SampledUnits, rows_at_least
from privet.stats.sums.lattice_sums import BITS, Floats, RowMap, in_rows, lattice_sums, unit_map
from privet.stats.sums.linear_error import LinearError, RatioError, RootError, SlopeError
from privet.stats.sums.mean import clipped_share, shares_sensitivity

ONE = 2**BITS
LARGEST = 0.25  # variance of values between 0 and 1


@dataclass(frozen=True, repr=False)
class Moments:
    """Four answers that were released together; their common price was paid once.

    Args:
        release: the three sums, with the price.
        low: of the bounds.
        width: of the bounds.
        ddof: what is subtracted from the count in the variance's denominator.
        units: who is sampled.

    Privacy: everything here is computed from the released sums. The `loss` of each answer is that of all four.

    Example:
        >>> from privet.stats import moments
        >>> found = moments([30.0, 40.0, 50.0] * 100, bounds=(0, 100), epsilon=1)
        >>> bool(0 < found.mean.value < 100), found.release.loss.epsilon(0)
        (True, 1.0)
    """

    release: Release[Any]
    low: float
    width: float
    ddof: int = 0
    units: SampledUnits = field(default_factory=SampledUnits)

    @property
    def _sums(self) -> tuple[float, float, float]:
        squares, crosses, rest = (float(each) for each in self.release.value)
        return squares, crosses, rest

    @property
    def _shares(self) -> tuple[float, float, float]:
        """The released count, mean and mean square of values between 0 and 1."""
        squares, crosses, rest = self._sums
        number = squares + crosses + rest
        return number, clipped_share(squares + crosses / 2, number), clipped_share(squares, number)

    @property
    def count(self) -> Release[float]:
        """How many values are not missing."""
        error = self.release.uncertainty and LinearError(self.release.uncertainty, (1.0, 1.0, 1.0))
        number = self._shares[0]
        return self.release.map(lambda _: number, uncertainty=error, sampling=self.units.counts(number))

    @property
    def _least_rows(self) -> float:
        noise = self.release.uncertainty
        return rows_at_least(self._shares[0], noise, 3) if noise else 0.0

    @property
    def mean(self) -> Release[float]:
        """The average of the clipped values."""
        number, share, _ = self._shares
        noise = self.release.uncertainty
        rounding = self.width / (2 * ONE)
        error = noise and RatioError(noise, (1.0, 0.5, 0.0), share, number, self.width, rounding)
        deviation = self.width * mean_deviation(share, self._least_rows, variance=self._most_variance)
        sampling = self.units.differ(deviation)
        return self.release.map(lambda _: self.low + self.width * share, uncertainty=error, sampling=sampling)

    @property
    def _most_variance(self) -> float:
        """Of values between 0 and 1, at the upper end of its interval."""
        released = self.variance
        return released.interval()[1] / self.width**2 if released.uncertainty else LARGEST

    @property
    def variance(self) -> Release[float]:
        """The variance of the clipped values."""
        number, mean, square = self._shares
        unit = self.width**2 * per_degree(number, self.ddof)
        value = min(max(square - mean * mean, 0.0), LARGEST) if number > 0 else LARGEST / 2
        noise = self.release.uncertainty
        error = noise and SlopeError(noise, self.slopes(number, mean, square, unit), LARGEST * unit)
        sampling = self.units.differ(unit * variance_deviation(value, self._least_rows))
        return self.release.map(lambda _: value * unit, uncertainty=error, sampling=sampling)

    @staticmethod
    def slopes(number: float, mean: float, square: float, unit: float) -> tuple[float, ...]:
        """By how much the variance moves with each of the three sums."""
        if number <= 0:
            return ()
        parts = ((1.0, 1.0), (0.0, 0.5), (0.0, 0.0))  # of a square and of a value, in each sum
        return tuple(unit / number * ((two - square) - 2 * mean * (one - mean)) for two, one in parts)

    @property
    def stddev(self) -> Release[float]:
        """The root of the variance."""
        variance = self.variance
        error = variance.uncertainty and RootError(variance.uncertainty, variance.value)
        return variance.map(math.sqrt, uncertainty=error, sampling=ROOT)

    def __repr__(self) -> str:
        names = ("count", "mean", "variance", "stddev")
        lines = [f"{name}: {_line(getattr(self, name), 0)}" for name in names]
        return "\n".join([*lines, f"together {_line(self.release, -1)}"])


def _line(release: Release[Any], place: int) -> str:
    """The first line of a release, which is its value, or the last, which is its price."""
    return repr(release).splitlines()[place]


def per_degree(count: float, ddof: int) -> float:
    """Return count / (count - ddof), for a released count, taken to be at least ddof + 1."""
    number = max(count, ddof + 1.0)
    return number / (number - ddof)


@called_as("moments(ages, bounds=(0, 110), epsilon=1)")
def moments(values: Any, *, bounds: Any, ddof: int = 0, **asking: Unpack[Asking]) -> Moments:  # noqa: ANN401 - any column
    """Return count, mean, variance and standard deviation of the values, each clipped to the bounds, at one price.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        ddof: the variance is the sum of squares over count - ddof, as in NumPy; 0 by default.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is for the three sums.

    Privacy: with u = (x - low)/(high - low) the sums of u², 2 u (1 - u) and (1 - u)² are released. A row's three parts
        are not negative and add up to one, so all together move by one row in L1, as one count would.
    Proof: on the lattice the parts are w, 2 (s - w) and 1 - 2 s + w with s = u and w = u² rounded; w <= s, so none
        is negative.

    Example:
        >>> found = moments(np.arange(1000.0), bounds=(0, 1000), epsilon=1)
        >>> found.release.mechanism, found.mean.loss == found.variance.loss
        ('Laplace(l1_sensitivity=1, scale=1)', True)
    """
    declared = Bounds.of(bounds)
    return moments_of(Question.of("moments", (values,), asking), declared, ddof=whole(ddof, "ddof", low=0))


def moments_of(question: Question, bounds: Bounds, *, ddof: int) -> Moments:
    """Return the answer to a question about moments."""
    row_map = unit_map(bounds, question.fill(bounds))
    sensitivity = shares_sensitivity(question, cells=3)
    mechanism = question.noise(sensitivity)
    released = question.release_by(mechanism, lambda arrays: _three_sums(arrays, row_map), sensitivity)
    return Moments(released, float(bounds.low), float(bounds.width), ddof, SampledUnits.of(question))


def _three_sums(arrays: Arrays, row_map: RowMap) -> Floats:
    steps, squares, rows = lattice_sums(arrays, (row_map,), _weigh)
    return in_rows([squares, 2 * (steps - squares), rows * ONE - 2 * steps + squares])


def _weigh(steps: Floats) -> tuple[float, ...]:
    squares = steps * steps
    squares *= 1 / ONE
    np.rint(squares, out=squares)
    return float(steps.sum()), float(squares.sum()), float(len(steps))
