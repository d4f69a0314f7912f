"""Plans that outlive who reserved them, on SQLite and PostgreSQL: killed processes, many at once, forged rows."""

import itertools
import os
import signal
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger, Reservation
from privet.core.journals.chain import Row
from privet.core.journals.entry import amount_facts
from privet.errors import BudgetExceeded, LedgerDamaged, LedgerUnavailable
from privet.loss import Amount
from tests.core.journals.anchored_place import Place
from tests.support.ledger_processes import CONTEXT, COUNT, SECRET, ask, die_at, forked, in_threads, new_ledger, run

pytestmark = pytest.mark.whole

STEPS = 8
COUNT_PRICE = Amount(Fraction(1), Fraction(0))  # of one step
ASKED: dict[str, Any] = {"purpose": "a training", "key": "k"}
NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder}/ledger.db"
    return f"{request.getfixturevalue('database')}&ledger=resumed_{next(NUMBERS)}"


def step(plan: Reservation) -> None:
    plan.release(SECRET, COUNT, purpose="a step")


def steps_drawn(plan: Reservation, attempts: int) -> int:
    """How many of the attempts to draw a step succeeded."""
    drawn = 0
    for _ in range(attempts):
        try:
            step(plan)
        except BudgetExceeded:
            continue
        drawn += 1
    return drawn


def train_and_die(address: str, point: str, drawn: int) -> None:
    """Reserve a plan, draw some steps of it, and end at a point on the way to the next."""
    plan = Ledger.open(address).reserve(COUNT.loss * STEPS, **ASKED)
    for _ in range(drawn):
        step(plan)
    die_at(point)
    step(plan)


@pytest.mark.parametrize("point", ["after check", "before commit", "after commit", "after anchor", "nowhere"])
def test_a_death_between_record_and_run(address: str, point: str) -> None:
    """A draw that was written is gone, whether it was run or not; one that was not can be made."""
    ledger = new_ledger(address)
    killed = run(train_and_die, address, point, 3)
    assert killed == (0 if point == "nowhere" else -signal.SIGKILL)
    gone = 3 if point in ("after check", "before commit") else 4
    plan = ledger.resume(COUNT.loss * STEPS, **ASKED)
    assert plan.left == COUNT.loss * (STEPS - gone)
    assert steps_drawn(plan, STEPS) == STEPS - gone
    plan.store("weights")
    plan.done()
    assert Ledger.open(address).recall(COUNT.loss * STEPS, **ASKED) == "weights"
    assert ledger.spent.epsilon == STEPS  # charged once, whatever happened
    ledger.verify()


def hold_for_ever(address: str, path: str) -> None:
    plan = Ledger.open(address).reserve(COUNT.loss * STEPS, **ASKED)
    step(plan)
    Path(path).touch()
    time.sleep(600)


def test_a_plan_is_held_until_its_process_ends(address: str, tmp_path: Path) -> None:
    ledger = new_ledger(address)
    child = CONTEXT.Process(target=hold_for_ever, args=(address, str(tmp_path / "begun")), daemon=True)
    child.start()
    while not (tmp_path / "begun").exists():
        assert child.is_alive()
        time.sleep(0.01)
    with pytest.raises(LedgerUnavailable, match="has not ended"):
        ledger.resume(COUNT.loss * STEPS, **ASKED)
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()
    assert steps_drawn(ledger.resume(COUNT.loss * STEPS, **ASKED), STEPS) == STEPS - 1


def test_of_many_at_once_one_goes_on(address: str) -> None:
    ledger = new_ledger(address)
    ledger.reserve(COUNT.loss * STEPS, **ASKED).done()

    def attempt(_: int) -> Reservation | None:
        try:
            return Ledger.open(address).resume(COUNT.loss * STEPS, **ASKED)
        except LedgerUnavailable:
            return None

    for _ in range(3):
        found = [plan for plan in in_threads(6, attempt) if plan is not None]
        assert len(found) == 1
        found[0].done()


def test_processes_and_threads_together_draw_the_plan_and_no_more(address: str) -> None:
    """Whoever holds a copy of the plan: each curve is admitted once."""
    ledger = new_ledger(address)
    ledger.reserve(COUNT.loss * STEPS, **ASKED).done()
    plan = ledger.resume(COUNT.loss * STEPS, **ASKED)
    children = [forked(lambda: steps_drawn(plan, 2)) for _ in range(3)]
    in_processes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert in_processes == [2, 2, 2]
    assert sum(in_threads(4, lambda _: steps_drawn(plan, 2))) == STEPS - 6
    assert not plan.left.parts
    assert Ledger.open(address).verify() == ledger.verify()


def test_a_forked_child_does_not_hold_its_parents_plan(address: str) -> None:
    """Nor end it: what it lets go of is its own copy."""
    ledger = new_ledger(address)
    ledger.reserve(COUNT.loss * STEPS, **ASKED).done()
    plan = ledger.resume(COUNT.loss * STEPS, **ASKED)

    def done() -> int:
        plan.done()
        return 0

    child = forked(done)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with pytest.raises(LedgerUnavailable, match="has not ended"):
        Ledger.open(address).resume(COUNT.loss * STEPS, **ASKED)


# --- who can write rows, and not the anchor -------------------------------------------------------------------------


def forged(ledger: Ledger, *, paid: Amount, times: int = STEPS, **more: object) -> dict[str, Any]:
    """The row of a plan as a run would have reserved it, at any price."""
    entry = ledger._plan_entry(COUNT.loss * times, ledger._nothing, "a training", "k", "")
    return {**entry.facts, "cost": amount_facts(paid), **more}


def price(steps: int) -> Amount:
    return COUNT_PRICE * steps


def test_a_plan_that_nobody_paid_for_is_not_gone_on_with(place: Place) -> None:
    ledger = place.new()
    place.attacker.append(forged(ledger, paid=price(STEPS - 1)))
    for each in (ledger, place.open()):
        with pytest.raises(BudgetExceeded, match="does not cover its plan"):
            each.resume(COUNT.loss * STEPS, **ASKED)


def test_the_control_that_was_paid_for(place: Place) -> None:
    """It was counted like any other spend, so it is one."""
    ledger = place.new()
    place.attacker.append(forged(ledger, paid=price(STEPS)))
    assert ledger.spent == price(STEPS)
    assert steps_drawn(ledger.resume(COUNT.loss * STEPS, **ASKED), STEPS + 1) == STEPS


@pytest.mark.parametrize("other", ["loss", "purpose"])
def test_the_plan_of_another_row_is_not_gone_on_with(place: Place, other: str) -> None:
    """What was asked for is a hash, which says nothing of what the row lets be drawn."""
    ledger = place.new()
    large = forged(ledger, paid=price(1), times=1000)
    changed = {"loss": large["loss"]} if other == "loss" else {"purpose": "another"}
    place.attacker.append(forged(ledger, paid=price(STEPS), **changed))
    with pytest.raises(BudgetExceeded, match="did not pay for this plan"):
        ledger.resume(COUNT.loss * STEPS, **ASKED)


def test_a_price_that_was_written_afterwards_is_noticed(place: Place) -> None:
    """The plan was counted at nothing; then its row was made to say that it was paid for, with a hash that fits."""
    ledger = place.new()
    place.attacker.append(forged(ledger, paid=price(0)))
    ask(ledger)
    opened, plan, asked = place.attacker.rows()
    dear = Row.after(opened, {**plan.facts, "cost": amount_facts(price(STEPS))})
    place.attacker.put([opened, dear, asked])
    with pytest.raises(LedgerDamaged, match="row 2 was changed"):
        ledger.resume(COUNT.loss * STEPS, **ASKED)
