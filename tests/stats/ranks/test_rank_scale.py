"""RankScale: order, there and back, and what a logarithmic scale is good for."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import maximum, median, minimum, quantile, quantile_interval, quantiles
from privet.asking.bounds import Bounds
from privet.asking.question import Question
from privet.errors import InvalidParameter
from privet.stats.ranks.rank_scale import FINE, OCTAVES, RankScale

BOUNDS = [(0, 10**6), (-5, 3), (-(10**150), 10**150), (1e-150, 1), (2, 2.5), (-7, -1)]
ODD = [math.inf, -math.inf, 1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0, 1.0, 2.0**60]
VALUES = st.sampled_from(ODD) | st.floats(allow_nan=False) | st.floats(-10, 10)


def log_scale(bounds: tuple[Any, Any]) -> RankScale:
    return RankScale.of(Bounds.of(bounds), None, "log")


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@given(one=VALUES, other=VALUES)
def test_places_keep_the_order_and_values_come_back(bounds: tuple[Any, Any], one: float, other: float) -> None:
    scale = log_scale(bounds)
    low, high = scale.places(np.array(sorted([one, other])))
    assert scale.low <= low <= high <= scale.high
    assert low == int(low)
    inside = min(max(one, float(bounds[0])), float(bounds[1]))
    back = scale.value(float(scale.places(np.array([one]))[0]))
    near_zero = math.ldexp(1.0, (scale.octave or 0) - OCTAVES - FINE)
    assert abs(back - inside) <= max(abs(inside) * 2.0**-FINE, near_zero)


@pytest.mark.parametrize("place", [0, 1, 2**FINE - 1, 2**FINE, 2**FINE + 1, 3 * 2**FINE + 12345])
def test_every_place_has_a_value_of_its_own(place: int) -> None:
    scale = log_scale((-1, 1))
    for sign in (1, -1):
        assert scale.places(np.array([scale.value(sign * place)])).tolist() == [sign * place]


def test_each_row_is_placed_by_itself_and_nothing_missing_is_found() -> None:
    scale = log_scale((0, 100))
    column = np.array([1.0, math.nan, 70.0, -3.0, math.inf])
    together = scale.places(column)
    alone = [scale.places(column[[row]])[0] for row in range(5)]
    assert np.array_equal(together, alone, equal_nan=True)
    assert np.isnan(together).tolist() == [False, True, False, False, False]
    assert np.array_equal(scale.places(np.array([1, 70], dtype=np.int16)), together[[0, 2]])


def test_wide_bounds_cost_far_less() -> None:
    """99 of 10,000 values lie above the quantile, whose rank is off by 230 for about one draw in 10,000 at ε = 0.1."""
    column = np.exp(np.random.default_rng(3).normal(3, 2, 10_000))
    asking: dict[str, Any] = {"bounds": (0, 10**6), "epsilon": "0.1"}
    truth = float(np.quantile(column, 0.99))
    errors = [
        float(np.median([abs(quantile(column, 0.99, scale=scale, **asking).value - truth) for _ in range(41)]))
        for scale in ("log", "linear")
    ]
    assert errors[0] < 3000
    assert errors[1] > 30_000, "the control"


def test_all_statistics_of_ranks_take_the_scale() -> None:
    column = np.exp(np.linspace(-10, 10, 4001))
    asking: dict[str, Any] = {"bounds": (-(10**6), 10**6), "scale": "log", "epsilon": 2}
    assert 0.5 < median(column, **asking).value < 2
    assert 0 < minimum(column, **asking).value < 0.01
    assert 100 < maximum(column, **asking).value < 30_000
    low, middle, high = quantiles(column, [0.25, 0.5, 0.75], **asking).value
    assert 0.003 < low < 0.02
    assert 0.5 < middle < 2
    assert 75 < high < 300
    interval = quantile_interval(column, 0.5, **asking)
    assert interval.value[0] < 1 < interval.value[1]
    answer = median(column, **asking)
    assert answer.mechanism.endswith("of logarithmic steps")
    assert answer.rank_margin() < median(column, bounds=(-(10**6), 10**6), epsilon=2).rank_margin()


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        ({"scale": "exp"}, 'scale must be "linear" or "log"'),
        ({"scale": None}, 'scale must be "linear" or "log"'),
        ({"scale": "log", "step": 1}, "step goes with"),
        ({"scale": "log", "bounds": (2**40, 2**40 + 1)}, "too close"),
    ],
    ids=str,
)
def test_bad_scales_are_refused(asking: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        median([1.0], **{"bounds": (0, 10), "epsilon": 1, **asking})


AGES = [31, 44, 47]
TYPED = [
    np.array(AGES),
    np.array(AGES, dtype=np.uint8),
    pa.array([31, None]),
    pd.Series(AGES, dtype="Int64"),
    pd.Series([31, None], dtype="Int64"),
]
UNTYPED = [
    AGES,
    (31, None),
    range(3),
    np.array(AGES, dtype=np.float64),
    np.array(AGES, dtype=object),
    pd.Series(AGES),  # one row that is missing would make floats of it
    pa.array([31.0]),
]


def points(column: Any, bounds: tuple[Any, Any] = (0, 110), step: Any = None, **asking: Any) -> int:  # noqa: ANN401 - any column
    question = Question.of("quantile", (column,), {"epsilon": 1, **asking})
    return RankScale.of(Bounds.of(bounds), step, "linear").for_column(question).points


@pytest.mark.parametrize("column", TYPED, ids=lambda column: type(column).__name__)
def test_a_type_of_whole_numbers_has_whole_points(column: Any) -> None:  # noqa: ANN401 - any column
    assert points(column) == 110
    assert points(column, (-5, 10**9)) == 10**9 + 5
    assert points(column, (0, 10**10)) == 2**32, "no more points than others have"
    assert points(column, (0, 110), "0.5") == 220, "what was said is kept"
    for real in (
        {"bounds": (0, 110.5)},
        {"bounds": (0.5, 110)},
        {"missing": 0.5},
        {"missing": "none", "bounds": (0, 111)},
    ):
        assert points(column, **real) == 2**32, "the middle, too, must be whole if it may stand for a missing value"
    log = RankScale.of(Bounds.of((0, 110)), None, "log")
    assert log.for_column(Question.of("quantile", (column,), {"epsilon": 1})) == log


@pytest.mark.parametrize("column", UNTYPED, ids=lambda column: type(column).__name__)
def test_rows_never_decide_what_the_points_are(column: Any) -> None:  # noqa: ANN401 - any column
    assert points(column) == 2**32
    assert points(column, step=1) == 110


def test_quantiles_of_whole_numbers_are_whole() -> None:
    """Each decile of 10,000 ages is exact but for about one draw in 10^30; on fine steps hardly any is."""
    ages = np.repeat(np.arange(20, 70), 200)
    deciles = [Fraction(place, 10) for place in range(1, 10)]
    wanted = np.quantile(ages, [float(each) for each in deciles], method="lower")
    found = quantiles(ages, deciles, bounds=(0, 110), epsilon=1).value
    assert np.abs(found - wanted).max() <= 1
    assert all(float(each).is_integer() for each in found)
    for ask in (median, minimum, maximum):
        assert ask(ages, bounds=(0, 110), epsilon=1).value.is_integer()
    assert not all(
        float(each).is_integer() for each in quantiles(ages.tolist(), deciles, bounds=(0, 110), epsilon=1).value
    )
