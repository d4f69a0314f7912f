"""Joint: aggregates of two arguments: CORR, COVAR, REGR_SLOPE, REGR_INTERCEPT and REGR_COUNT.

All of them are read off the same nine numbers (`measures/joint_moments.py`), so that together they cost as much as one.
A row where either argument is NULL does not count.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.query.aggregates.exact import Exact
from privet.query.aggregates.rule import NUMBERS, Added, AggregateRule, DrawnNumbers, always, width_of
from privet.query.measures.joint_moments import ROWS, Ends, JointMoments, product_ends, quotient_ends
from privet.query.measures.noise_margin import Floats, Noise
from privet.query.measures.readings import Linear, Reading
from privet.query.measures.request import Span
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type

BOX = 0.04  # of what the confidence leaves: for each number that is wanted only roughly


@dataclass(frozen=True)
class JointReading(Reading):
    """A column of two arguments; NULL where the released count is not above 0.

    Args:
        second: the span of the second argument; `span` is that of the first.
        rows: lattice steps that stand for one row.
    """

    second: Span
    rows: int

    @property
    def widths(self) -> tuple[float, float]:
        """How far the bounds of each argument are apart."""
        return float(self.span.step * self.span.steps), float(self.second.step * self.second.steps)

    @property
    def lows(self) -> tuple[float, float]:
        """The lower bound of each argument."""
        return float(self.span.step * self.span.first), float(self.second.step * self.second.first)

    @abstractmethod
    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> Ends:
        """Ends of an interval around each value."""


@dataclass(frozen=True)
class Pairs(Linear):
    """How many rows have both; rounded to a whole number.

    Args:
        rows: lattice steps that stand for one row.
    """

    rows: int

    @property
    def weights(self) -> Floats:
        """Every row adds the same to the sum of its numbers."""
        return np.asarray(ROWS / self.rows)

    @property
    def note(self) -> str:
        """It may come out below 0."""
        return "rounded to whole numbers; noise may take it below 0"


@dataclass(frozen=True)
class Covariance(JointReading):
    """A covariance.

    Args:
        sample: divides by n - 1.
    """

    sample: bool

    def values(self, numbers: Floats) -> Floats:
        """The mean product less the product of means."""
        moments = JointMoments(numbers)
        rows = np.maximum(moments.rows / self.rows, 2.0)
        unit = self.widths[0] * self.widths[1]
        return np.asarray(moments.covariance * unit * (rows / (rows - 1) if self.sample else 1.0))

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> Ends:
        """All quotients of a sum of products and a number of rows that the released numbers do not contradict."""
        moments = JointMoments(numbers)
        rest = 1 - confidence
        first, second = (moments.mean_interval(axis, noise, rest * BOX) for axis in (0, 1))
        products = moments.products_interval(first, second, noise, rest * 0.7)
        rows = moments.rows_interval(noise, rest * 0.2)
        fewer = self.rows if self.sample else 0
        low, high = quotient_ends(products, (rows[0] - fewer, rows[1] - fewer))
        most = 0.5 if self.sample else 0.25  # two rows at opposite bounds
        unit = self.widths[0] * self.widths[1]
        return np.clip(np.nan_to_num(low, nan=-most), -most, most) * unit, np.clip(
            np.nan_to_num(high, nan=most), -most, most
        ) * unit

    @property
    def note(self) -> str:
        """Where it lies."""
        most = self.widths[0] * self.widths[1] / (2 if self.sample else 4)
        return f"between {-most:g} and {most:g}; NULL where the released count is not above 0"


@dataclass(frozen=True)
class Correlation(JointReading):
    """A correlation, between -1 and 1; NULL where a released variance is not above 0."""

    def values(self, numbers: Floats) -> Floats:
        """The covariance over the root of both variances."""
        moments = JointMoments(numbers)
        spread = np.sqrt(moments.variance(0) * moments.variance(1))
        return np.asarray(np.clip(moments.covariance / np.where(spread > 0, spread, np.nan), -1.0, 1.0))

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> Ends:
        """All correlations that the released numbers do not contradict."""
        moments = JointMoments(numbers)
        rest = 1 - confidence
        first, second = (moments.mean_interval(axis, noise, rest * BOX) for axis in (0, 1))
        products = moments.products_interval(first, second, noise, rest * BOX)
        one = moments.squares_interval(0, first, noise, rest * BOX)
        other = moments.squares_interval(1, second, noise, rest * BOX)
        low, high = quotient_ends(products, (np.sqrt(one[0] * other[0]), np.sqrt(one[1] * other[1])))
        roughly = (np.clip(np.nan_to_num(low, nan=-1.0), -1.0, 1.0), np.clip(np.nan_to_num(high, nan=1.0), -1.0, 1.0))
        return moments.correlation_interval((first, second), (one, other), roughly, noise, rest * (1 - 5 * BOX))

    @property
    def note(self) -> str:
        """Where it lies."""
        return "between -1 and 1; NULL where the released count or a variance is not above 0"


@dataclass(frozen=True)
class Slope(JointReading):
    """The slope of the line that fits the first argument by the second best; NULL as a correlation is."""

    def values(self, numbers: Floats) -> Floats:
        """The covariance over the variance of the second argument."""
        moments = JointMoments(numbers)
        spread = moments.variance(1)
        return np.asarray(moments.covariance / np.where(spread > 0, spread, np.nan) * self._unit)

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> Ends:
        """All slopes that the released numbers do not contradict; an end may be missing."""
        moments = JointMoments(numbers)
        rest = 1 - confidence
        first, second = (moments.mean_interval(axis, noise, rest * BOX) for axis in (0, 1))
        return self._slopes(moments, first, second, noise, rest * (1 - 2 * BOX))

    def _slopes(self, moments: JointMoments, first: Ends, second: Ends, noise: Noise, rest: float) -> Ends:
        """Given where the means lie."""
        products = moments.products_interval(first, second, noise, rest * BOX)
        roughly = quotient_ends(products, moments.squares_interval(1, second, noise, rest * BOX))
        low, high = moments.slope_interval(first, second, roughly, noise, rest * (1 - 2 * BOX))
        return low * self._unit, high * self._unit

    @property
    def _unit(self) -> float:
        return self.widths[0] / self.widths[1]

    @property
    def note(self) -> str:
        """When it is not there."""
        return "NULL where the released count or the second variance is not above 0; an end of NULL: it has no bound"


@dataclass(frozen=True)
class Intercept(Slope):
    """Where that line is at 0."""

    def values(self, numbers: Floats) -> Floats:
        """The mean of the first argument less the slope times the mean of the second."""
        moments = JointMoments(numbers)
        first, second = (low + width * moments.mean(axis) for axis, low, width in self._axes)
        return np.asarray(first - super().values(numbers) * second)

    def interval(self, numbers: Floats, noise: Noise, confidence: float) -> Ends:
        """All intercepts that the released numbers do not contradict, for slopes in their interval; or no ends.

        Proof: let b be the exact slope and a the exact intercept, so that Σ (y - b x - a) is 0. The released sum is
            then a weighted sum of the noises, and a is (Σ y - b Σ x) / n of the released sums, less that over the
            released n. The first is linear in b. Where a lies roughly follows from the means and slopes, so that the
            weights are at most those at the corners, in absolute value.
        """
        moments = JointMoments(numbers)
        rest = 1 - confidence
        boxes = [moments.mean_interval(axis, noise, rest * BOX) for axis in (0, 1)]
        slopes = self._slopes(moments, boxes[0], boxes[1], noise, rest * 0.5)
        first, second = ([low + width * end for end in boxes[axis]] for axis, low, width in self._axes)
        least, most = product_ends(slopes, (second[0], second[1]))
        roughly = (first[0] - most, first[1] - least)
        reach = moments.line_margin(self._axes, slopes, roughly, noise, rest * (0.5 - 2 * BOX))
        y, x = (low + width * moments.mean(axis) for axis, low, width in self._axes)
        least, most = product_ends(slopes, (x, x))
        return np.asarray(y - most - reach), np.asarray(y - least + reach)

    @property
    def _axes(self) -> list[tuple[int, float, float]]:
        return [(axis, self.lows[axis], self.widths[axis]) for axis in (0, 1)]


# --- facts ---


def _covariance_facts(wanted: Aggregation) -> Facts:
    """At most what two values at the bounds of each have."""
    widths = [width_of(argument) for argument in wanted.arguments]
    if None in widths:
        return Facts(Type.REAL, nullable=True)
    most = (widths[0] or 0) * (widths[1] or 0) / Fraction(2)
    return Facts(Type.REAL, nullable=True, low=-most, high=most)


def _correlation_facts(wanted: Aggregation) -> Facts:
    del wanted
    return Facts(Type.REAL, nullable=True, low=Fraction(-1), high=Fraction(1))


def _exact_correlation_facts(wanted: Aggregation, limits: Limits | None) -> tuple[Facts, Facts]:
    """Rounding may take it beyond 1 by a bit, so it is clipped."""
    del limits
    return Facts(Type.REAL, nullable=True), _correlation_facts(wanted)


def _any_number(wanted: Aggregation) -> Facts:
    del wanted
    return Facts(Type.REAL, nullable=True)


def _count(wanted: Aggregation) -> Facts:
    del wanted
    return Facts(Type.INTEGER, nullable=False)


# --- within a unit ---


def _exact_covariance(exact: Exact) -> str:
    return f"({exact.gap(exact.first, exact.second)} * {exact.step(0)} * {exact.step(1)} / {exact.pairs})"


def _exact_correlation(exact: Exact) -> str:
    spreads = (f"SQRT({exact.gap(each, each)})" for each in (exact.first, exact.second))
    return f"({exact.gap(exact.first, exact.second)} / NULLIF({' * '.join(spreads)}, 0))"


def _exact_slope(exact: Exact) -> str:
    square = f"NULLIF({exact.gap(exact.second, exact.second)}, 0)"
    return f"({exact.gap(exact.first, exact.second)} / {square} * ({exact.step(0)} / {exact.step(1)}))"


def _exact_intercept(exact: Exact) -> str:
    first, second = (
        f"{exact.real(exact.total(each))} * {exact.step(place)}"
        for place, each in enumerate((exact.first, exact.second))
    )
    return f"(({first} - {_exact_slope(exact)} * {second}) / NULLIF({exact.count}, 0))"


# --- readings ---


def _covariance(wanted: Aggregation, numbers: DrawnNumbers) -> Covariance:
    measure = numbers.measure
    parts = (numbers.column, numbers.draw, measure.shape, measure.span, measure.second_span)
    return Covariance(*parts, measure.product_size, wanted.sample)


def _reads(kind: type[Correlation | Slope]) -> Callable[[Aggregation, DrawnNumbers], Reading]:
    def reading(wanted: Aggregation, numbers: DrawnNumbers) -> Reading:
        del wanted
        measure = numbers.measure
        parts = (numbers.column, numbers.draw, measure.shape, measure.span, measure.second_span)
        return kind(*parts, measure.product_size)

    return reading


def _pairs(wanted: Aggregation, numbers: DrawnNumbers) -> Pairs:
    del wanted
    measure = numbers.measure
    return Pairs(numbers.column, numbers.draw, measure.shape, measure.span, measure.product_size)


TWO = (NUMBERS, NUMBERS)
PRODUCTS = frozenset({Added.PRODUCTS})
JOINT: Mapping[Function, AggregateRule] = {
    Function.COVARIANCE: AggregateRule(
        names={
            "covar_samp": Aggregation(Function.COVARIANCE),
            "covar_pop": Aggregation(Function.COVARIANCE, sample=False),
        },
        takes=TWO,
        exact_facts=always(_covariance_facts),
        exact=_exact_covariance,
        squared=True,
        across=NUMBERS,
        facts=_covariance_facts,
        added=PRODUCTS,
        reading=_covariance,
    ),
    Function.CORRELATION: AggregateRule(
        names={"corr": Aggregation(Function.CORRELATION)},
        takes=TWO,
        exact_facts=_exact_correlation_facts,
        exact=_exact_correlation,
        squared=True,
        across=NUMBERS,
        facts=_correlation_facts,
        added=PRODUCTS,
        reading=_reads(Correlation),
    ),
    Function.SLOPE: AggregateRule(
        names={"regr_slope": Aggregation(Function.SLOPE)},
        takes=TWO,
        exact_facts=always(_any_number),
        exact=_exact_slope,
        squared=True,
        across=NUMBERS,
        facts=_any_number,
        added=PRODUCTS,
        reading=_reads(Slope),
    ),
    Function.INTERCEPT: AggregateRule(
        names={"regr_intercept": Aggregation(Function.INTERCEPT)},
        takes=TWO,
        exact_facts=always(_any_number),
        exact=_exact_intercept,
        squared=True,
        across=NUMBERS,
        facts=_any_number,
        added=PRODUCTS,
        reading=_reads(Intercept),
    ),
    Function.PAIRS: AggregateRule(
        names={"regr_count": Aggregation(Function.PAIRS)},
        takes=TWO,
        exact_facts=always(_count),
        exact=lambda exact: exact.count,
        squared=True,
        across=NUMBERS,
        facts=_count,
        added=PRODUCTS,
        reading=_pairs,
    ),
}
