"""What an anchor attests, on SQLite and PostgreSQL: against who can write any rows, and not the anchor."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from privet.core import Ledger, Scope
from privet.core.journals import handle
from privet.core.journals.chain import Facts, Row, canonical, digest
from privet.core.journals.entry import amount_facts
from privet.errors import BudgetExceeded, LedgerDamaged
from privet.loss import Guarantee
from tests.core.journals.anchored_place import NOT_KNOWN, Place, spend_facts, told_once
from tests.support.ledger_processes import COUNT, SECRET, ask, spend_all

pytestmark = pytest.mark.whole


def cap(limit: int, *, spent: int = 1) -> Facts:
    promise = {"epsilon": str(limit), "delta": "0"}
    total = [str(spent), "0"]
    scope = Scope().facts
    return {"kind": "cap", "scope": scope, "limit": promise, "frozen": False, "spent": total, "reason": "forged"}


FORGED: dict[str, Facts] = {
    "cap": cap(1000),
    "renewal": {"kind": "renewal", "scope": Scope().facts, "reason": "forged"},
    "unfrozen": {"kind": "unfrozen", "analyst": None, "everyone": True, "reason": "forged"},
    "noted": {"kind": "noted", "act": "person added", "by": "olga", "about": {"name": "eve"}, "reason": "forged"},
    "shared": {"kind": "shared", "name": "salaries", "reason": "forged"},
    "declared": {"kind": "declared", "declared": {"purpose": "anything"}},
}
ATTEMPTS: dict[str, Callable[[Place, Ledger], object]] = {
    "opened": lambda place, _: place.open(),
    "made": lambda place, _: place.new(Guarantee(1)),
    "spends": lambda _, ledger: ask(ledger),
    "looks": lambda _, ledger: ledger.limit,
    "is frozen": lambda _, ledger: ledger.journal.frozen(None),
    "verifies": lambda _, ledger: ledger.verify(),
    "owner acts": lambda _, ledger: ledger.journal.share("a view", reason="agreed"),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_act_of_the_owner_is_refused(place: Place, kind: str, attempt: str) -> None:
    """A row with a right hash, behind what the anchor remembers; whoever had the ledger open notices too."""
    ledger = place.new(Guarantee(1))
    ask(ledger)
    place.attacker.append(FORGED[kind])
    with pytest.raises(LedgerDamaged, match=NOT_KNOWN) as refused:
        ATTEMPTS[attempt](place, ledger)
    told_once(refused.value)


def test_the_owner_vouches_for_what_they_did_without_this_anchor(place: Place) -> None:
    """The control of the forged cap: the row is good, and is believed as soon as the owner says so."""
    with place.new(Guarantee(1)) as ledger:
        ask(ledger)
    place.attacker.append(cap(3))
    place.journal().accept_acts(reason="done on another host")
    with place.open() as ledger:
        assert ledger.limit == Guarantee(3)
        assert [row.facts["kind"] for row in ledger.journal.rows()] == ["opened", "release", "cap", "anchored"]
        assert spend_all(ledger, 5) == 2
        ledger.verify()


def test_vouching_for_acts_hides_nothing_else(place: Place) -> None:
    with place.new() as ledger:
        spend_all(ledger, 3)
        spend = spend_facts(ledger)
    before = place.anchor.read_bytes()
    for spends, says in ((0, "ends with row 2, but its anchor remembers row 3"), (5, "row 3 is not the one that")):
        place.attacker.rewrite(2, [cap(1000), *[spend] * spends])
        with pytest.raises(LedgerDamaged, match=says):
            place.journal().accept_acts(reason="done on another host")
        assert place.anchor.read_bytes() == before


@pytest.mark.parametrize("attempt", ["spends", "is frozen", "verifies"])
def test_a_tail_rewritten_while_the_ledger_is_open_is_refused(place: Place, attempt: str) -> None:
    """The anchor is ahead of what this handle has seen: not only how far it is counts, but of which row."""
    ledger = place.new(Guarantee(10))
    ask(ledger)
    other = place.open()
    spend_all(other, 2)
    spend = spend_facts(other)
    place.attacker.rewrite(2, [cap(1000), spend, spend])
    with pytest.raises(
        LedgerDamaged, match=r"row 3 is not the one that the anchor remembers: .*put back the right one"
    ):
        ATTEMPTS[attempt](place, ledger)


def test_a_spend_with_a_state_in_it_is_no_checkpoint(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening starts from checkpoints: a forged one could say any limit."""
    monkeypatch.setattr(handle, "CHECKPOINT", 7)
    ledger = place.new(Guarantee(10))
    spend_all(ledger, 6)
    state = json.loads(canonical(ledger.journal.books().state()))
    state["accounts"][0] |= {"limit": {"epsilon": "1000", "delta": "0"}, "spent": ["0", "0"]}
    place.attacker.append({**spend_facts(ledger), "state": state})
    for attempt in (lambda: ask(ledger), place.open):
        with pytest.raises(LedgerDamaged, match="checkpoints have places of their own"):
            attempt()


def test_a_plan_that_nobody_paid_for_is_not_drawn_from(place: Place) -> None:
    """It is found by its key, as if an earlier run had reserved it."""
    ledger = place.new(Guarantee(1))
    asked: dict[str, Any] = {"purpose": "a count", "key": "k"}
    entry = ledger._plan_entry(COUNT.loss * 1000, ledger._nothing, "a count", "k", "")
    place.attacker.append({**entry.facts, "cost": amount_facts(ledger._nothing)})
    plan = ledger.reserve(COUNT.loss * 1000, **asked)
    for attempt in (
        lambda: plan.release(SECRET, COUNT, purpose="a count"),
        lambda: plan.reserve(COUNT.loss, purpose="a part"),
    ):
        with pytest.raises(BudgetExceeded, match=r"reserved before with this key.* under a new key"):
            attempt()
    assert ledger.spent.epsilon == 0


def test_a_cap_does_not_count_old_rows_that_were_changed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was spent before a purpose had a cap is added up from rows that no handle had to read since."""
    monkeypatch.setattr(handle, "CHECKPOINT", 7)
    with place.new(Guarantee(100)) as ledger:
        spend_all(ledger, 9, "beds")
    rows = place.attacker.rows()
    cheaper = canonical({**rows[2].facts, "cost": ["0", "0"]})
    rows[2] = Row(2, cheaper, rows[2].hash)
    place.attacker.put(rows)
    with pytest.raises(LedgerDamaged, match="row 2 was changed"):
        place.open().journal.cap(Guarantee(9), scope=Scope(purpose="beds"), reason="agreed")


SAYING_NOTHING = {"list": "[]", "number": "7", "nested": "[" * 100_000, "odd kind": '{"kind": ["cap"]}', "empty": "{}"}


@pytest.mark.parametrize("body", SAYING_NOTHING.values(), ids=SAYING_NOTHING)
def test_rows_that_say_nothing_are_damage(place: Place, body: str) -> None:
    ledger = place.new()
    rows = place.attacker.rows()
    place.attacker.put([*rows, Row(1, body, digest(rows[0].hash, 1, body))])
    for attempt in (lambda: ask(ledger), place.open):
        with pytest.raises(LedgerDamaged, match="row 1"):
            attempt()


def test_two_acts_of_the_owner_at_once_are_no_forgery(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for one announcement: the first act must be covered before the second is announced."""
    slow = place.new(Guarantee(1))
    quick = place.open()
    reader = place.open()
    with monkeypatch.context() as patched:
        patched.setattr(type(slow.journal), "_committed", lambda *_: None)  # it does not come to writing the anchor
        slow.journal.cap(Guarantee(2), reason="agreed")
        quick.journal.cap(Guarantee(3), reason="agreed again")
    assert reader.limit == Guarantee(3)
    assert place.open().limit == Guarantee(3)
