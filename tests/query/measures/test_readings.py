"""Readings and margins: exact without noise, and covering as stated with it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace
from privet.noise import BitSource
from privet.query.measures.noise_margin import Noise, noise_margin
from privet.query.measures.readings import Average, Count, Deviation, Quantile, Reading, Total, Variance
from privet.query.measures.request import Shape, Span
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import Facts, Type
from tests.support.statistics import FALSE_ALARM

COLUMN = Column("x", Facts(Type.REAL))
LATTICE = Span.between(Fraction(-20), Fraction(110), whole=True)
SQUARES = Span.between(Fraction(-20), Fraction(110), whole=True, most=1 << 14)
NOISES: list[Noise] = [Laplace(1, 3000), Gaussian(1, 3000), DiscreteLaplace(1, 3000)]
TRIALS = 2_000
FEW = [[1.0], [1.0, 1.0], [2.0, -0.5], [1.0, 0.0], [1.0, 0.5, -0.25], [1.0, 1.0, 1.0]]
MANY = [[1.0] * 9, [1.0] + [0.0] * 8, [0.25, 0.0, -0.25] * 3, [1.0, 0.9, 0.5, -0.1, 1e-9]]
WEIGHTS = FEW + MANY


def sums(values: list[float], span: Span, shape: Shape) -> np.ndarray:
    """The exact numbers of one group, by definition."""
    places = [round(value / span.step) - span.first for value in map(Fraction, values)]
    rest = [span.steps - place for place in places]
    if shape is Shape.MEAN:
        return np.array([[sum(places), sum(rest)]], dtype=float)
    squares = [sum(u * u for u in places), sum(2 * u * v for u, v in zip(places, rest, strict=True))]
    return np.array([[*squares, sum(v * v for v in rest)]], dtype=float)


def covers(hits: int, chance: float) -> bool:
    """Whether so many hits are no surprise if each has at least this chance."""
    return bool(binom.cdf(hits, TRIALS, chance) >= FALSE_ALARM)


@given(st.lists(st.integers(-20, 110), min_size=2, max_size=20))
def test_without_noise_everything_is_exact(values: list[int]) -> None:
    for shape, span in ((Shape.MEAN, LATTICE), (Shape.SPREAD, SQUARES)):
        numbers = sums([*values], span, shape)
        assert Count(COLUMN, 0, shape, span, 1).values(numbers)[0] == pytest.approx(len(values))
        assert Total(COLUMN, 0, shape, span, whole=True).values(numbers)[0] == pytest.approx(sum(values), abs=1e-6)
        assert Average(COLUMN, 0, shape, span).values(numbers)[0] == pytest.approx(np.mean(values))
    for sample in (True, False):
        spread = float(np.var(values, ddof=int(sample)))
        assert Variance(COLUMN, 0, Shape.SPREAD, SQUARES, sample=sample).values(numbers)[0] == pytest.approx(
            spread, abs=1e-6
        )
        assert Deviation(COLUMN, 0, Shape.SPREAD, SQUARES, sample=sample).values(numbers)[0] == pytest.approx(
            math.sqrt(spread), abs=1e-3
        )


def test_a_quantile_is_a_place_in_the_arguments_unit() -> None:
    coarse = Span.between(Fraction(10), Fraction(20), whole=False, most=100)
    reading = Quantile(COLUMN, 0, Shape.RANKS, coarse, Fraction(1, 2))
    assert reading.values(np.array([[0.0], [50.0], [100.0]])).tolist() == [10.0, 15.0, 20.0]
    assert reading.interval(np.array([[0.0]]), Laplace(1, 1), 0.95) is None


def test_groups_without_rows_have_no_average_and_every_interval() -> None:
    numbers = np.array([[-5.0, 3.0], [0.0, 0.0]])
    average = Average(COLUMN, 0, Shape.MEAN, LATTICE)
    assert np.isnan(average.values(numbers)).all()
    low, high = average.interval(numbers, Laplace(1, 10), 0.95)
    assert low.tolist() == [-20.0, -20.0]
    assert high.tolist() == [110.0, 110.0]
    variance = Variance(COLUMN, 0, Shape.SPREAD, SQUARES, sample=True)
    empty = np.array([[-5.0, 2.0, 1.0]])
    assert np.isnan(variance.values(empty)).all()
    assert variance.interval(empty, Laplace(1, 10), 0.95)[0][0] == 0


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_margins_of_weighted_noise_hold_and_are_not_wide(noise: Noise, weights: list[float], source: BitSource) -> None:
    n = 20_000
    confidence = 0.95
    draws = np.asarray(noise.sample(np.zeros((n, len(weights)), dtype=np.int64), source), dtype=float) @ weights
    margin = float(noise_margin(np.array([weights]), noise, confidence)[0])
    inside = int((np.abs(draws) <= margin).sum())
    assert binom.cdf(inside, n, confidence) >= FALSE_ALARM
    assert binom.sf(inside, n, confidence + 0.005) >= FALSE_ALARM
    assert binom.cdf(int((np.abs(draws) <= 0.7 * margin).sum()), n, confidence) < FALSE_ALARM  # the control


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)
@pytest.mark.parametrize("rows", [3, 40])
def test_average_intervals_cover_even_in_small_groups(noise: Noise, rows: int, source: BitSource) -> None:
    """2,000 answers at 95 %: here the noise is up to a third of the whole count."""
    coarse = Span(Fraction(130, 1000), -154, 846)
    values = [float(coarse.step * place) for place in np.linspace(-100, 700, rows).astype(int).tolist()]
    exact = sums(values, coarse, Shape.MEAN)
    average = Average(COLUMN, 0, Shape.MEAN, coarse)
    truth = float(average.values(exact)[0])
    scaled: Noise = Gaussian(1, 600) if isinstance(noise, Gaussian) else type(noise)(1, 600)
    numbers = exact + np.asarray(scaled.sample(np.zeros((TRIALS, 2), dtype=np.int64), source), dtype=float)
    low, high = average.interval(numbers, scaled, 0.95)
    inside = int(((low <= truth) & (truth <= high)).sum())
    assert covers(inside, 0.95)
    narrow, narrower = average.interval(numbers, scaled, 0.6)
    assert not covers(int(((narrow <= truth) & (truth <= narrower)).sum()), 0.95)  # the control
    assert binom.sf(inside, TRIALS, 0.975) >= FALSE_ALARM


def test_average_intervals_are_not_wide_where_rows_are_many(source: BitSource) -> None:
    exact = np.array([[3e8, 7e8]])
    average = Average(COLUMN, 0, Shape.MEAN, LATTICE)
    noise = Laplace(1, 1e5)
    numbers = exact + np.asarray(noise.sample(np.zeros((TRIALS, 2), dtype=np.int64), source), dtype=float)
    low, high = average.interval(numbers, noise, 0.95)
    truth = float(average.values(exact)[0])
    inside = int(((low <= truth) & (truth <= high)).sum())
    assert covers(inside, 0.95)
    assert binom.sf(inside, TRIALS, 0.965) >= FALSE_ALARM


def test_variance_intervals_cover_where_rows_are_many(source: BitSource) -> None:
    values = np.linspace(-20, 110, 4001).round().tolist()
    exact = sums(values, SQUARES, Shape.SPREAD)
    noise = Laplace(1, float(SQUARES.steps**2) * 3)
    numbers = exact + np.asarray(noise.sample(np.zeros((TRIALS, 3), dtype=np.int64), source), dtype=float)
    for reading in (
        Variance(COLUMN, 0, Shape.SPREAD, SQUARES, sample=True),
        Deviation(COLUMN, 0, Shape.SPREAD, SQUARES, sample=False),
    ):
        truth = float(reading.values(exact)[0])
        low, high = reading.interval(numbers, noise, 0.95)
        assert covers(int(((low <= truth) & (truth <= high)).sum()), 0.94)  # an approximation, said to be one
        narrow, narrower = reading.interval(numbers, noise, 0.6)
        assert not covers(int(((narrow <= truth) & (truth <= narrower)).sum()), 0.94)  # the control


def test_notes_say_what_a_reader_should_know() -> None:
    readings: list[Reading] = [
        Count(COLUMN, 0, Shape.ROWS, LATTICE, 1),
        Total(COLUMN, 0, Shape.SUM, LATTICE, whole=True),
        Average(COLUMN, 0, Shape.MEAN, LATTICE),
        Variance(COLUMN, 0, Shape.SPREAD, SQUARES, sample=True),
    ]
    assert [reading.note.split(";")[0] for reading in readings] == [
        "rounded to whole numbers",
        "each row adds between -20 and 110",
        "between -20 and 110",
        "never below 0",
    ]
