"""release: a number of one's own, in one call."""

from typing import Any

import numpy as np
import pytest

import privet
from privet import Guarantee, Ledger, Release, Sensitivity, Unit
from privet.errors import InvalidParameter, PrivetError, ReleaseFailed


@pytest.mark.parametrize("value", [42, np.int64(42), np.uint8(42), 2**70])
def test_whole_numbers_stay_whole(value: Any) -> None:  # noqa: ANN401 - a number of any type
    answer = privet.release(value, sensitivity=1, epsilon=50)
    assert type(answer.value) is int
    assert abs(answer.value - int(value)) < 5
    assert answer.mechanism.startswith("DiscreteLaplace")


def test_real_numbers_and_arrays() -> None:
    assert isinstance(privet.release(0.5, sensitivity="0.1", epsilon=1).value, float)
    many = privet.release(np.zeros((2, 3)), sensitivity=Sensitivity(1, cells=2), rho=1)
    assert many.value.shape == (2, 3)
    assert many.mechanism.startswith("Gaussian(l2_sensitivity=1.414")
    assert privet.release([1, 2], sensitivity=Sensitivity(1), epsilon=1).value.dtype == np.int64


def test_a_ledger_is_charged_with_the_purpose() -> None:
    with Ledger(Guarantee(1), unit=Unit("household", "replace")) as ledger:
        answer = privet.release(7, sensitivity=1, epsilon="0.25", ledger=ledger, purpose="a report")
        assert (answer.purpose, answer.unit) == ("a report", ledger.unit)
        assert ledger.spent.parts[0] == 0.25
        with pytest.raises(InvalidParameter, match="this ledger protects"):
            privet.release(7, sensitivity=1, epsilon="0.25", ledger=ledger, neighbors="add_remove")


@pytest.mark.parametrize(
    ("value", "sensitivity", "says"),
    [
        ("42", 1, "must be a number, an array or a list"),
        ([], 1, "an empty list"),
        ([1, None], 1, "must be a number"),
        ([[1], [1, 2]], 1, "must be a number"),
        ([1, 2], 1, r"Sensitivity\(1, cells=2\) if all"),
        (3, "0.5", ">= 1 for whole numbers"),
        (3, 0, "sensitivity must be > 0"),
        (privet.release(1, sensitivity=1, epsilon=1), 1, "a release already"),
    ],
)
def test_what_does_not_fit_is_told_before_the_charge(value: Any, sensitivity: Any, says: str) -> None:  # noqa: ANN401 - anything
    with Ledger(Guarantee(1), unit=Unit("person")) as ledger:
        with pytest.raises(InvalidParameter, match=says):
            privet.release(value, sensitivity=sensitivity, epsilon=1, ledger=ledger)
        assert not ledger.spent.parts[0]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.array([1.0, np.nan])])
def test_numbers_in_a_value_decide_nothing_before_the_charge(value: Any) -> None:  # noqa: ANN401 - a number or an array
    with Ledger(Guarantee(2), unit=Unit("person")) as ledger:
        with pytest.raises(ReleaseFailed) as told:
            privet.release(value, sensitivity=Sensitivity(1), epsilon=1, ledger=ledger)
        assert ledger.spent.parts[0] == 1
        assert "nan" not in str(told.value)


def test_a_float_column_that_may_hide_gaps_says_so() -> None:
    ages = np.arange(1000.0) % 100
    asking: dict[str, Any] = {"bounds": (10, 110), "epsilon": 1, "neighbors": "replace"}
    for statistic in (privet.mean, privet.total):
        wide = statistic(ages, **asking)
        assert 'missing="none"' in wide.note
        assert wide.note in repr(wide)
        assert Release.from_json(wide.to_json()).note == wide.note
        narrow = statistic(ages, missing="none", **asking)
        assert not narrow.note  # which is what the note promises:
        assert narrow.margin() < wide.margin()
        assert not statistic(ages.astype(int), **asking).note
        assert not statistic(ages, bounds=(10, 110), epsilon=1).note
    assert privet.proportion(ages > 50, epsilon=1, neighbors="replace").note == ""
    assert privet.proportion((ages > 50).tolist(), epsilon=1, neighbors="replace").note
    same = privet.total(ages, bounds=(0, 110), epsilon=1, neighbors="replace")
    assert not same.note  # the noise would be the same
    assert not privet.mean(ages, unit_ids=ages, rows_per_unit=1, **asking).note


def test_the_version_is_the_packages() -> None:
    assert privet.__version__.count(".") == 2
    with pytest.raises(PrivetError):
        privet.release(1, sensitivity=1)


@pytest.mark.parametrize("value", [42, 42.5])
def test_an_error_can_be_asked_for(value: float) -> None:
    answer = privet.release(value, sensitivity=1, error=5)
    assert 4 <= answer.margin(0.95) <= 5
    assert answer.loss.epsilon(0) < 1
