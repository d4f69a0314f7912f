"""A restored backup is an older state of a ledger: what its anchor says, and what the owner gives up."""

import itertools
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger, Scope
from privet.core.journals import handle as handle_module
from privet.core.journals import journal_at
from privet.core.journals.backup import Backup, back_up
from privet.core.journals.report import report
from privet.core.journals.restore import Loss
from privet.errors import BudgetExceeded, InvalidParameter, LedgerDamaged, LedgerUnavailable
from privet.loss import Guarantee
from tests.support.ledger_processes import ask, die_at, new_ledger, run, spend_all

LIMIT = Guarantee(10)
NUMBERS = itertools.count()


class Place:
    """Where a ledger is, and its anchor and backups beside it."""

    def __init__(self, folder: Path, server: str | None) -> None:
        self.folder = folder
        self.server = server
        self.anchor = folder / "the.anchor"
        self.new()

    def new(self) -> None:
        """From now on another place, with the same anchor: the old one is gone."""
        number = next(NUMBERS)
        file = f"sqlite:///{self.folder}/ledger{number}.db"
        self.address = file if self.server is None else f"{self.server}&ledger=restored_{number}"

    def ledger(self, **more: Any) -> Ledger:  # noqa: ANN401 - as for a ledger
        return new_ledger(self.address, LIMIT, anchor=self.anchor, **more)

    def open(self, **more: Any) -> Ledger:  # noqa: ANN401 - as for a ledger
        return Ledger.open(self.address, anchor=self.anchor, **more)

    def back_up(self, ledger: Ledger) -> Path:
        path = self.folder / f"backup {next(NUMBERS)}"
        back_up(ledger.journal, path)
        return path

    def restore(self, path: Path, *, loss: Loss | None = None) -> Ledger:
        journal: Any = journal_at(self.address, anchor=self.anchor)
        assert journal.restore(kept(path), loss=loss) == journal.head().sequence + 1
        journal.close()
        return self.open(analyst="ada")


def kept(path: Path) -> Backup:
    found = Backup(path)
    found.open()
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, folder: Path) -> Place:
    if request.param == "postgres":
        pytest.importorskip("psycopg")
    return Place(folder, request.getfixturevalue("database") if request.param == "postgres" else None)


@pytest.fixture
def here(folder: Path) -> Place:
    return Place(folder, None)


def test_nothing_is_lost_where_the_anchor_remembers_no_more(place: Place) -> None:
    with place.ledger(analyst="ada") as ledger:
        first = ask(ledger, key="k").to_json()
        spend_all(ledger, 3)
        path = place.back_up(ledger)
        rows = list(ledger.journal.rows())
    place.new()
    with pytest.raises(LedgerDamaged, match="remembers its row 5: put the journal back"):
        place.ledger()
    with pytest.raises(InvalidParameter, match="leave --accept-loss REASON out"):
        place.restore(path, loss=Loss("none"))
    again = place.restore(path)
    assert list(again.journal.rows()) == rows
    assert ask(again, key="k").to_json() == first
    ask(again)
    assert (again.spent.epsilon, again.verify()) == (5, 7)
    assert "lost" not in report(again.journal)


def test_rows_after_the_anchored_one_are_believed_as_when_a_ledger_is_opened(here: Place) -> None:
    """Spends are; what only the owner may do is not, and then nothing is left at the place."""
    with here.ledger() as ledger:
        ask(ledger)
        shutil.copy(here.anchor, here.folder / "earlier")
        ask(ledger)
        spends = here.back_up(ledger)
        ledger.journal.cap(Guarantee(99), reason="forged, for all that the anchor knows")
        acts = here.back_up(ledger)
    shutil.copy(here.folder / "earlier", here.anchor)
    here.new()
    with pytest.raises(LedgerDamaged, match="row 3 changes what only the owner may"):
        here.restore(acts)
    assert not list(here.folder.glob(f"{here.address.rpartition('/')[2]}*"))
    with here.restore(spends) as again:
        assert again.spent.epsilon == 2
        assert again.journal.anchor.read().mark.sequence == 2  # type: ignore[attr-defined] # it has one


def test_a_loss_costs_all_that_was_left(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle_module, "CHECKPOINT", 7)
    ledger = place.ledger(analyst="ada")
    journal = ledger.journal
    journal.cap(Guarantee(4), scope=Scope("ada"), reason="hers")
    plan = ledger.reserve(ask(ledger, "beds").loss * 2, purpose="two")
    path = place.back_up(ledger)
    ask(plan)  # in the rows that are lost, as what follows
    spend_all(Ledger.open(place.address, anchor=place.anchor, analyst="bob"), 2)
    ledger.close()
    place.new()
    with pytest.raises(LedgerDamaged, match=r"what was spent in the rows between is not in it; use a newer backup, or"):
        place.restore(path)
    with place.restore(path, loss=Loss("the disk died")) as again:
        books = again.journal.books()
        assert [books.account(scope).spent.epsilon for scope in (Scope(), Scope("ada"))] == [10, 10]
        assert [books.account(Scope(name)).spent.epsilon for name in ("bob", "nobody yet")] == [7, 7]
        assert (books.plans, books.owners) == ({}, {})
        told = report(again.journal)
        assert told["lost"] == {"epsilon": "7", "delta": "0"}
        assert told["promised_so_far"]["epsilon"] == "10"
        (entry,) = [row.facts for row in again.journal.rows() if row.facts["kind"] == "lost"]
        assert (entry["rows"], entry["cost"], entry["reason"]) == (3, ["7", "0"], "the disk died")
        with pytest.raises(BudgetExceeded):
            ask(again)
        again.journal.cap(Guarantee(12), reason="two more")
        again.journal.cap(Guarantee(8), scope=Scope(purpose="beds"), reason="one spend and what was lost")
        with pytest.raises(BudgetExceeded, match="'ada'"):
            ask(again)
        carl = place.open(analyst="carl")
        with pytest.raises(BudgetExceeded, match="'beds'"):
            ask(carl, "beds")
        spend_all(carl, 5)
        assert again.journal.books().account(Scope("carl")).spent.epsilon == 9
        state = again.journal.books().state()
        assert again.verify() > 7  # the totals of a checkpoint after the loss are those of the rows
        assert state["losses"] == [["7", "0"]]
    with place.open() as last:
        assert last.journal.books().state() == state


def test_a_draw_from_a_plan_of_before_a_loss_is_refused(here: Place) -> None:
    ledger = here.ledger(analyst="ada")
    plan: Any = ledger.reserve(ask(ledger).loss * 2, purpose="two")
    path = here.back_up(ledger)
    ask(plan)
    drawn = ledger.journal.entries()[-1].facts
    assert (drawn["kind"], ledger.journal.books().refusal(drawn)) == ("draw", None)
    ledger.close()
    here.new()
    with here.restore(path, loss=Loss("a test")) as again:
        again.journal.cap(Guarantee(99), reason="more")
        assert again.journal.books().refusal(drawn) is not None


def test_an_act_of_the_owner_that_is_lost_needs_their_word(here: Place) -> None:
    """The limit may have been raised: then the one in the backup does not bound what was spent."""
    ledger = here.ledger()
    ask(ledger)
    path = here.back_up(ledger)
    ledger.journal.cap(Guarantee(30), reason="more")
    spend_all(ledger, 25)
    ledger.close()
    here.new()
    with pytest.raises(InvalidParameter, match=r"caps, periods or names were changed after row 1.*--epsilon"):
        here.restore(path, loss=Loss("the disk died"))
    with pytest.raises(InvalidParameter, match="reason must be given in words"):
        Loss(" ")
    with pytest.raises(InvalidParameter, match="promises nothing"):
        Loss("why", Guarantee("1e301"))
    with here.restore(path, loss=Loss("the disk died", Guarantee(30))) as again:
        assert (again.spent.epsilon, again.limit) == (30, LIMIT)


def test_a_lower_limit_than_that_of_the_backup_is_not_believed(here: Place) -> None:
    path = here.back_up(here.ledger())
    here.anchor.unlink()
    here.new()
    with here.restore(path, loss=Loss("no anchor", Guarantee(3))) as again:
        assert again.spent.epsilon == 10


def test_without_its_anchor_everything_is_lost(place: Place) -> None:
    with place.ledger() as ledger:
        ask(ledger)
        path = place.back_up(ledger)
    place.anchor.unlink()
    place.new()
    with pytest.raises(LedgerUnavailable, match=r"there is no anchor at .*the.anchor, so nobody knows what was spent"):
        place.restore(path)
    with place.restore(path, loss=Loss("lost with the host")) as again:
        assert (again.spent.epsilon, again.remaining.epsilon) == (10, 0)
        assert place.anchor.exists()
        assert again.verify() == 3


def test_a_server_without_an_anchor(database: str, folder: Path) -> None:
    pytest.importorskip("psycopg")
    addresses = [f"{database}&ledger=unanchored_{number}" for number in range(2)]
    ledger = new_ledger(addresses[0])
    back_up(ledger.journal, folder / "backup")
    journal: Any = journal_at(addresses[1])
    with pytest.raises(LedgerUnavailable, match="no anchor was named, so nobody knows"):
        journal.restore(kept(folder / "backup"))
    journal.restore(kept(folder / "backup"), loss=Loss("moved"))
    with pytest.raises(InvalidParameter, match="there is a ledger at"):
        journal_at(addresses[0]).restore(kept(folder / "backup"), loss=Loss("twice"))  # type: ignore[attr-defined] # it can
    assert Ledger.open(addresses[1]).remaining.epsilon == 0


def test_another_ledgers_anchor_is_refused(here: Place, folder: Path) -> None:
    path = here.back_up(new_ledger(None))
    here.ledger().close()
    here.new()
    with pytest.raises(LedgerDamaged, match="is not of the journal that the anchor"):
        here.restore(path)
    here.anchor.write_bytes(b"torn")
    with pytest.raises(LedgerDamaged, match="not readable"):
        here.restore(path, loss=Loss("torn"))
    assert not list(folder.glob("ledger*.db-*"))


def test_nothing_is_overwritten(here: Place) -> None:
    with here.ledger() as ledger:
        path = here.back_up(ledger)
    with pytest.raises(InvalidParameter, match="is there already: move it away"):
        here.restore(path)
    here.open().close()
    here.new()
    log = Path(f"{here.address.removeprefix('sqlite:///')}-wal")
    log.touch()
    with pytest.raises(InvalidParameter, match="-wal belongs to a file that was here: move it away as well"):
        here.restore(path)
    log.unlink()
    here.restore(path).close()


def test_the_old_file_is_refused_after_a_loss_was_accepted(here: Place) -> None:
    """It went on after the backup; the anchor now belongs to what the owner made of the backup."""
    old = here.address
    with here.ledger() as ledger:
        path = here.back_up(ledger)
        spend_all(ledger, 2)
    here.new()
    here.restore(path, loss=Loss("the disk died")).close()
    with pytest.raises(LedgerDamaged, match="not the one that the anchor remembers"):
        Ledger.open(old, anchor=here.anchor)


@pytest.mark.parametrize("point", ["before commit", "after commit"])
@pytest.mark.parametrize("lossy", [False, True])
def test_a_restore_that_dies_gives_nothing_away_and_can_be_done_again(here: Place, point: str, lossy: bool) -> None:  # noqa: FBT001 - a case
    with here.ledger() as ledger:
        ask(ledger)
        path = here.back_up(ledger)
        if lossy:
            ask(ledger)
    here.new()
    loss = Loss("again") if lossy else None
    assert run(restore_and_die, here.address, str(here.anchor), str(path), point, loss) == -signal.SIGKILL
    if lossy or point == "before commit":
        with pytest.raises((LedgerUnavailable, LedgerDamaged)):
            here.open()
        with pytest.raises((LedgerUnavailable, LedgerDamaged)):
            here.ledger()
        here.new()
        again = here.restore(path, loss=loss)
    else:
        again = here.open()
    assert again.spent.epsilon == (10 if lossy else 1)
    again.close()


def restore_and_die(address: str, anchor: str, path: str, point: str, loss: Loss | None) -> None:
    journal: Any = journal_at(address, anchor=anchor)
    found = kept(Path(path))
    die_at(point)
    journal.restore(found, loss=loss)


def test_a_stored_journal_moves_to_another_file(folder: Path) -> None:
    """As one moves a ledger to another machine, or to the version of a newer Privet: rows are copied as they are."""
    stored = Path(__file__).with_name("stored")
    shutil.copy(stored / "version-1.db.anchor", folder / "ledger.db.anchor")
    journal: Any = journal_at(f"sqlite:///{folder}/ledger.db")
    assert journal.restore(kept(stored / "version-1.backup")) == 11
    assert journal.verify() == 11
    assert journal.books().dataset.spent.epsilon == 4
