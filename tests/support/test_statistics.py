"""The tests' own test: the false-alarm rate is what it says, computed exactly."""

import numpy as np
import pytest
from scipy.stats import binom

from tests.support.statistics import FALSE_ALARM, LEAST_EXPECTED, assert_does_not_follow, assert_follows, chi_square


@pytest.mark.parametrize("p", [LEAST_EXPECTED / 1_000_000, 0.001, 0.1, 0.5])
def test_false_alarm_rate_is_an_upper_bound(p: float) -> None:
    n = 1_000_000
    threshold = chi_square(np.zeros(n, dtype=np.int64), {1: p, 0: 1 - p}).threshold
    radius = np.sqrt(threshold * n * p * (1 - p))  # for two cells the statistic is the squared standard score
    exact = binom.sf(np.floor(n * p + radius), n, p) + binom.cdf(np.ceil(n * p - radius) - 1, n, p)
    assert FALSE_ALARM / 100 < exact <= FALSE_ALARM / 2  # the other half belongs to outcomes outside the law


def test_rare_cells_are_merged_before_they_can_raise_a_false_alarm() -> None:
    draws = np.array([0] * 999_998 + [7, 9])  # two outcomes expected 0.02 times each
    assert_follows(draws, {0: 1 - 4e-8, 7: 2e-8, 9: 2e-8})


def test_an_outcome_outside_the_law_is_caught() -> None:
    draws = np.array([0, 1] * 499_000 + [5] * 2_000)
    assert_does_not_follow(draws, {0: 0.5, 1: 0.5})


def test_a_wrong_sample_fails_with_its_numbers() -> None:
    with pytest.raises(AssertionError, match=r"n=1000, cells=2, chi-square=1000\.0, threshold="):
        assert_follows(np.zeros(1000, dtype=np.int64), {0: 0.5, 1: 0.5})
