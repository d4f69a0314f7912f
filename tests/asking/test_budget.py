"""Budgets: amounts above 0, exactly as they were typed, one sentence for everything else."""

import math
from fractions import Fraction
from typing import Any

import pytest

from privet.asking.budget import Budget
from privet.asking.price import Price
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee


@pytest.mark.parametrize(
    "spend",
    [
        {},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": math.nan},
        {"epsilon": math.inf},
        {"epsilon": True},
        {"epsilon": "a"},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "delta": -1e-9},
        {"epsilon": 1, "delta": math.nan},
        {"epsilon": 1, "rho": 1},
        {"rho": 0},
        {"rho": math.inf},
        {"epsilon": 10**400},  # no float holds it
        {"rho": "1e300"},
        {"epsilon": "9e-31"},  # no float holds how wide its noise is
        {"rho": "1e-400"},
        {"delta": 1e-6},
    ],
)
def test_what_is_no_amount_is_refused(spend: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        Budget.of(**spend)
    assert len(str(caught.value)) > 20


def test_amounts_are_what_was_typed() -> None:
    assert Budget.of(epsilon=0.1, delta=1e-6).promise == Guarantee("1/10", "1/1000000")
    assert Budget.of(rho=0.1, delta=1e-6) == Budget(ConcentratedGuarantee("0.1"), Fraction(1, 10**6))


def test_a_budget_is_an_epsilon_or_a_rho() -> None:
    pair, zcdp = Budget.of(epsilon="0.5", delta="1e-6"), Budget.of(rho="0.25")
    assert (pair.epsilon, pair.rho) == (Fraction(1, 2), None)
    assert (zcdp.epsilon, zcdp.rho, zcdp.delta) == (None, Fraction(1, 4), None)


@pytest.mark.parametrize("amount", [0, -1, math.nan, "a"])
@pytest.mark.parametrize("name", ["epsilon", "rho"])
def test_statistics_and_statements_refuse_with_the_same_words(name: str, amount: Any) -> None:  # noqa: ANN401 - no amount
    with pytest.raises(InvalidParameter) as asked:
        Budget.of(**{name: amount})
    with pytest.raises(InvalidParameter) as priced:
        Price.of({name: amount})
    assert str(asked.value) == str(priced.value)


def test_a_risk_stands_in_the_place_of_epsilon() -> None:
    assert Budget.of(risk="50% to 60%").promise == Guarantee("0.4054")
    assert Price.of({"risk": "advantage 10%", "delta": "1e-6"}).limit == Guarantee("0.2006", "1e-6")
    for other in ({"epsilon": 1}, {"rho": 1}):
        with pytest.raises(InvalidParameter, match="just one of them"):
            Budget.of(risk="50% to 60%", **other)
