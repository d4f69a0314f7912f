"""quantile, median, minimum, maximum, quantiles: what they release, at which price, and how near."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from privet import Guarantee, Ledger, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.mechanisms import HalvingQuantiles, IntervalQuantile, Laplace
from privet.stats import maximum, median, minimum, quantile, quantiles
from tests.support.recording_ledger import Recording

SALARIES = np.linspace(20_000, 80_000, 2001)


@pytest.mark.parametrize("kind", [np.array, list, tuple, pd.Series, pl.Series])
def test_every_kind_of_column_is_taken(kind: Any) -> None:  # noqa: ANN401 - makes a column
    answer = median(kind(SALARIES.tolist()), bounds=(0, 200_000), epsilon=10)
    assert answer.value == pytest.approx(50_000, abs=500)  # five ranks are 150; ten times as many are 1e-21 likely


@pytest.mark.parametrize(
    ("q", "asking", "sensitivity"),
    [
        ("0.5", {}, Sensitivity("0.5")),
        ("0.9", {}, Sensitivity("0.9")),
        ("0.1", {}, Sensitivity("0.9")),
        ("0.9", {"neighbors": "replace"}, Sensitivity(1)),
        ("0.9", {"rows_per_unit": 4}, Sensitivity("3.6")),
        ("0.5", {"rows_per_unit": 4, "neighbors": "replace"}, Sensitivity(4)),
    ],
    ids=str,
)
def test_the_score_moves_by_so_many_rows(q: str, asking: dict[str, Any], sensitivity: Sensitivity) -> None:
    ledger = Recording(Unit("person", asking.get("neighbors", "add_remove")))
    answer = quantile(SALARIES, q, bounds=(0, 1e5), epsilon=1, ledger=ledger, **asking)
    assert ledger.sensitivities == [sensitivity]
    (mechanism,) = ledger.mechanisms
    assert isinstance(mechanism, IntervalQuantile)
    assert mechanism.rate == 1 / (2 * sensitivity.linf)
    assert answer.loss.epsilon(0) == 1


def test_missing_values_follow_the_policy() -> None:
    column = np.array([1.0, np.nan, np.nan, np.nan, 3.0])
    asked: dict[str, Any] = {"bounds": (0, 10), "step": 1, "epsilon": 500}
    assert 1 <= median(column, **asked).value <= 3
    assert median(column, missing=9, **asked).value == 9
    assert median(column, missing="none", **asked).value == 5


def test_values_beyond_the_bounds_are_clipped() -> None:
    assert median([-(10**9)] * 9 + [5], bounds=(0, 10), step=1, epsilon=100).value == 0
    assert median([math.inf] * 9 + [5], bounds=(0, 10), step=1, epsilon=100).value == 10


def test_a_step_puts_answers_on_it() -> None:
    answers = {median([30, 31, 31, 40], bounds=(18, 100), step=1, epsilon="0.5").value for _ in range(60)}
    assert all(answer == int(answer) for answer in answers)
    for step in (0, -1, 7, "nan"):
        with pytest.raises(InvalidParameter):
            median([30], bounds=(18, 100), step=step, epsilon=1)
    with pytest.raises(InvalidParameter, match="2\\^44"):
        median([30], bounds=(0, 2), step=Fraction(1, 2**50), epsilon=1)


def test_extremes_stay_inside_the_data_however_wide_the_bounds() -> None:
    """The target is 28 / ε rows of 5 inside. Beyond lie 20,000 such gaps, e^14 times less likely each: one in 400 draws
    lands there, so that six of forty do with a chance below 1e-8."""
    values = np.linspace(0, 100_000, 20_001)
    for epsilon in ("0.5", 1, 2):
        lows = [minimum(values, bounds=(-100_000, 200_000), epsilon=epsilon) for _ in range(40)]
        highs = [maximum(values, bounds=(-100_000, 200_000), epsilon=epsilon) for _ in range(40)]
        assert sum(0 <= low.value <= 800 for low in lows) >= 35
        assert sum(99_200 <= high.value <= 100_000 for high in highs) >= 35
    low, high = lows[0], highs[0]
    assert low.purpose == "minimum, as a low quantile"
    assert "offset=-14" in high.mechanism


def test_extremes_of_a_few_rows_end_at_their_middle() -> None:
    mechanism = IntervalQuantile(0, bounds=(0, 1), score_sensitivity=1, epsilon=1, offset=28)
    assert [mechanism.target(rows) for rows in (0, 10, 56, 100)] == [0, 5, 28, 28]
    other = IntervalQuantile(1, bounds=(0, 1), score_sensitivity=1, epsilon=1, offset=-28)
    assert [other.target(rows) for rows in (0, 10, 56, 100)] == [0, 5, 28, 72]


def test_no_margin_is_claimed_in_the_unit_of_the_values() -> None:
    answer = median(SALARIES, bounds=(0, 1e6), epsilon=1)
    with pytest.raises(InvalidParameter, match="quantile_interval"):
        answer.margin(0.95)
    with pytest.raises(InvalidParameter, match="quantile_interval"):
        answer.interval()
    assert answer.rank_margin(0.95) == pytest.approx(math.log((2**32 + 1) / 0.05))
    assert "within 25 rows of its place (95%)" in repr(answer)


def test_the_rank_margin_is_kept() -> None:
    """400 medians, each within the margin but for one in twenty at most: more than 50 beyond has chance 1e-9."""
    answers = [median(SALARIES, bounds=(0, 10**9), epsilon=1) for _ in range(400)]
    beyond = sum(abs(answer.value - 50_000) / 30 > answer.rank_margin(0.95) + 1 for answer in answers)
    assert beyond <= 50


def test_prices_in_rho_and_delta() -> None:
    at_rho = median(SALARIES, bounds=(0, 1e5), rho="0.1")
    assert 0.09 < at_rho.loss.zcdp() <= 0.1
    with_delta = median(SALARIES, bounds=(0, 1e5), epsilon=1, delta=1e-6)
    assert with_delta.loss.epsilon(0) == 1
    many = quantiles(SALARIES, [Fraction(k, 20) for k in range(1, 20)], bounds=(0, 1e5), epsilon=1, delta=1e-6)
    assert many.loss.epsilon(0) > 1.05
    assert many.loss.meets(Guarantee(1, 1e-6))


def test_a_ready_mechanism_must_be_of_the_kind_and_fit() -> None:
    ready = IntervalQuantile("0.5", bounds=(0, 100), score_sensitivity="0.5", epsilon=2)
    assert median(SALARIES, bounds=(0, 100), mechanism=ready).loss == ready.loss
    for asking, words in (
        ({"mechanism": Laplace(1, 1)}, "must be a IntervalQuantile"),
        ({"mechanism": ready, "neighbors": "replace"}, "does not cover"),
        ({"mechanism": ready, "rows_per_unit": 2}, "does not cover"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            median(SALARIES, bounds=(0, 100), **asking)
    with pytest.raises(InvalidParameter, match="other bounds"):
        median(SALARIES, bounds=(0, 99), mechanism=ready)
    wide = IntervalQuantile("0.5", bounds=(0, 100), score_sensitivity=1, epsilon=2)
    with pytest.raises(InvalidParameter, match="another quantile"):
        quantile(SALARIES, "0.4", bounds=(0, 100), mechanism=wide)


@pytest.mark.parametrize(
    "asking", [{"q": 2}, {"q": "half"}, {"bounds": (1, 0)}, {"bounds": (0, math.inf)}, {"bounds": None}, {"epsilon": 0}]
)
def test_bad_questions_are_refused_before_the_charge(asking: dict[str, Any]) -> None:
    fine: dict[str, Any] = {"q": 0.5, "bounds": (0, 1), "epsilon": 1}
    ledger = Ledger(Guarantee(5), unit=Unit("person"))
    with pytest.raises(InvalidParameter):
        quantile([0.5], ledger=ledger, **(fine | asking))
    assert not ledger.entries


def test_texts_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="must hold numbers"):
        median(np.array(["a", "b"]), bounds=(0, 1), epsilon=1)


def test_several_quantiles_for_one_price() -> None:
    ledger = Recording(Unit("person", "replace"))
    answer = quantiles(SALARIES, [0.25, 0.5, 0.75], bounds=(0, 1e5), epsilon=4, ledger=ledger, rows_per_unit=3)
    assert ledger.sensitivities == [Sensitivity(1, cells=6)]
    (mechanism,) = ledger.mechanisms
    assert isinstance(mechanism, HalvingQuantiles)
    assert mechanism.rows == 6
    assert answer.loss.epsilon(0) == 4
    sharp = quantiles(SALARIES, [0.25, 0.5, 0.75], bounds=(0, 1e5), epsilon=4)
    assert np.abs(sharp.value - [35_000, 50_000, 65_000]).max() < 2_000
    assert sharp.rank_margin(0.95) > 30
