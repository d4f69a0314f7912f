"""Plans that are gone on with: nothing is charged again, and all runs together draw what was paid for."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger, Reservation, Sensitive, Sensitivity, Unit
from privet.errors import AnswerLost, BudgetExceeded, InvalidParameter, KeyReused, LedgerUnavailable
from privet.loss import ConcentratedGuarantee, EpsilonSum, GaussianSum, Guarantee, RenyiSum, ZcdpSum
from privet.mechanisms import DiscreteLaplace, Gaussian

PERSON = Unit("person")
COUNT = DiscreteLaplace(l1_sensitivity=1, scale=10)
NOISY = Gaussian(l2_sensitivity=1, scale=50)
SECRET = Sensitive(42, Sensitivity(1), PERSON)
ASKED: dict[str, Any] = {"purpose": "a training", "key": "k", "question": "which network?"}


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    journal = None if request.param == "memory" else f"sqlite:///{tmp_path}/ledger.db"
    return Ledger(Guarantee(1, "1e-5"), unit=PERSON, journal=journal)


def draw(plan: Reservation, times: int = 1) -> None:
    for _ in range(times):
        plan.release(SECRET, COUNT, purpose="a step")


def begun(ledger: Ledger, *, steps: int, drawn: int) -> Reservation:
    """A plan with a key whose run ended after some of its draws."""
    plan = ledger.reserve(COUNT.loss * steps, **ASKED)
    draw(plan, drawn)
    plan.done()
    return plan


def test_what_a_plan_has_left_is_drawn_at_no_charge(ledger: Ledger) -> None:
    begun(ledger, steps=5, drawn=2)
    spent = ledger.spent
    plan = ledger.resume(COUNT.loss * 5, **ASKED)
    assert plan.left == COUNT.loss * 3
    assert plan.stored() is None
    draw(plan, 3)
    with pytest.raises(BudgetExceeded, match="left"):
        draw(plan)
    plan.store("weights")
    plan.done()
    assert ledger.spent == spent
    assert ledger.recall(COUNT.loss * 5, **ASKED) == "weights"
    assert [entry.kind for entry in ledger.entries] == ["reservation", *["draw"] * 5]
    ledger.verify()


def test_a_plan_of_mechanisms_is_gone_on_with_in_segments(ledger: Ledger) -> None:
    """A training draws many steps at once; each segment is a draw of several of the plan's curves."""
    ledger.reserve([COUNT] * 6, **ASKED).done()
    plan = ledger.resume(COUNT.loss * 6, **ASKED)
    part = plan.reserve(COUNT.loss * 4, purpose="four steps")
    assert plan.left == COUNT.loss * 2
    draw(part, 4)
    with pytest.raises(BudgetExceeded, match="left"):
        draw(part)
    with pytest.raises(BudgetExceeded, match="left"):
        plan.reserve(COUNT.loss * 3, purpose="three more")
    plan.reserve(COUNT.loss * 2, purpose="two more")
    assert not plan.left.parts


def test_again_and_again(ledger: Ledger) -> None:
    """Each run draws one step and ends."""
    begun(ledger, steps=4, drawn=1)
    for left in (2, 1, 0):
        plan = ledger.resume(COUNT.loss * 4, **ASKED)
        draw(plan)
        assert sum(times for _, times in plan.left.parts) == left
        plan.done()
    plan = ledger.resume(COUNT.loss * 4, **ASKED)  # it has nothing left, and its answer was not stored yet
    with pytest.raises(BudgetExceeded, match="left"):
        draw(plan)
    plan.store("weights")


def test_a_plan_that_is_not_there_or_not_this_one_is_refused(ledger: Ledger) -> None:
    with pytest.raises(InvalidParameter, match="nothing was reserved with the key 'k'; reserve it first"):
        ledger.resume(COUNT.loss * 3, **ASKED)
    begun(ledger, steps=3, drawn=0)
    with pytest.raises(InvalidParameter, match="'another'"):
        ledger.resume(COUNT.loss * 3, **ASKED | {"key": "another"})
    for loss, other in (
        (COUNT.loss * 4, {}),
        (NOISY.loss * 3, {}),
        (COUNT.loss * 3, {"purpose": "another"}),
        (COUNT.loss * 3, {"question": "another"}),
    ):
        with pytest.raises(KeyReused):
            ledger.resume(loss, **ASKED | other)
    ledger.resume(COUNT.loss * 3, **ASKED)


def test_a_release_with_a_key_is_no_plan(ledger: Ledger) -> None:
    ledger.release(SECRET, COUNT, purpose="a training", key="k")
    with pytest.raises(KeyReused):
        ledger.resume(COUNT.loss, **ASKED)


def test_another_analyst_does_not_go_on_with_it(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/ledger.db"
    begun(Ledger(Guarantee(1), unit=PERSON, journal=address, analyst="ada"), steps=3, drawn=0)
    with pytest.raises(InvalidParameter, match="nothing was reserved"):
        Ledger.open(address, analyst="bob").resume(COUNT.loss * 3, **ASKED)
    Ledger.open(address, analyst="ada").resume(COUNT.loss * 3, **ASKED)


def test_an_answered_plan_is_refused(ledger: Ledger) -> None:
    plan = ledger.reserve(COUNT.loss * 3, **ASKED)
    plan.store("weights")
    plan.done()
    with pytest.raises(InvalidParameter, match=r"answered already: .*`recall`"):
        ledger.resume(COUNT.loss * 3, **ASKED)
    assert ledger.recall(COUNT.loss * 3, **ASKED) == "weights"


def test_a_retry_never_draws(ledger: Ledger) -> None:
    """Neither before somebody goes on with the plan, nor meanwhile: only who says `resume` draws."""
    begun(ledger, steps=3, drawn=1)
    for resumed in (None, ledger.resume(COUNT.loss * 3, **ASKED)):
        with pytest.raises(BudgetExceeded, match="go on with `resume` if that run has ended"):
            draw(ledger.reserve(COUNT.loss * 3, **ASKED))
        assert resumed is None or resumed.left == COUNT.loss * 2


def test_one_run_at_a_time(ledger: Ledger) -> None:
    plan = ledger.reserve(COUNT.loss * 3, **ASKED)
    for _ in range(2):
        with pytest.raises(LedgerUnavailable, match=r"has not ended holds its plan: .*`done\(\)`"):
            ledger.resume(COUNT.loss * 3, **ASKED)
        plan.done()
        plan = ledger.resume(COUNT.loss * 3, **ASKED)


def test_who_ended_does_not_end_the_run_after_it(ledger: Ledger) -> None:
    """The reservation of an interrupted fit lives on in its traceback, and is collected at any time."""
    plan = begun(ledger, steps=3, drawn=0)
    resumed = ledger.resume(COUNT.loss * 3, **ASKED)
    plan.done()
    del plan
    gc.collect()
    with pytest.raises(LedgerUnavailable, match="has not ended"):
        ledger.resume(COUNT.loss * 3, **ASKED)
    resumed.done()
    ledger.resume(COUNT.loss * 3, **ASKED)


def test_a_plan_has_one_answer_whoever_goes_on(ledger: Ledger) -> None:
    """The first run was believed to have ended: it draws what is left like anybody, and its answer comes too late."""
    first = begun(ledger, steps=4, drawn=1)
    second = ledger.resume(COUNT.loss * 4, **ASKED)
    draw(second, 2)
    draw(first)
    for plan in (first, second):
        with pytest.raises(BudgetExceeded, match="left"):
            draw(plan)
    second.store("weights")
    with pytest.raises(AnswerLost, match="another run went on with this plan"):
        first.store("others")
    assert ledger.recall(COUNT.loss * 4, **ASKED) == "weights"
    ledger.verify()


PAID: dict[str, tuple[Callable[[], Ledger], dict[str, Any]]] = {
    "at a delta": (lambda: Ledger(Guarantee(1, "1e-5"), unit=PERSON), {"delta": "1e-6"}),
    "at its promise": (lambda: Ledger(Guarantee(1, "1e-5"), unit=PERSON), {"promise": Guarantee("0.5", "1e-6")}),
    "at the rule's delta": (lambda: Ledger(Guarantee(1, "1e-5"), unit=PERSON, rule=EpsilonSum("1e-7")), {}),
    "with a gamma": (lambda: Ledger(Guarantee(1, "1e-5", gamma="0.1"), unit=PERSON), {"delta": "1e-6"}),
    "rho": (lambda: Ledger(ConcentratedGuarantee("0.1"), unit=PERSON, rule=ZcdpSum()), {}),
    "renyi": (lambda: Ledger(Guarantee(1, "1e-5"), unit=PERSON, rule=RenyiSum(20)), {}),
    "gaussian": (lambda: Ledger(Guarantee(1, "1e-5"), unit=PERSON, rule=GaussianSum()), {}),
}


@pytest.mark.parametrize("how", PAID)
def test_whatever_way_a_plan_was_paid_for_covers_it(how: str) -> None:
    make, paid = PAID[how]
    ledger = make()
    ledger.reserve(NOISY.loss * 10, **ASKED, **paid).done()
    spent = ledger.spent
    plan = ledger.resume(NOISY.loss * 10, **ASKED)
    plan.release(SECRET, NOISY, purpose="a step")
    assert plan.left == NOISY.loss * 9
    assert ledger.spent == spent
