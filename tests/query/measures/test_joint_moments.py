"""Joint moments: exact without noise, and covering as stated with it, however few rows there are."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from privet.mechanisms import Gaussian, Laplace
from privet.noise import BitSource
from privet.query.aggregates.joint import Correlation, Covariance, Intercept, Pairs, Slope
from privet.query.measures.noise_margin import Floats, Noise
from privet.query.measures.readings import Reading
from privet.query.measures.request import PRODUCT_SIZE, Shape, Span
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import Facts, Type
from tests.support.statistics import FALSE_ALARM

COLUMN = Column("x", Facts(Type.REAL))
FIRST = Span.between(Fraction(-10), Fraction(30), whole=False, most=1 << 14)
SECOND = Span.between(Fraction(5), Fraction(9), whole=False, most=1 << 14)
BOTH = (COLUMN, 0, Shape.PRODUCTS, FIRST, SECOND, PRODUCT_SIZE)
READINGS: dict[str, Reading] = {
    "covariance": Covariance(*BOTH, sample=True),
    "covariance of a population": Covariance(*BOTH, sample=False),
    "correlation": Correlation(*BOTH),
    "slope": Slope(*BOTH),
    "intercept": Intercept(*BOTH),
    "pairs": Pairs(COLUMN, 0, Shape.PRODUCTS, FIRST, PRODUCT_SIZE),
}
TRIALS = 1_000


def shares(rows: int, correlation: float, place: float) -> tuple[Floats, Floats]:
    """Two columns of numbers between 0 and 1, alike to some extent, around a place."""
    draw = np.random.Generator(np.random.PCG64(rows))
    one, other = draw.normal(size=(2, rows))
    other = correlation * one + np.sqrt(1 - correlation**2) * other
    return np.clip(place + 0.12 * one, 0, 1), np.clip(place + 0.15 * other, 0, 1)


def numbers(p: Floats, q: Floats) -> Floats:
    """The nine numbers of one group, by definition."""
    one, other = (np.stack([each**2, 2 * each * (1 - each), (1 - each) ** 2]) for each in (p, q))
    return np.array([[(a * b).sum() for a in one for b in other]]) * PRODUCT_SIZE


def test_without_noise_everything_is_exact() -> None:
    p, q = shares(50, 0.6, 0.4)
    x, y = -10 + 40 * p, 5 + 4 * q
    slope = np.cov(x, y)[0, 1] / np.var(y, ddof=1)
    expected = {
        "covariance": np.cov(x, y)[0, 1],
        "covariance of a population": np.cov(x, y, ddof=0)[0, 1],
        "correlation": np.corrcoef(x, y)[0, 1],
        "slope": slope,
        "intercept": x.mean() - slope * y.mean(),
        "pairs": 50,
    }
    found = {name: float(reading.values(numbers(p, q))[0]) for name, reading in READINGS.items()}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("noise", [Laplace(1, PRODUCT_SIZE), Gaussian(1, PRODUCT_SIZE)], ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize(("rows", "correlation", "place"), [(20, 0.5, 0.5), (300, -0.9, 0.3), (4_000, 0.99, 0.2)])
def test_intervals_cover(rows: int, correlation: float, place: float, noise: Noise, source: BitSource) -> None:
    """n = 1,000 answers at 95 %, with the noise of ε = 1 or more; an end that is not there holds everything."""
    exact = numbers(*shares(rows, correlation, place))
    drawn = exact + np.asarray(noise.sample(np.zeros((TRIALS, 9), dtype=np.int64), source), dtype=float)
    for name, reading in READINGS.items():
        truth = float(reading.values(exact)[0])
        ends = reading.interval(drawn, noise, 0.95)
        assert ends is not None
        assert binom.cdf(int((~(truth < ends[0]) & ~(truth > ends[1])).sum()), TRIALS, 0.95) >= FALSE_ALARM, name


def test_intervals_are_not_wide_where_rows_are_many_and_the_control_fails(source: BitSource) -> None:
    """n = 1,000 answers: at 95 % fewer than 99.7 % are covered, and at a third of the noise too few."""
    noise = Laplace(1, PRODUCT_SIZE)
    exact = numbers(*shares(20_000, 0.5, 0.7))
    drawn = exact + np.asarray(noise.sample(np.zeros((TRIALS, 9), dtype=np.int64), source), dtype=float)
    for name, reading in READINGS.items():
        truth = float(reading.values(exact)[0])
        for assumed, most in ((noise, 0.997), (Laplace(1, PRODUCT_SIZE / 3), 0.9)):
            ends = reading.interval(drawn, assumed, 0.95)
            assert ends is not None
            covered = int(((ends[0] <= truth) & (truth <= ends[1])).sum())
            assert binom.sf(covered, TRIALS, most) >= FALSE_ALARM, name


def test_groups_without_rows_have_no_value_and_every_interval() -> None:
    noise = Laplace(1, 10)
    for empty in (np.zeros((1, 9)), -np.ones((1, 9))):
        for name, reading in READINGS.items():
            ends = reading.interval(empty, noise, 0.95)
            assert ends is not None
            if name != "pairs":
                assert np.isnan(reading.values(empty)).all()
                assert not (ends[0] > -0.5).any()
                assert not (ends[1] < 0.5).any()
    assert all(len(reading.values(np.zeros((0, 9)))) == 0 for reading in READINGS.values())
