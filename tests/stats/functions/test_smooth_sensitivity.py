"""Smooth sensitivity: the front of the mechanisms; their privacy is tested with them."""

import math
from typing import Any

import numpy as np
import pytest

from privet.core import Ledger, Release, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import SmoothCauchy, SmoothGaussian, SmoothLaplace, SmoothValue, smooth_bound
from privet.mechanisms import smooth_median as median_with_bound
from privet.stats.functions.smooth_sensitivity import smooth_median, smooth_sensitivity

PERSON = Unit("person", "replace")
ROWS = np.random.default_rng(1).random(501) * 10


class Watching(Ledger):
    """A ledger that keeps what it was handed."""

    handed: tuple[SmoothValue, Any]

    def release(self, secret: Any, mechanism: Any, **more: Any) -> Release[Any]:  # noqa: ANN401 - a ledger's
        assert secret.deferred
        self.handed = secret.reveal_to_ledger(), mechanism
        return super().release(secret, mechanism, **more)


def watching() -> Watching:
    return Watching(Guarantee(10, "1e-3"), unit=PERSON)


def ask(**change: Any) -> Release[Any]:  # noqa: ANN401 - keywords
    asked: dict[str, Any] = {
        "f": np.sum,
        "data": ROWS,
        "local_sensitivities": lambda _: [1, 2, 3],
        "step": "0.01",
        "epsilon": 1,
    } | change
    if "ledger" not in asked:
        asked.setdefault("neighbors", "replace")
    asked = {name: value for name, value in asked.items() if value is not None}
    return smooth_sensitivity(asked.pop("f"), asked.pop("data"), **asked)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, SmoothCauchy(1, step="0.01")),
        ({"delta": "1e-6"}, SmoothLaplace(1, "1e-6", step="0.01")),
        ({"delta": "1e-6", "size": 2, "f": lambda _: [1.0, 2.0]}, SmoothGaussian(1, "1e-6", step="0.01", dimension=2)),
    ],
)
def test_the_mechanism_follows_from_the_price(change: dict[str, Any], expected: Any) -> None:  # noqa: ANN401 - a mechanism
    ledger = watching()
    release = ask(ledger=ledger, **change)
    value, mechanism = ledger.handed
    assert repr(mechanism) == repr(expected)
    assert value.smooth_sensitivity == smooth_bound([1, 2, 3], smoothness=expected.smoothness)
    assert np.array_equal(np.asarray(value.value), np.asarray(change.get("f", np.sum)(ROWS)))
    assert release.uncertainty is None, "a margin would tell the data"
    assert release.loss.meets(expected.promise)


def test_the_bound_goes_on_with_the_global_one() -> None:
    ledger = watching()
    ask(ledger=ledger, global_sensitivity=50)
    value, mechanism = ledger.handed
    wanted = smooth_bound([1, 2, 3], smoothness=mechanism.smoothness, global_sensitivity=50)
    assert value.smooth_sensitivity == wanted
    assert wanted > smooth_bound([1, 2, 3], smoothness=mechanism.smoothness)


def test_nothing_is_computed_before_the_charge_and_a_failing_function_counts_as_zero() -> None:
    touched: list[int] = []

    def f(_: object) -> float:
        touched.append(1)
        raise ValueError("Ada is ill")

    with pytest.raises(BudgetExceeded):
        ask(f=f, ledger=Ledger(Guarantee("0.5"), unit=PERSON))
    assert not touched
    ask(f=f)
    assert touched


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"f": 1}, "must be functions of the data"),
        ({"local_sensitivities": [1, 2]}, "must be functions of the data"),
        ({"step": 0}, "step must be > 0"),
        ({"size": 2}, "need a delta"),
        ({"size": 0}, "size must be a whole number"),
        ({"epsilon": None, "rho": 1}, "priced by epsilon"),
        ({"epsilon": None}, "the price must be exactly one of"),
        ({"delta": "0.9"}, "delta must be in"),
        ({"unit_ids": [1]}, "does not take unit_ids"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        ask(**change)


# --- the median -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_the_median_and_its_bound(delta: Any) -> None:  # noqa: ANN401 - a number
    ledger = watching()
    smooth_median(ROWS, bounds=(0, 10), step="0.01", epsilon=1, delta=delta, ledger=ledger)
    value, mechanism = ledger.handed
    wanted = median_with_bound(ROWS, bounds=(0, 10), smoothness=mechanism.smoothness)
    assert (value.value, value.smooth_sensitivity) == (wanted.value, wanted.smooth_sensitivity)
    assert value.value == np.median(ROWS)


def test_what_is_no_number_counts_as_the_middle_and_the_rest_is_clipped() -> None:
    odd = [math.nan, math.inf, -math.inf, 1e300, 3.0]
    ledger = watching()
    smooth_median(odd, bounds=(0, 10), step="0.01", epsilon=1, ledger=ledger)
    value, mechanism = ledger.handed
    wanted = median_with_bound([5, 10, 0, 10, 3], bounds=(0, 10), smoothness=mechanism.smoothness)
    assert (value.value, value.smooth_sensitivity) == (wanted.value, wanted.smooth_sensitivity)


def test_the_number_of_rows_must_be_public() -> None:
    with pytest.raises(InvalidParameter, match='needs neighbors="replace"'):
        smooth_median(ROWS, bounds=(0, 10), step="0.01", epsilon=1)
    with pytest.raises(InvalidParameter, match='needs neighbors="replace"'):
        smooth_median(ROWS, bounds=(0, 10), step="0.01", epsilon=1, ledger=Ledger(Guarantee(1), unit=Unit("person")))


def test_bounds_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="must have low < high"):
        smooth_median(ROWS, bounds=(10, 0), step="0.01", epsilon=1, neighbors="replace")
