"""Reading: how one released column is computed from released numbers, and how sure it is.

Reading
├── Count       rows, units or distinct values
├── Total       SUM
├── Average     AVG
├── Variance    VARIANCE
│   └── Deviation   STDDEV
└── Quantile    MEDIAN and other quantiles, MIN, MAX

Those of two arguments are in `aggregates/joint.py`.

A released number is the exact one plus noise, in lattice steps; everything here is computed from released numbers and
public ones, so it costs nothing. NaN stands for NULL.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.query.measures.noise_margin import Floats, Noise, noise_margin
from privet.query.measures.ratio_interval import fieller, proportion, quotient
from privet.query.measures.request import Shape, Span
from privet.query.scalars.dates import iso_date
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import Type

ROUNDED = 0.501  # steps that a value lies from its place, at most


@dataclass(frozen=True)
class Reading(ABC):
    """One released column.

    Args:
        column: as it is released.
        draw: the place of its numbers among the draws.
        shape: of these numbers.
        span: of these numbers.
    """

    column: Column
    draw: int
    shape: Shape
    span: Span

    @abstractmethod
    def values(self, numbers: Floats) -> Floats:
        """The column, one value for each row of released numbers."""

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> tuple[Floats, Floats] | None:  # noqa: ARG002 - none by default
        """Ends of an interval around each value, or None if there is no honest one."""
        return None

    @property
    def note(self) -> str:
        """What a reader should know about it."""
        return ""

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value of the argument."""
        return float(self.span.step * self.span.first), float(self.span.step * self.span.last)


@dataclass(frozen=True)
class Linear(Reading):
    """A column that is a weighted sum of released numbers: its interval is exact."""

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Of each number of the draw."""

    def values(self, numbers: Floats) -> Floats:
        """The weighted sums."""
        return np.asarray(numbers @ self.weights)

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> tuple[Floats, Floats]:
        """The values plus or minus one public margin."""
        values = self.values(numbers)
        margin = self.margin(noise, confidence)
        return values - margin, values + margin

    def margin(self, noise: Noise, confidence: float) -> float:
        """Known before anything is spent."""
        return float(noise_margin(self.weights[None, :], noise, confidence)[0])


@dataclass(frozen=True)
class Count(Linear):
    """How many; rounded to a whole number, and not held above 0, so that sums of counts stay right.

    Args:
        part: lattice steps that stand for one row.
    """

    part: int

    @property
    def weights(self) -> Floats:
        """Every row adds the same to the sum of its numbers."""
        steps = self.span.steps
        each = {Shape.MEAN: [1 / steps] * 2, Shape.SPREAD: [1 / steps**2] * 3}
        return np.array(each.get(self.shape, [1 / self.part]))

    @property
    def note(self) -> str:
        """It may come out below 0."""
        return "rounded to whole numbers; noise may take it below 0"


@dataclass(frozen=True)
class Total(Linear):
    """A sum, in the argument's unit.

    Args:
        whole: whether it is rounded to a whole number.
    """

    whole: bool

    @property
    def weights(self) -> Floats:
        """Of MEAN: (high A + low B) / steps; of SPREAD the same with what lies between."""
        low, high = self.bounds
        steps = self.span.steps
        if self.shape is Shape.MEAN:
            return np.array([high, low]) / steps
        if self.shape is Shape.SPREAD:
            return np.array([high, (low + high) / 2, low]) / steps**2
        return np.array([float(self.span.step)])

    @property
    def note(self) -> str:
        """What a row adds at most."""
        low, high = self.bounds
        return f"each row adds between {low:g} and {high:g}"


@dataclass(frozen=True)
class Average(Reading):
    """An average: a quotient of released numbers, clipped to the bounds; NULL if the released count is not above 0."""

    def values(self, numbers: Floats) -> Floats:
        """The bounds' mixture in the released proportion."""
        low, high = self.bounds
        return low + (high - low) * np.clip(proportion(numbers), 0.0, 1.0)

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> tuple[Floats, Floats]:
        """All averages that the released numbers do not contradict (Fieller 1954), within the bounds.

        Proof: let p be the exact proportion. From the released numbers, upper - p total is, whatever the data, a
            weighted sum of the noises alone, with weights known from p. The interval holds every p for which it lies
            within its margin; the exact p is among them with at least the stated probability.
        """
        low, high = self.bounds
        least, most = fieller(numbers, noise, confidence)
        return low + (high - low) * least, low + (high - low) * most

    @property
    def note(self) -> str:
        """It stays within the bounds."""
        low, high = self.bounds
        return f"between {low:g} and {high:g}; NULL where the released count is not above 0"


@dataclass(frozen=True)
class Variance(Reading):
    """A variance, never below 0; its interval is a linear approximation.

    Args:
        sample: divides by n - 1.
    """

    sample: bool

    def values(self, numbers: Floats) -> Floats:
        """The mean square less the square of the mean, both from released numbers."""
        total = numbers.sum(axis=1)
        first = proportion(numbers)
        second = quotient(numbers[:, 0], total)
        return np.asarray(np.clip(second - first**2, 0.0, 0.25) * self._unit(total))

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> tuple[Floats, Floats]:
        """The margin of the derivative of the variance at the released numbers."""
        total = numbers.sum(axis=1)
        first = proportion(numbers)
        second = quotient(numbers[:, 0], total)
        slopes = np.stack([1 - second, -second, -second], axis=1)
        slopes -= 2 * first[:, None] * np.stack([1 - first, 0.5 - first, -first], axis=1)
        margin = noise_margin(np.nan_to_num(slopes / total[:, None]), noise, confidence)
        center = second - first**2
        unit = self._unit(total)
        low = np.clip(center - margin, 0.0, 0.25)
        high = np.clip(center + margin, 0.0, 0.25)
        unknown = ~(total > 0)
        return np.where(unknown, 0.0, low) * unit, np.where(unknown, 0.25, high) * unit

    def _unit(self, total: Floats) -> Floats:
        """The square of the bounds' distance, and n/(n-1) for a sample."""
        low, high = self.bounds
        rows = np.maximum(total / self.span.steps**2, 2.0)
        return np.asarray((high - low) ** 2 * (rows / (rows - 1) if self.sample else np.ones_like(rows)))

    @property
    def note(self) -> str:
        """How good its interval is."""
        return "never below 0; its interval is a linear approximation; NULL where the released count is not above 0"


@dataclass(frozen=True)
class Deviation(Variance):
    """The root of a variance."""

    def values(self, numbers: Floats) -> Floats:
        """The root."""
        return np.asarray(np.sqrt(super().values(numbers)))

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> tuple[Floats, Floats]:
        """The roots of the variance's interval."""
        low, high = super().interval(numbers, noise, confidence)
        return np.sqrt(low), np.sqrt(high)


@dataclass(frozen=True)
class Quantile(Reading):
    """A place of the lattice; how far it is off in value depends on the data, so an interval must be drawn with it.

    Args:
        fraction: the share of rows below it.
        drawn_ends: whether the released numbers are the place, and the two ends of its interval.
        whole: whether the argument's values are the places themselves, not rounded to them.
    """

    fraction: Fraction
    drawn_ends: bool = False
    whole: bool = False

    def values(self, numbers: Floats) -> Floats:
        """The chosen place, in the argument's unit."""
        return self._at(numbers[:, 0])

    def _at(self, places: Floats) -> Floats:
        return np.asarray(float(self.span.step) * (self.span.first + places))

    def ends(self, numbers: Floats) -> tuple[Floats, Floats] | None:
        """The ends of the interval that was drawn, if one was.

        Proof: between the two places lies the quantile of the values rounded to places (`GroupedInterval`). Rounding
            keeps the order and moves no value between the bounds by more than half a step, and so no quantile; a
            thousandth of a step more covers what floats do to it. Values and their quantile lie within the declared
            bounds, which need not be places.
        """
        if not self.drawn_ends:
            return None
        aside = 0.0 if self.whole else ROUNDED * float(self.span.step)
        facts = self.column.facts
        least = -math.inf if facts.low is None else float(facts.low)
        most = math.inf if facts.high is None else float(facts.high)
        low, high = self._at(numbers[:, 1]) - aside, self._at(numbers[:, 2]) + aside
        return np.clip(low, least, most), np.clip(high, least, most)

    @property
    def note(self) -> str:
        """Which quantile it is, and where it is looked for."""
        low, high = self.bounds
        if self.column.facts.type is Type.DATE:
            ends = f"{iso_date(int(low))} and {iso_date(int(high))}"
        else:
            ends = f"{low:g} and {high:g}"
        percent = f"{float(100 * self.fraction):g}"
        where = f"chosen among {self.span.steps + 1:,} places between {ends}"
        if self.drawn_ends:
            return f"the {percent} % quantile, {where}, as are the ends of its interval"
        return f"the {percent} % quantile, {where}; no interval: what a rank is off by in value depends on the data"
