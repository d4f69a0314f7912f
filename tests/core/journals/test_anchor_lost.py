"""A journal without its anchor, and an anchor without its journal, on SQLite and PostgreSQL."""

from pathlib import Path

import pytest

from privet.core import Ledger
from privet.core.journals import handle
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable, NewLedger
from privet.loss import Guarantee
from tests.core.journals.anchored_place import NOT_KNOWN, Place, spend_facts, told_once
from tests.support.ledger_processes import PERSON, ask, new_ledger, spend_all

pytestmark = pytest.mark.whole


def test_a_fresh_ledger_in_its_place_is_refused(place: Place) -> None:
    """All rows replaced by those of a new ledger with the same terms, at any length."""
    with place.new() as ledger:
        spend_all(ledger, 2)
        spend = spend_facts(ledger)
        terms = place.attacker.rows()[0].facts
    for spends in (0, 2, 5):
        place.attacker.rewrite(0, [{**terms, "nonce": "another"}, *[spend] * spends])
        for attempt in (place.open, place.new, lambda: ask(ledger)):
            with pytest.raises((LedgerDamaged, LedgerUnavailable)):
                attempt()
    with pytest.raises(
        LedgerDamaged, match=r"not the journal that the anchor .* belongs to: put back the right journal"
    ):
        place.open()


@pytest.mark.parametrize("spends", [0, 1])
def test_a_moved_anchor_is_not_left_out(place: Place, spends: int) -> None:
    """Nor is another one made in its place, also while nothing is spent."""
    with place.new() as ledger:
        spend_all(ledger, spends)
    files = sorted(place.anchor.parent.parent.rglob("*anchor*"))
    left_out = r"name its place with anchor=.*--recreate --reason"
    for elsewhere in (None, place.anchor.with_name("another")):
        for attempt in (place.open, place.new):
            with pytest.raises(LedgerUnavailable, match=left_out) as refused:
                attempt(anchor=elsewhere)
            told_once(refused.value)
    assert sorted(place.anchor.parent.parent.rglob("*anchor*")) == files
    with place.open() as ledger:
        ask(ledger)
        assert ledger.spent.epsilon == spends + 1


def test_moving_and_making_anew(place: Place) -> None:
    with place.new() as ledger:
        ask(ledger)
    journal = place.journal()
    there = place.anchor.with_name("moved")
    journal.open()
    with pytest.raises(InvalidParameter, match="is there already: name a new file"):
        journal.move_anchor(place.anchor)
    journal.move_anchor(there)
    assert not place.anchor.exists()
    with pytest.raises(LedgerUnavailable, match="is missing: put it back"):
        place.open()
    with place.open(anchor=there) as ledger:
        ask(ledger)
    place.journal().recreate_anchor(reason="a second host")
    ledger = place.open()
    ask(ledger)
    ledger.journal.cap(Guarantee(20), reason="agreed")  # which the first host does not know
    with pytest.raises(LedgerDamaged, match=NOT_KNOWN):
        place.open(anchor=there)


def test_a_journal_that_is_damaged_gets_no_new_anchor(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where opening it finds nothing, before the last checkpoint."""
    monkeypatch.setattr(handle, "CHECKPOINT", 7)
    with place.new() as ledger:
        spend_all(ledger, 9)
    before = place.anchor.read_bytes()
    rows = place.attacker.rows()
    place.attacker.put([*rows[:2], rows[2]._replace(body=rows[2].body.replace("a count", "nothing")), *rows[3:]])
    for mend in (place.journal().recreate_anchor, place.journal().accept_acts):
        with pytest.raises(LedgerDamaged, match="row 2 was changed"):
            mend(reason="lost")
    assert place.anchor.read_bytes() == before


# --- an empty folder ------------------------------------------------------------------------------------------------


def test_a_lost_journal_is_no_new_budget(place: Place) -> None:
    """A disk that is not mounted, a new server: the anchor remembers; and nothing is made while it does."""
    with place.new() as ledger:
        ask(ledger)
    place.attacker.lose()
    with pytest.raises(LedgerDamaged, match=r"is empty, but the anchor .* remembers its row 1: put the journal back"):
        place.new()
    with pytest.raises(LedgerUnavailable, match=r"there is no ledger at .*`privet ledger create`"):
        place.open()
    assert place.attacker.is_lost
    place.anchor.unlink()
    with pytest.warns(
        NewLedger, match="so a new one was made, with nothing spent: if there should have been one, stop"
    ):
        place.new()


def test_a_ledger_that_is_made_is_told_of(place: Place, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(LedgerUnavailable, match="there is no ledger at"):
        place.new(create=False)
    assert not place.anchor.exists()
    place.new(create=True).close()
    place.new(create=False).close()
    place.new().close()
    Ledger(Guarantee(1), unit=PERSON)
    assert not [each for each in recwarn if issubclass(each.category, NewLedger)]
    with pytest.raises(InvalidParameter, match="has the limit"):
        place.new(Guarantee(7), create=False)


@pytest.mark.parametrize("trace", [".lock", "-wal"])
def test_traces_beside_a_lost_file_are_enough_to_refuse(folder: Path, trace: str) -> None:
    address = f"sqlite:///{folder}/ledger.db"
    path = folder / "ledger.db"
    with new_ledger(address) as ledger:
        ask(ledger)
    for name in ("", ".anchor", ".lock"):
        path.with_name(f"ledger.db{name}").unlink()
    (folder / f"ledger.db{trace}").touch()
    with pytest.raises(LedgerDamaged, match=rf"is gone, but ledger\.db{trace} beside it shows that there was one: put"):
        new_ledger(address)
    assert not path.exists()
