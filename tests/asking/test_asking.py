"""Asking: keywords are checked before anything is spent."""

from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Ledger, Neighbors, Sensitivity, Unit
from privet.asking.price import Price
from privet.asking.question import Question
from privet.errors import BudgetExceeded, InvalidParameter
from privet.mechanisms import DiscreteLaplace, Exponential, Gaussian, Laplace
from privet.stats import count, total

PERSON = Unit("person")
X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("asking", "said"),
    [
        ({}, "exactly one of"),
        ({"epsilon": 1, "rho": 1}, "epsilon and rho"),
        ({"delta": 1e-6}, "none of them"),
        ({"rho": 1, "delta": 1e-6}, "does not go with rho"),
        ({"epsilon": 0}, "epsilon must be > 0"),
        ({"epsilon": float("nan")}, "finite"),
        ({"epsilon": 1, "delta": 1}, "delta must be in"),
        ({"mechanism": "laplace"}, "must be a Mechanism"),
        ({"epsilon": 1, "ledger": 5}, "must be a Ledger"),
        ({"epsilon": 1, "neighbors": "near"}, "add_remove"),
        ({"epsilon": 1, "unit": Unit("p", "replace"), "neighbors": "add_remove"}, "contradicts"),
        ({"epsilon": 1, "unit_ids": [1, 2, 3]}, "needs rows_per_unit"),
        ({"epsilon": 1, "unit_ids": [1, 2], "rows_per_unit": 1}, "lengths differ"),
        ({"epsilon": 1, "rows_per_unit": 0}, "whole number >= 1"),
        ({"epsilon": 1, "times": [1, 2, 3]}, "needs window"),
        ({"epsilon": 1, "times": [1, 2, 3], "window": 2, "rows_per_time": 1}, "both times and unit_ids"),
        ({"epsilon": 1, "window": 2, "rows_per_time": 1, "rows_per_unit": 1}, "not rows_per_unit"),
        ({"epsilon": 1, "missing": "skip"}, '"drop", "none" or a number'),
        ({"epsilon": 1, "missing": None}, '"drop", "none" or a number'),
        ({"epsilon": 1, "missing": float("inf")}, "finite"),
        ({"epsilon": 1, "purpose": 7}, "in words"),
    ],
)
def test_what_does_not_fit_is_refused(asking: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        total(X, bounds=(0, 1), **asking)


def test_an_unknown_keyword_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(InvalidParameter, match=r"keyword 'epsilom': did you mean epsilon\?"):
        count(X, epsilom=1)  # type: ignore[call-arg] # on purpose
    with pytest.raises(InvalidParameter, match="known are confidence, delta, epsilon"):
        count(X, epsilon=1, zzz=3)  # type: ignore[call-arg] # on purpose


def test_without_a_ledger_exactly_the_price_is_spent() -> None:
    for asking in ({"epsilon": "0.1"}, {"epsilon": 1, "delta": 1e-6}, {"rho": "0.3"}):
        answer = total(X, bounds=(0, 1), **asking)
        assert answer.loss.meets(Guarantee(1, "1e-6")) or "rho" in asking
    assert total(X, bounds=(0, 1), rho="0.3").loss.zcdp() <= 0.3
    for mechanism in (
        Laplace(1, 2),
        Gaussian(1, 2),
        Gaussian.calibrated(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1)),
    ):
        assert total(X, bounds=(0, 1), mechanism=mechanism).loss == mechanism.loss
    assert total(X, bounds=(0, 1), mechanism=Gaussian(1, 2), delta="1e-5").uncertainty is not None
    assert count(X, mechanism=DiscreteLaplace(1, 3)).mechanism == "DiscreteLaplace(l1_sensitivity=1, scale=3)"


def test_a_ledger_pays_and_refuses() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("patient", "replace"))
    answer = total(X, bounds=(0, 1), epsilon="0.6", ledger=ledger, purpose="beds")
    assert answer.unit == ledger.unit
    assert [entry.purpose for entry in ledger.entries] == ["beds"]
    with pytest.raises(BudgetExceeded):
        total(X, bounds=(0, 1), epsilon="0.6", ledger=ledger)
    with pytest.raises(InvalidParameter, match="protects"):
        total(X, bounds=(0, 1), epsilon="0.1", ledger=ledger, neighbors="add_remove")
    with pytest.raises(InvalidParameter, match="protects"):
        total(X, bounds=(0, 1), epsilon="0.1", ledger=ledger, unit="visit")
    assert total(X, bounds=(0, 1), epsilon="0.1", ledger=ledger, unit="patient", neighbors="replace").value is not None
    assert len(ledger.entries) == 2


def test_a_reservation_pays() -> None:
    ledger = Ledger(Guarantee(2), unit=PERSON)
    plan = ledger.reserve([Laplace(1, 1)], purpose="a plan")
    total(X, bounds=(0, 1), mechanism=Laplace(1, 1), ledger=plan)
    with pytest.raises(BudgetExceeded):
        total(X, bounds=(0, 1), mechanism=Laplace(1, 1), ledger=plan)


def test_a_key_makes_asking_again_free() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    first, again = (total(X, bounds=(0, 1), epsilon=1, ledger=ledger, key="q1") for _ in range(2))
    assert first.to_json() == again.to_json()
    assert len(ledger.entries) == 1


def test_a_mechanism_that_does_not_cover_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="does not cover"):
        total(X, bounds=(0, 2), mechanism=Laplace(1, 1))
    with pytest.raises(InvalidParameter, match="must be one of Laplace, Staircase, Gaussian; got Exponential"):
        total(X, bounds=(0, 2), mechanism=Exponential(1, 1))


def asked(**asking: Any) -> Question:  # noqa: ANN401 - any keyword
    values = asking.pop("values", np.arange(6))
    return Question.of("count", (values,), {"epsilon": 1, **asking})


@pytest.mark.parametrize(
    ("asking", "rows"),
    [
        ({}, 1),
        ({"rows_per_unit": 3}, 3),
        ({"unit_ids": list("aabbcc"), "rows_per_unit": 2}, 2),
        ({"unit_ids": list("aabbcc"), "times": range(6), "window": 5, "rows_per_time": 2}, 10),
        ({"window": 5, "rows_per_time": 2}, 10),
    ],
)
def test_how_many_rows_one_unit_moves(asking: dict[str, Any], rows: int) -> None:
    assert asked(**asking).rows == rows
    assert asked(**asking).changes == rows
    assert asked(**asking, neighbors="replace").changes == 2 * rows


@pytest.mark.parametrize(
    ("asking", "public"),
    [
        ({"neighbors": "replace"}, True),
        ({"neighbors": Neighbors.REPLACE, "values": np.array([True, False])}, True),
        ({"neighbors": "replace", "rows_per_unit": 2}, True),
        ({}, False),
        ({"neighbors": "replace", "values": X}, False),
        ({"neighbors": "replace", "values": [1, 2]}, False),
        ({"neighbors": "replace", "values": X, "missing": "none"}, True),
        ({"neighbors": "replace", "values": [1, 2], "missing": 0}, True),
        ({"missing": "none"}, False),
        ({"neighbors": "replace", "unit_ids": range(6), "rows_per_unit": 1}, False),
        ({"neighbors": "replace", "values": np.ma.masked_array([1, 2], [False, True])}, False),
    ],
)
def test_when_the_number_of_rows_is_public(asking: dict[str, Any], public: bool) -> None:  # noqa: FBT001 - expected
    assert asked(**asking).public_rows is public


def test_w_event_privacy_names_its_unit() -> None:
    assert asked(window=5, rows_per_time=2).unit.name == "person's 5 consecutive times"
    assert asked(window=5, rows_per_time=2, unit="user").unit.name == "user's 5 consecutive times"
    named = "user's 5 consecutive shifts"
    assert asked(window=5, rows_per_time=2, unit=named).unit.name == named
    assert asked(window=5, rows_per_time=2, unit="user's 7 consecutive days").unit.name != "user's 7 consecutive days"


def test_a_price_is_remembered_exactly() -> None:
    assert Price.of({"epsilon": 0.1}) == Price.of({"epsilon": "1/10"})
