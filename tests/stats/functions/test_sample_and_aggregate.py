"""sample_and_aggregate: the front of the mechanism; what it does to rows is tested with the mechanism."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from privet.core import Ledger, Release, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import GroupedRows, Laplace, SampleAndAggregate
from privet.stats.functions.sample_and_aggregate import sample_and_aggregate

ROWS = np.linspace(0, 1, 1000)


def ask(**change: Any) -> Release[Any]:  # noqa: ANN401 - keywords
    asked: dict[str, Any] = {"f": np.median, "data": ROWS, "blocks": 50, "bounds": (0, 1), "epsilon": 1} | change
    asked = {name: value for name, value in asked.items() if value is not None}
    return sample_and_aggregate(asked.pop("f"), asked.pop("data"), **asked)


class Watching(Ledger):
    """A ledger that keeps what it was handed."""

    handed: tuple[Any, Sensitivity, Any]

    def release(self, secret: Any, mechanism: Any, **more: Any) -> Release[Any]:  # noqa: ANN401 - a ledger's
        assert secret.deferred
        self.handed = secret.reveal_to_ledger(), secret.sensitivity, mechanism
        return super().release(secret, mechanism, **more)


def test_it_is_the_mechanism_at_this_price() -> None:
    ledger = Watching(Guarantee(5, "1e-6"), unit=Unit("person"))
    release = ask(ledger=ledger, epsilon=2, delta="1e-6", bounds=[(0, 1), (0, 2)], f=lambda rows: [rows.mean()] * 2)
    rows, sensitivity, mechanism = ledger.handed
    assert rows is ROWS
    assert sensitivity == Sensitivity(1)
    assert isinstance(mechanism, SampleAndAggregate)
    assert repr(mechanism.noise) == repr(
        SampleAndAggregate(np.median, blocks=50, bounds=[(0, 1), (0, 2)], epsilon=2, delta="1e-6").noise
    )
    assert release.loss.meets(Guarantee(2, "1e-6"))
    assert ledger.spent.epsilon <= 2


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_either_relation(neighbors: str) -> None:
    release = ask(neighbors=neighbors, epsilon=100)
    assert release.loss.epsilon(0) == 100
    assert release.value == pytest.approx(0.5, abs=0.1)
    assert release.margin(0.95) == pytest.approx(np.log(20) / 50 / 100, rel=0.01)


def test_rows_of_one_unit_stay_together() -> None:
    ledger = Watching(Guarantee(1), unit=Unit("person"))
    ids = ["ada", "bob"] * 500
    ask(unit_ids=ids, ledger=ledger)
    grouped = ledger.handed[0]
    assert isinstance(grouped, GroupedRows)
    assert list(grouped.unit_ids) == [0, 1] * 500
    ask(unit_ids=np.array(ids))
    with pytest.raises(InvalidParameter, match="one id for each row"):
        ask(unit_ids=["ada"])


@pytest.mark.parametrize("wrap", [list, pd.Series, pl.Series, lambda rows: pd.DataFrame({"x": rows})])
def test_anything_but_an_array_becomes_floats(wrap: Any) -> None:  # noqa: ANN401 - a kind of column
    """Always the same type: one missing value must not change what the function sees in other blocks."""
    whole = np.arange(100)
    for values in (whole, whole.astype(float)):
        ledger = Watching(Guarantee(1), unit=Unit("person"))
        ask(data=wrap(values), ledger=ledger)
        assert ledger.handed[0].dtype == np.float64
        assert np.array_equal(ledger.handed[0].ravel(), whole)


def test_whatever_the_function_does_is_no_error() -> None:
    def f(rows: Any) -> float:  # noqa: ANN401 - an array
        raise ValueError(rows)

    assert ask(f=f, epsilon=1000).value == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"f": 3}, "function must be a function"),
        ({"blocks": 0}, "blocks must be a whole number"),
        ({"bounds": (1, 0)}, "lowest value must be below"),
        ({"data": np.array(3.0)}, "numpy array of rows"),
        ({"epsilon": None}, "the price must be exactly one of"),
        ({"epsilon": None, "rho": 1}, "priced by epsilon"),
        ({"epsilon": None, "mechanism": Laplace(1, 1)}, "priced by epsilon"),
        ({"rows_per_unit": 2}, "does not take rows_per_unit"),
        ({"epsilonn": 2}, "did you mean epsilon"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        ask(**change)


def test_a_full_ledger_refuses() -> None:
    with pytest.raises(BudgetExceeded):
        ask(ledger=Ledger(Guarantee("0.5"), unit=Unit("person")))
