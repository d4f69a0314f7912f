"""Who may read a ledger and not write it sees all of it, changes nothing, waits for nobody, and can spend nothing."""

import os
import shutil
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from privet.core import Scope
from privet.core.journals.chain import Row
from privet.core.journals.places import journal_at
from privet.core.journals.reader import Reader, read_journal, reader_at
from privet.core.journals.report import questions, report
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable
from privet.loss import Guarantee
from tests.core.journals.anchored_place import Place
from tests.support.ledger_processes import ask, new_ledger

NOBODY = 65534


def state(folder: Path) -> dict[str, tuple[int, ...]]:
    found = {each: each.stat() for each in folder.rglob("*")}
    return {str(path): (each.st_ino, each.st_size, each.st_mtime_ns, each.st_mode) for path, each in found.items()}


def everything(reader: Reader) -> tuple[dict[str, Any], list[dict[str, Any]], int, tuple[Row, ...]]:
    return report(reader), questions(reader), reader.verify(), tuple(reader.rows())


@pytest.mark.parametrize("used", [False, True], ids=["closed", "in use"])
def test_everything_is_seen_and_nothing_changed(folder: Path, *, used: bool) -> None:
    address = f"sqlite:///{folder}/ledger.db"
    ledger = new_ledger(address)
    for _ in range(3):
        ask(ledger)
    expected = report(ledger.journal), tuple(ledger.journal.rows())
    if not used:
        ledger.close()
    before = state(folder)
    found, asked, rows, all_rows = read_journal(address, everything)
    after = state(folder)
    if used:  # SQLite notes in its index who reads
        before.pop(f"{folder}/ledger.db-shm")
        after.pop(f"{folder}/ledger.db-shm")
    assert after == before
    assert (found, all_rows, rows) == (*expected, len(expected[1]))
    assert [each["number"] for each in asked] == [1, 2, 3]


def test_a_reader_waits_for_nobody_and_nobody_for_it(place: Place) -> None:
    ledger = place.new()
    ask(ledger)
    reader = reader_at(place.address, anchor=place.anchor)
    reader.open()
    with ledger.journal._steady(), ledger.journal._writing():
        assert reader.verify() == ledger.journal.head().sequence + 1
    with reader._reading() as pages:
        seen = pages.last()
        ask(ledger)
        assert pages.last() == seen
    assert reader.books().spends == 2
    reader.close()


def test_nothing_can_be_written(place: Place) -> None:
    ledger = place.new()
    ask(ledger)
    rows = tuple(ledger.journal.rows())
    entry = ledger.entries[0]
    for act in (
        lambda reader: reader.spend(entry),
        lambda reader: reader.cap(Guarantee(99), scope=Scope(), frozen=False, reason="mine"),
        lambda reader: reader.answer(1, "false"),
        lambda reader: reader.recreate_anchor(reason="mine"),  # which would vouch for an old copy
        lambda reader: reader.accept_acts(reason="mine"),
        lambda reader: reader.move_anchor(place.anchor.with_name("mine")),
    ):
        attested = place.anchor.read_bytes()
        with pytest.raises(LedgerUnavailable, match="nothing is written"):
            read_journal(place.address, act, anchor=place.anchor)
        assert place.anchor.read_bytes() == attested
    assert tuple(ledger.journal.rows()) == rows


def test_an_old_copy_and_a_forged_act_are_noticed(folder: Path) -> None:
    path = folder / "ledger.db"
    address = f"sqlite:///{path}"
    with new_ledger(address) as ledger:
        ask(ledger)
    shutil.copy(path, folder / "old")
    with new_ledger(address) as ledger:
        ask(ledger)
    shutil.copy(path, folder / "new")
    shutil.copy(folder / "old", path)
    with pytest.raises(LedgerDamaged, match="its anchor remembers row"):
        read_journal(address, report)
    shutil.copy(folder / "new", path)
    shutil.copy(f"{path}.anchor", folder / "anchor")
    with new_ledger(address) as ledger:
        ledger.journal.cap(Guarantee(99), scope=Scope(), frozen=False, reason="mine")
    shutil.copy(folder / "anchor", f"{path}.anchor")
    with pytest.raises(LedgerDamaged, match="the anchor does not know it"):
        read_journal(address, report)


def test_a_changed_row_is_noticed_and_what_to_do_is_said(folder: Path) -> None:
    path = folder / "ledger.db"
    with new_ledger(f"sqlite:///{path}") as ledger:
        ask(ledger)
    with sqlite3.connect(path) as base:
        base.execute("DROP TRIGGER entries_stay")
    with pytest.raises(LedgerDamaged, match="`privet ledger restore`, or count its whole limit as spent"):
        read_journal(str(path), report)


def test_what_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="there is no ledger at"):
        read_journal(f"{folder}/none.db", report)
    with new_ledger(f"sqlite:///{folder}/ledger.db"):
        pass
    (folder / "ledger.db.anchor").unlink()
    with pytest.raises(LedgerUnavailable, match="is missing"):
        read_journal(f"{folder}/ledger.db", report)
    with pytest.raises(LedgerUnavailable, match="is a folder"):
        read_journal(str(folder), report)
    (folder / "other.db").write_text("a letter")
    with pytest.raises(LedgerDamaged, match="is no ledger's file"):
        read_journal(f"{folder}/other.db", report)
    with pytest.raises(InvalidParameter, match="a journal is at"):
        read_journal("mysql://x", report)
    assert not (folder / "none.db").exists()
    assert not (folder / "ledger.db.anchor").exists()


def test_a_whole_ledger_never_looks_damaged_while_it_is_written(place: Place) -> None:
    """Spends and acts of the owner, in one thread; looks in another, over files that come and go."""
    place.new(Guarantee(10**6)).close()
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            with place.new(Guarantee(10**6)) as ledger:
                ask(ledger)
                ledger.journal.cap(Guarantee(7), scope=Scope(analyst="ada"), frozen=False, reason="again")
            time.sleep(0.01)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = [spends for _ in range(25) if (spends := _spends(place)) is not None]
    finally:
        done.set()
        writer.join()
    assert seen
    assert seen == sorted(seen)


def _spends(place: Place) -> int | None:
    try:
        return read_journal(place.address, lambda reader: int(report(reader)["entries"]), anchor=place.anchor)
    except LedgerUnavailable as busy:
        assert "while it was read" in str(busy) or "cannot be read" in str(busy)  # noqa: PT017 - both are allowed
        return None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("used", [False, True], ids=["closed", "in use"])
def test_another_user_reads_what_their_group_may(folder: Path, *, used: bool) -> None:
    path = folder / "ledger.db"
    with new_ledger(f"sqlite:///{path}") as ledger:
        ask(ledger)
    folder.chmod(0o755)
    for each in folder.iterdir():
        os.chown(each, 0, NOBODY)
        each.chmod(0o640)
    ledger = new_ledger(f"sqlite:///{path}")
    ask(ledger)
    assert path.stat().st_mode & 0o777 == 0o640  # the writer leaves a group that may read
    if not used:
        ledger.close()
    child = os.fork()
    if not child:
        os._exit(_as_nobody(str(path)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _as_nobody(path: str) -> int:
    try:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        assert read_journal(path, lambda reader: reader.verify()) == 3
        with pytest.raises(LedgerUnavailable):
            journal_at(path).open()
    except BaseException as problem:  # noqa: BLE001 - it ends here
        print(repr(problem), file=sys.stderr)  # noqa: T201 - for who reads the failure
        return 1
    return 0


def test_a_role_that_may_only_select(database: str) -> None:
    address = f"{database}&ledger=audited"
    ask(new_ledger(address))
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute("DROP ROLE IF EXISTS auditor")
        owner.execute("CREATE ROLE auditor")
        owner.execute("GRANT USAGE ON SCHEMA privet_audited TO auditor")
        owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA privet_audited TO auditor")
    as_auditor = f"{database}&options=-crole%3Dauditor&ledger=audited"
    found, asked, rows, _ = read_journal(as_auditor, everything)
    assert (found["entries"], len(asked), rows) == (1, 1, 2)
    with pytest.raises(LedgerUnavailable, match="permission denied"):
        journal_at(as_auditor).open()
