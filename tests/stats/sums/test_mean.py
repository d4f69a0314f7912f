"""mean and proportion."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Unit
from privet.errors import InvalidParameter
from privet.mechanisms import Gaussian, Laplace
from privet.stats import mean, proportion
from privet.stats.sums.linear_error import RatioError
from tests.support.recording_ledger import Recording

X = np.array([3.0, np.nan, 250.0, -8.0, 40.0])


def exact_mean(values: Any, **how: Any) -> float:  # noqa: ANN401 - any column, any keyword
    """The noise-free answer."""
    ledger = Recording(Unit("person", how.pop("neighbors", "add_remove")))
    mean(values, epsilon=1, ledger=ledger, **how)
    secret, mechanism = ledger.secrets[0], ledger.mechanisms[0]
    if len(secret) == 1:
        scaled: Any = mechanism
        return float(secret[0] * scaled.factor + scaled.offset)
    low, high = how["bounds"]
    return float(low + (high - low) * secret[0] / sum(secret))


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize(
    ("missing", "expected"), [("drop", (3 + 100 + 0 + 40) / 4), ("none", 193 / 5), (10, 153 / 5), (-50, 143 / 5)]
)
def test_the_mean_of_clipped_values(neighbors: str, missing: Any, expected: float) -> None:  # noqa: ANN401 - a policy
    assert exact_mean(X, bounds=(0, 100), missing=missing, neighbors=neighbors) == pytest.approx(expected, abs=1e-5)


def test_kept_rows_only() -> None:
    ids = ["a", "a", "a", "b", "b"]
    assert exact_mean(X, bounds=(0, 100), unit_ids=ids, rows_per_unit=1) == pytest.approx(70, abs=1e-5)


def test_one_number_where_the_rows_are_public_and_two_where_not() -> None:
    whole = np.arange(10)
    assert mean(whole, bounds=(0, 10), epsilon=1, neighbors="replace").mechanism == (
        "Staircase(sensitivity=1, epsilon=1)"
    )
    assert mean(whole, bounds=(0, 20), epsilon=1, neighbors="replace").mechanism.startswith("2 × Staircase")
    assert mean(whole, bounds=(0, 10), epsilon=1).mechanism == "Laplace(l1_sensitivity=1, scale=1)"
    assert mean(X, bounds=(0, 10), epsilon=1, neighbors="replace").mechanism == "Laplace(l1_sensitivity=2, scale=2)"
    assert mean(whole, bounds=(0, 10), rho="0.5").mechanism == "Gaussian(l2_sensitivity=1, scale=1)"


def test_a_ready_mechanism() -> None:
    answer = mean(np.arange(10), bounds=(0, 10), mechanism=Laplace(1, 3), neighbors="replace")
    assert answer.margin(0.9) == pytest.approx(3 * math.log(10), rel=1e-6)
    assert mean(np.arange(10), bounds=(0, 10), mechanism=Gaussian(1, 3)).mechanism.startswith("Gaussian")
    with pytest.raises(InvalidParameter, match="does not cover"):
        mean(X, bounds=(0, 10), mechanism=Laplace(1, 3), neighbors="replace")


def test_answers_stay_within_the_bounds_and_so_do_margins() -> None:
    for _ in range(50):
        answer = mean(X, bounds=(0, 100), epsilon="0.01")
        assert 0 <= answer.value <= 100
        assert answer.margin(0.95) <= 100
    assert isinstance(mean([], bounds=(0, 1), epsilon=1).value, float)
    with pytest.raises(InvalidParameter, match="at least one row"):
        mean(np.array([], dtype=int), bounds=(0, 1), epsilon=1, neighbors="replace")


def test_too_small_a_count_says_nothing() -> None:
    error = RatioError(Laplace(1, 1).uncertainty, (1.0, 0.0), 0.5, -3.0, 100.0)
    assert error.margin(0.95) == 100
    assert error.tail(100) < 1e-9
    assert error.tail(99) == 1


@pytest.mark.parametrize(
    "values", [np.array([True, False, True]), [1, 0, 5], np.array([1.0, 0.0, -2.0]), [2, 0, None, 1]]
)
def test_proportion_of_true_values(values: Any) -> None:  # noqa: ANN401 - any column
    ledger = Recording(Unit("person"))
    proportion(values, epsilon=1, ledger=ledger)
    assert ledger.secrets == [(Fraction(2), Fraction(1))]
    assert ledger.sensitivities[0].l1 == 1


def test_a_release_survives_json() -> None:
    answer = mean(X, bounds=(0, 100), epsilon=1)
    again = type(answer).from_json(answer.to_json())
    assert again.uncertainty == answer.uncertainty
    assert again.margin(0.9) == answer.margin(0.9)
    assert "spent ε=1 per person on 'mean'" in repr(answer)
