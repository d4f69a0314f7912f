"""quantile_interval: the price and what lies between; quantiles are tested with quantile."""

from typing import Any

import numpy as np
import pytest

from privet import Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.mechanisms import QuantileInterval
from privet.stats import quantile_interval
from tests.support.recording_ledger import Recording

VALUES = np.linspace(0, 1000, 5001)


def test_the_quantile_lies_between() -> None:
    """At least 95 of 100 do; fewer than 80 of 100 would be a chance below 1e-6 at exactly 95 %."""
    found = [quantile_interval(VALUES, "0.3", bounds=(-1e6, 1e6), epsilon=2).value for _ in range(100)]
    assert sum(low <= 300 <= high for low, high in found) >= 80
    assert max(high - low for low, high in found) < 150


@pytest.mark.parametrize(("asking", "moved"), [({}, "0.7"), ({"neighbors": "replace", "rows_per_unit": 2}, 2)])
def test_both_ends_share_one_price(asking: dict[str, Any], moved: Any) -> None:  # noqa: ANN401 - a number
    ledger = Recording(Unit("person", asking.get("neighbors", "add_remove")))
    answer = quantile_interval(VALUES, "0.7", bounds=(0, 1000), epsilon=1, ledger=ledger, confidence=0.9, **asking)
    assert ledger.sensitivities == [Sensitivity(moved)]
    (mechanism,) = ledger.mechanisms
    assert isinstance(mechanism, QuantileInterval)
    assert mechanism.confidence == 0.9
    assert answer.loss.epsilon(0) == 1


@pytest.mark.parametrize("q", [0, 1, 2, "x"])
def test_extremes_have_no_interval(q: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        quantile_interval(VALUES, q, bounds=(0, 1), epsilon=1)


def test_an_interval_lies_on_few_points_and_holds_values_between_them() -> None:
    """One value halfway between two of 2^16 steps: 60 of 60 hold it, and ends that stay on the points hold none."""
    value = 50 + 0.45 * 100 / 65536
    found = [quantile_interval([value] * 500, "0.5", bounds=(0, 100), epsilon=1).value for _ in range(60)]
    assert sum(low <= value <= high for low, high in found) == 60
    step = [
        quantile_interval([value] * 500, "0.5", bounds=(0, 100), step="25/16384", epsilon=1).value for _ in range(60)
    ]
    assert sum(low <= value <= high for low, high in step) < 60, "the control"


def test_of_a_type_of_whole_numbers_an_interval_has_whole_ends() -> None:
    ages = np.repeat(np.arange(20, 70), 20)
    answer = quantile_interval(ages, "0.5", bounds=(0, 110), epsilon=1)
    assert "points=110" in answer.mechanism
    assert all(float(end).is_integer() for end in answer.value)
    for real in (ages.tolist(), ages.astype(float), ages):
        bounds = (0, 110) if real is not ages else (0, 100_000)
        assert "points=65536" in quantile_interval(real, "0.5", bounds=bounds, epsilon=1).mechanism
