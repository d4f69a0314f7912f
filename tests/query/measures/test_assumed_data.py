"""Assumed data: what is foreseen to be cut off is what is cut off data of that kind."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.query.measures.assumed_data import beyond_bounds, lost_share
from privet.query.scalars.facts import ExpectedValues

DRAWS = 1_000_000


@given(st.floats(1, 1e6), st.integers(1, 1 << 62))
def test_a_share_is_one_and_no_law_loses_less_than_the_bound_of_jensen(each: float, cap: int) -> None:
    share = lost_share(each, cap)
    assert max(0.0, 1 - cap / each) <= share + 1e-12 <= 1
    assert lost_share(each, cap + 1) <= share


def test_of_one_row_each_the_share_holds_for_every_law() -> None:
    rows = np.array([1, 1, 1, 7, 40])
    assert lost_share(float(rows.mean()), 1) == pytest.approx(1 - np.minimum(rows, 1).sum() / rows.sum())


@pytest.mark.parametrize(
    ("mean", "deviation", "low", "high"), [(300, 400, 0, 1000), (40, 20, 0, 60), (0, 10, -5, 20), (50, 5, 52, 90)]
)
def test_what_bounds_cut_off_is_what_they_cut_off_such_values(
    mean: float, deviation: float, low: float, high: float
) -> None:
    """A million values of a known seed; six deviations of their mean, and a control that is far from it."""
    draw = np.random.default_rng(1)
    if low >= 0 and mean < 2 * deviation:
        squared = math.log1p((deviation / mean) ** 2)
        values = draw.lognormal(math.log(mean) - squared / 2, math.sqrt(squared), DRAWS)
    else:
        values = draw.normal(mean, deviation, DRAWS)
    lost = values - np.clip(values, low, high)
    foreseen = beyond_bounds(ExpectedValues(Fraction(mean), Fraction(deviation)), low, high)
    assert foreseen is not None
    slack = 6 * float(lost.std()) / math.sqrt(DRAWS)
    assert abs(float(lost.mean()) - foreseen) < slack
    assert abs(float(lost.mean()) - 1.2 * foreseen) > slack


def test_extremes_are_numbers() -> None:
    huge = ExpectedValues(Fraction(1, 10**300), Fraction(10**300))
    assert math.isfinite(beyond_bounds(huge, 0, 1) or 0.0)
    assert beyond_bounds(ExpectedValues(Fraction(7), Fraction(0)), 0, 5) == 2
    assert beyond_bounds(ExpectedValues(Fraction(7)), 0, 5) is None
