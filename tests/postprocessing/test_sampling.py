"""Sampling: what is taken for the difference of samples is never less than it is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, poisson

from privet.postprocessing.sampling import MORE, mean_deviation, sum_of_squares, variance_deviation

NORMAL = 1.959964
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(SHARES, st.integers(1, 5))
def test_bounds_hold_for_any_rows(rows: list[float], alike: int) -> None:
    """Units of several equal rows each are the worst case: their variance is so many times that of rows."""
    values = np.repeat(rows, alike)
    n = len(values)
    spread = float(values.var())
    assert float(values @ values) <= float(sum_of_squares(values.sum(), 1))
    clustered = math.sqrt(alike * spread / n)  # of means of units of so many rows
    assert clustered <= math.sqrt(alike) * mean_deviation(float(values.mean()), n) + 1e-12
    assert math.sqrt(spread / n) <= mean_deviation(float(values.mean()), n, variance=spread) + 1e-12
    squares = (values - values.mean()) ** 2
    assert math.sqrt(float(squares.var()) / n) <= variance_deviation(spread, n) + 1e-12


def test_few_rows_are_not_taken_for_sure() -> None:
    """Without noise, 95 % intervals hold the population's number 94 % of the time; with one row more they would not."""

    def of_counts(mean: float, more: int) -> float:
        found = np.arange(400)
        return float(poisson.pmf(found, mean) @ (np.abs(found - mean) <= NORMAL * np.sqrt(found + more)))

    means = np.linspace(0.05, 60, 500)
    assert min(of_counts(mean, MORE) for mean in means) > 0.94
    assert min(of_counts(mean, 1) for mean in means) < 0.87  # the control
    for rows in (30, 100, 1_000):
        found = np.arange(rows + 1)
        reach = NORMAL * np.array([mean_deviation(each / rows, rows) for each in found])
        for share in np.linspace(0.001, 0.999, 99):
            held = np.abs(found / rows - share) <= reach
            assert float(binom.pmf(found, rows, share) @ held) > 0.94


def test_nothing_is_known_of_no_rows() -> None:
    assert mean_deviation(0.5, -3) == variance_deviation(0.1, 0) == 1.0
    assert mean_deviation(-7.0, 10) == mean_deviation(0.0, 10) == pytest.approx(math.sqrt(MORE) / 10)
