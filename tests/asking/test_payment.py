"""Payment: the keywords of asking, where the data is whatever a function takes."""

from fractions import Fraction
from typing import Any

import pytest

from privet.asking.payment import ABOUT_ROWS, Payment
from privet.core import Ledger, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import Gaussian, Laplace

NOISE = Laplace(l1_sensitivity=1, scale=1)


def test_without_a_ledger_one_answer_is_paid_for() -> None:
    payment = Payment.of("a statistic", {"epsilon": 1, "neighbors": "replace", "purpose": "to see"})
    release = payment.release(lambda: 3.0, Sensitivity(1), NOISE)
    assert release.purpose == "to see"
    assert release.unit == Unit("person", "replace")
    with pytest.raises(BudgetExceeded):
        payment.release(lambda: 3.0, Sensitivity(1), Laplace(l1_sensitivity=1, scale="0.9"))


def test_the_ledger_and_its_unit_are_the_callers() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("visit"))
    payment = Payment.of("a statistic", {"epsilon": 1, "ledger": ledger})
    assert payment.release(lambda: 3.0, Sensitivity(1), NOISE).purpose == "a statistic"
    assert ledger.spent.epsilon == 1
    with pytest.raises(InvalidParameter, match="this ledger protects"):
        Payment.of("a statistic", {"epsilon": 1, "ledger": ledger, "neighbors": "replace"})


def test_a_sampled_sensitivity_has_a_limit_of_its_own() -> None:
    sampled = Sensitivity(1, gamma="0.1")
    release = Payment.of("a statistic", {"epsilon": 1}).release(lambda: 3.0, sampled, NOISE)
    assert release.gamma == Fraction(1, 10)
    with pytest.raises(InvalidParameter, match="no place for"):
        Payment.of("a statistic", {"rho": 1}).release(lambda: 3.0, sampled, NOISE)


def test_a_ready_mechanism_is_charged_at_its_delta() -> None:
    noise = Gaussian(l2_sensitivity=1, scale=5)
    ledger = Ledger(Guarantee(1, "1e-5"), unit=Unit("person"))
    payment = Payment.of("a statistic", {"mechanism": noise, "delta": "1e-5", "ledger": ledger})
    payment.release(lambda: 3.0, Sensitivity(1), noise)
    assert ledger.spent.delta == Fraction(1, 10**5)


@pytest.mark.parametrize("name", ABOUT_ROWS)
def test_keywords_about_rows_are_refused_unless_understood(name: str) -> None:
    asked: dict[str, Any] = {"epsilon": 1, name: 1}
    with pytest.raises(InvalidParameter, match=f"does not take {name}"):
        Payment.of("a statistic", asked)
    assert Payment.of("a statistic", asked, also=(name,)).price.epsilon == 1


def test_nothing_hidden_is_printed() -> None:
    assert "Ledger" not in repr(Payment.of("a", {"epsilon": 1, "ledger": Ledger(Guarantee(1), unit=Unit("person"))}))
