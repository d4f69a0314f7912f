"""Reservations with a promise, and with a key: charged once, answered once."""

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.core.journals import handle
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


@pytest.mark.parametrize("on_disk", [False, True])
def test_an_answer_is_recalled_without_being_reserved_again(tmp_path: Path, *, on_disk: bool) -> None:
    ledger = opened(tmp_path, on_disk=on_disk)
    asked: dict[str, Any] = {"purpose": "a count", "key": "k", "question": "how many?"}
    assert ledger.recall(COUNT.loss, **asked) is None
    assert ledger.spent.epsilon == 0
    plan = ledger.reserve(COUNT.loss, **asked)
    plan.store("42 or so")
    plan.done()
    rows = ledger.verify()
    assert ledger.recall(COUNT.loss, **asked) == ledger.recall([COUNT], **asked) == "42 or so"
    assert ledger.recall(COUNT.loss, **asked | {"key": "another"}) is None
    for other in ({"purpose": "another"}, {"question": "how few?"}):
        with pytest.raises(KeyReused):
            ledger.recall(COUNT.loss, **asked | other)
    with pytest.raises(KeyReused):
        ledger.recall(COUNT.loss * 2, **asked)
    ledger.reserve(COUNT.loss, purpose="a count", key="lost").done()
    with pytest.raises(AnswerLost):
        ledger.recall(COUNT.loss, purpose="a count", key="lost")
    assert ledger.verify() == rows + 1
    if on_disk:
        ada = Ledger.open(f"sqlite:///{tmp_path / 'ledger.db'}", analyst="ada")
        assert ada.recall(COUNT.loss, **asked) is None  # keys are each analyst's own


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


# --- draws that are recorded with their plan ------------------------------------------------------------------------


@pytest.fixture(params=["memory", "sqlite"])
def drawing(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    journal = None if request.param == "memory" else f"sqlite:///{tmp_path}/ledger.db"
    return Ledger(Guarantee(10, "1e-4"), unit=PERSON, journal=journal)


def test_draws_are_recorded_with_their_plan_and_drawn_once(drawing: Ledger) -> None:
    one, other = Gaussian(l2_sensitivity=1, scale=50), Gaussian(l2_sensitivity=1, scale=60)
    plan = drawing.reserve([one, one, other], purpose="a table", delta="1e-6", draws=[one, one, other])
    assert [entry.kind for entry in drawing.entries] == ["reservation", "draw", "draw", "draw"]
    assert [entry.mechanism for entry in drawing.entries[1:]] == [repr(one), repr(one), repr(other)]
    assert {entry.reservation for entry in drawing.entries[1:]} == {drawing.entries[0].sequence}
    assert not plan.left.parts
    for mechanism in (other, one, one):
        plan.release(Sensitive(3.5, Sensitivity(1), PERSON), mechanism, purpose="a table")
    assert len(drawing.entries) == 4, "nothing more was written"
    for mechanism in (one, other):
        with pytest.raises(BudgetExceeded, match="left"):
            plan.release(Sensitive(3.5, Sensitivity(1), PERSON), mechanism, purpose="a table")
    drawing.verify()


def test_draws_that_are_not_in_the_plan_are_refused(drawing: Ledger) -> None:
    one, other = Gaussian(l2_sensitivity=1, scale=50), Gaussian(l2_sensitivity=1, scale=60)
    for draws in ([other], [one, one]):
        with pytest.raises(InvalidParameter, match="within the plan"):
            drawing.reserve([one], purpose="a table", delta="1e-6", draws=draws)
    assert not drawing.entries


def test_another_purpose_is_another_draw(drawing: Ledger) -> None:
    one = Gaussian(l2_sensitivity=1, scale=50)
    plan = drawing.reserve([one, one], purpose="a table", delta="1e-6", draws=[one])
    plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="another")
    assert [entry.purpose for entry in drawing.entries] == ["a table", "a table", "another"]
    plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="a table")
    with pytest.raises(BudgetExceeded, match="left"):
        plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="a table")


def test_a_plan_that_is_refused_records_no_draws(drawing: Ledger) -> None:
    much = Gaussian(l2_sensitivity=1, scale="0.01")
    with pytest.raises(BudgetExceeded):
        drawing.reserve([much], purpose="a table", delta="1e-6", draws=[much])
    assert not drawing.entries


def test_a_forked_child_cannot_draw_what_is_ready(tmp_path: Path) -> None:
    """Its copy of the plan would be a second budget."""
    ledger = Ledger(Guarantee(10, "1e-4"), unit=PERSON, journal=f"sqlite:///{tmp_path}/ledger.db")
    one = Gaussian(l2_sensitivity=1, scale=50)
    plan = ledger.reserve([one], purpose="a table", delta="1e-6", draws=[one])
    child = os.fork()
    if child == 0:
        try:
            plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="a table")
        except BudgetExceeded:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="a table")


def test_a_checkpoint_between_plan_and_draws_leaves_them_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a checkpoint is due its row must be one, or the journal could not be opened from there."""
    monkeypatch.setattr(handle, "CHECKPOINT", 5)
    address = f"sqlite:///{tmp_path}/ledger.db"
    one = Gaussian(l2_sensitivity=1, scale=50)
    ledger = Ledger(Guarantee(10, "1e-4"), unit=PERSON, journal=address)
    for _ in range(6):
        plan = ledger.reserve([one, one], purpose="a table", delta="1e-6", draws=[one, one])
        for _ in range(2):
            plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="a table")
        with pytest.raises(BudgetExceeded, match="left"):
            plan.release(Sensitive(3.5, Sensitivity(1), PERSON), one, purpose="a table")
        again = Ledger.open(address)
        assert again.verify() == ledger.verify()
    kinds = [row.facts["kind"] for row in ledger.journal.rows()]
    assert all((kind == "checkpoint") == (place % 5 == 0) for place, kind in enumerate(kinds) if place)
    assert [entry.kind for entry in ledger.entries] == ["reservation", "draw", "draw"] * 6
