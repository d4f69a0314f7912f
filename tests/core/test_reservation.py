"""Reservations with a promise, and with a key: charged once, answered once."""

from fractions import Fraction
from pathlib import Path

import pytest

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import AnswerLost, BudgetExceeded, InvalidParameter, KeyReused
from privet.loss import Guarantee
from privet.mechanisms import DiscreteLaplace, Gaussian

PERSON = Unit("person")
COUNT = DiscreteLaplace(l1_sensitivity=1, scale=2)


def opened(tmp_path: Path, *, on_disk: bool) -> Ledger:
    journal = f"sqlite:///{tmp_path / 'ledger.db'}" if on_disk else None
    return Ledger(Guarantee(1, "1e-5"), unit=PERSON, journal=journal)


def test_a_plan_is_charged_at_its_promise_exactly(tmp_path: Path) -> None:
    ledger = opened(tmp_path, on_disk=False)
    noisy = Gaussian.calibrated(epsilon="0.1", delta="1e-6", sensitivity=Sensitivity(1))
    ledger.reserve(noisy.loss, purpose="a mean", promise=Guarantee("0.1", "1e-6"))
    assert ledger.spent.epsilon == Fraction(1, 10)
    assert ledger.spent.delta == Fraction(1, 10**6)


def test_a_promise_that_the_plan_does_not_keep_is_not_believed(tmp_path: Path) -> None:
    ledger = opened(tmp_path, on_disk=False)
    ledger.reserve(COUNT.loss, purpose="a count", promise=Guarantee("0.1"))
    assert ledger.spent.epsilon == Fraction(1, 2)
    noisy = Gaussian.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(1))
    with pytest.raises(BudgetExceeded):
        ledger.reserve(noisy.loss, purpose="a mean", promise=Guarantee("0.1", "1e-9"))


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_key_is_charged_once_and_keeps_its_answer(tmp_path: Path, *, on_disk: bool) -> None:
    ledger = opened(tmp_path, on_disk=on_disk)
    plan = ledger.reserve(COUNT.loss, purpose="a count", key="k", question="how many?")
    assert plan.stored() is None
    released = plan.release(Sensitive(42, Sensitivity(1), PERSON), COUNT, purpose="a count")
    plan.store(f"the answer is {released.value}")
    plan.done()
    again = ledger.reserve(COUNT.loss, purpose="a count", key="k", question="how many?")
    assert again.stored() == f"the answer is {released.value}"
    assert ledger.spent.epsilon == Fraction(1, 2)
    assert [entry.kind for entry in ledger.entries] == ["reservation", "draw"]
    ledger.verify()


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_key_whose_answer_was_never_kept_is_lost(tmp_path: Path, *, on_disk: bool) -> None:
    ledger = opened(tmp_path, on_disk=on_disk)
    ledger.reserve(COUNT.loss, purpose="a count", key="k").done()
    with pytest.raises(AnswerLost):
        ledger.reserve(COUNT.loss, purpose="a count", key="k").stored()
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_a_key_belongs_to_one_question(tmp_path: Path) -> None:
    ledger = opened(tmp_path, on_disk=False)
    ledger.reserve(COUNT.loss, purpose="a count", key="k", question="how many?")
    smaller = DiscreteLaplace(l1_sensitivity=1, scale=4)
    for loss, purpose, question in (
        (COUNT.loss, "a count", "how few?"),
        (COUNT.loss, "another", "how many?"),
        (smaller.loss, "a count", "how many?"),
    ):
        with pytest.raises(KeyReused):
            ledger.reserve(loss, purpose=purpose, key="k", question=question)
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_a_plan_drawn_again_by_a_repetition_is_refused(tmp_path: Path) -> None:
    """Whoever asks again with the key cannot draw a second answer for one price."""
    ledger = opened(tmp_path, on_disk=False)
    secret = Sensitive(42, Sensitivity(1), PERSON)
    ledger.reserve(COUNT.loss, purpose="a count", key="k").release(secret, COUNT, purpose="a count")
    again = ledger.reserve(COUNT.loss, purpose="a count", key="k")
    with pytest.raises(BudgetExceeded):
        again.release(secret, COUNT, purpose="a count")


def test_a_part_of_a_plan_has_no_key(tmp_path: Path) -> None:
    plan = opened(tmp_path, on_disk=False).reserve(COUNT.loss, purpose="a count")
    with pytest.raises(InvalidParameter, match="key"):
        plan.reserve(COUNT.loss, purpose="a part", key="k")
