"""Correlations around rough centers: from when on, how much less they err, and that margins hold."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from privet.mechanisms.laplace import LaplaceError
from privet.stats import correlation
from privet.stats.sums.centered_correlation import ShiftedError
from privet.stats.sums.linear_error import SlopeError
from tests.support.statistics import FALSE_ALARM

BOTH = ((0, 100), (0, 100))
PUBLIC: dict[str, Any] = {"bounds": BOTH, "neighbors": "replace", "missing": "none"}
GENERATOR = np.random.default_rng(20)
COMMON = GENERATOR.normal(0, 1, 10_000)
X, Y = (np.clip(50 + 8 * (COMMON + GENERATOR.normal(0, 1, 10_000)), 0, 100) for _ in range(2))
RUNS = 400


@pytest.mark.parametrize(
    ("asking", "around"),
    [
        ({"epsilon": "0.1"}, True),
        ({"epsilon": "0.0999"}, False),
        ({"epsilon": 1, "rows_per_unit": 10}, True),
        ({"epsilon": 1, "rows_per_unit": 11}, False),
        ({"epsilon": 1, "delta": 1e-9}, True),
        ({"epsilon": 1, "delta": "0.2"}, False),  # Gaussian noise errs less
        ({"rho": 1}, False),
        ({"epsilon": 1, "missing": "drop"}, False),  # how many rows count is private
        ({"epsilon": 1, "neighbors": "add_remove"}, False),
    ],
    ids=str,
)
def test_centers_are_found_where_they_pay(asking: dict[str, Any], around: bool) -> None:  # noqa: FBT001 - what is expected
    answer = correlation((X, Y), **{**PUBLIC, **asking})
    assert answer.mechanism.startswith("CenteredProducts") == around
    if "epsilon" in asking and "delta" not in asking:
        assert answer.loss.epsilon(0) == pytest.approx(float(asking["epsilon"]))


@cache  # one sample serves two tests: to draw it is what takes the time
def errors(shift: float, **asking: Any) -> tuple[np.ndarray, np.ndarray]:  # noqa: ANN401 - a price
    columns = tuple(np.clip(column - shift, 0, 100) for column in (X, Y))
    truth = float(np.corrcoef(columns[0], columns[1])[0, 1])
    answers = [correlation(columns, **{**PUBLIC, **asking}) for _ in range(RUNS)]
    return np.array([answer.value - truth for answer in answers]), np.array([each.margin(0.95) for each in answers])


def test_answers_err_less_around_centers() -> None:
    """The means of 400 errors each have deviations of 4 %: 0.6 and 1 of each other are told apart but for 1e-6."""
    around, _ = errors(0, epsilon=1)
    plain, _ = errors(0, epsilon="0.5", neighbors="add_remove")  # nine shares with the same noise
    assert np.abs(around).mean() < 0.8 * np.abs(plain).mean()


@pytest.mark.parametrize(("shift", "epsilon"), [(0, 1), (0, "0.12"), (35, 1)], ids=str)
def test_margins_hold(shift: float, epsilon: Any) -> None:  # noqa: ANN401 - a price
    """400 intervals of 95 %: fewer than 352 hold once in 10^6 runs; at n ε = 1200, and at an edge, too."""
    off, margins = errors(shift, epsilon=epsilon)
    assert binom.cdf(int((np.abs(off) <= margins).sum()), RUNS, 0.95) > FALSE_ALARM
    assert binom.cdf(int((np.abs(off) <= 0.5 * margins).sum()), RUNS, 0.95) < FALSE_ALARM, "the control"


def test_without_a_shift_the_law_is_the_plain_one() -> None:
    noise, slopes = LaplaceError(scale=1.0), (0.01, -0.02)
    plain, shifted = SlopeError(noise, slopes, 2.0), ShiftedError(noise, slopes, ((1.0, 0.0),), 2.0)
    assert shifted.distance(0.05) == pytest.approx(plain.distance(0.05), rel=1e-3)
    farther = ShiftedError(noise, slopes, ((0.5, 0.0), (0.5, 0.1)), 2.0)
    assert shifted.distance(0.05) < farther.distance(0.05) < shifted.distance(0.05) + 0.1
    assert ShiftedError(noise, (), ((1.0, 1.0),), 1.0).distance(0.05) == 1, "nothing is known"
    assert shifted.tail(2.0) == 0, "no correlation is farther off"


def test_columns_that_hardly_vary_say_nothing() -> None:
    still = np.full(10_000, 50.0)
    for _ in range(20):  # a variance of nothing is found to be negative half the time
        answer = correlation((still, Y), **PUBLIC, epsilon=1)
        assert abs(answer.value) <= 1
        assert 0 < answer.margin(0.95) <= 2
