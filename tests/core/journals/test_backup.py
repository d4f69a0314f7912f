"""Backups are taken while others spend, hold a state that the ledger was in, and are no second budget."""

import itertools
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger
from privet.core.journals import Anchor, Row, journal_at
from privet.core.journals import handle as handle_module
from privet.core.journals.backup import Backup, application_of, back_up, is_backup
from privet.core.journals.sql import SqlPages
from privet.core.journals.sqlite import BACKUP
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable
from privet.loss import Guarantee
from tests.support.ledger_processes import CONTEXT, ask, new_ledger, run, spend_all

NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, folder: Path) -> str:
    """A place for a ledger, in a file or on a server."""
    if request.param == "sqlite":
        return f"sqlite:///{folder}/ledger.db"
    pytest.importorskip("psycopg")
    return f"{request.getfixturevalue('database')}&ledger=backed_up_{next(NUMBERS)}"


def read(path: Path) -> Backup:
    """A backup that is all right."""
    found = Backup(path)
    found.open()
    assert found.verify() == len(list(found.rows()))
    return found


@pytest.mark.parametrize("backups", [4, pytest.param(200, marks=pytest.mark.soak)])
def test_backups_while_eight_processes_spend(address: str, folder: Path, backups: int) -> None:
    """Every backup is whole, and holds the first rows of what the ledger has in the end; nobody is disturbed.

    Put back, one from the middle is refused by what remembers more, and the last one is all that there was.
    """
    ledger = new_ledger(address, Guarantee(10**6))
    results, stop = CONTEXT.Queue(), CONTEXT.Event()
    arguments = [(address, f"analyst {number}", results, stop) for number in range(8)]
    children = [CONTEXT.Process(target=spend_until, args=each, daemon=True) for each in arguments]
    for child in children:
        child.start()
    ends: list[Row] = []
    while len({row.sequence for row in ends}) < backups:
        ends.append(back_up(ledger.journal, folder / f"backup {len(ends)}"))
        assert all(child.is_alive() for child in children)
    stop.set()
    answered = sum(results.get(timeout=60) for _ in children)
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 8
    ends.append(back_up(ledger.journal, folder / f"backup {len(ends)}"))
    rows = list(ledger.journal.rows())
    assert answered == len(ledger.entries) == ledger.spent.epsilon
    for number, end in enumerate(ends):
        copied = list(read(folder / f"backup {number}").rows())
        assert copied == rows[: len(copied)]
        assert copied[-1] == end
    assert ends == sorted(ends, key=lambda row: row.sequence)
    assert ends[-1] == rows[-1]
    ledger.close()
    put_back(address, folder, first=read(folder / "backup 0"), last=read(folder / f"backup {len(ends) - 1}"))


def spend_until(address: str, analyst: str, results: Any, stop: Any) -> None:  # noqa: ANN401 - queue and event
    ledger = Ledger.open(address, analyst=analyst)
    answered = 0
    while not stop.is_set():
        answered += spend_all(ledger, 1)
    results.put(answered)
    ledger.close()


def put_back(address: str, folder: Path, *, first: Backup, last: Backup) -> None:
    """What is said when the ledger is gone and one or the other backup is put in its place."""
    anchor = folder / "ledger.db.anchor"
    if anchor.exists():
        (folder / "old").mkdir()
        (folder / "ledger.db").rename(folder / "old" / "ledger.db")
    else:  # a server's ledger has none, unless its owner wants one: as if there had been
        address += "_again"
        Anchor(anchor).create(last.identity, last.head())
    journal: Any = journal_at(address, anchor=anchor)
    missing = rf"ends with row {first.head().sequence}, but the anchor .* remembers row {last.head().sequence}: what"
    with pytest.raises(LedgerDamaged, match=missing):
        journal.restore(first)
    assert not (folder / "ledger.db").exists()
    journal.restore(last)
    journal.close()
    with Ledger.open(address, anchor=anchor) as again:
        assert list(again.journal.rows()) == list(last.rows())
        assert again.verify() == last.head().sequence + 1
        ask(again)


def test_journals_in_memory_can_be_kept(folder: Path) -> None:
    ledger = new_ledger(None)
    spend_all(ledger, 3)
    assert ledger.backup(folder / "kept") == 4
    assert read(folder / "kept").books().dataset.spent.epsilon == 3


def test_a_backup_is_no_second_budget(folder: Path) -> None:
    with new_ledger(f"sqlite:///{folder}/ledger.db") as ledger:
        for rows in (1, 2):  # also one without a spend
            path = folder / f"backup {rows}"
            assert back_up(ledger.journal, path).sequence + 1 == rows
            with pytest.raises(LedgerUnavailable, match=r"is a backup, and nothing is spent from those: .* restore"):
                Ledger.open(f"sqlite:///{path}")
            with pytest.raises(LedgerUnavailable, match="is a backup"):
                new_ledger(f"sqlite:///{path}")
            kept = read(path)
            with pytest.raises(LedgerUnavailable, match="nothing is written there"):
                kept.cap(Guarantee(99), reason="a try")
            with pytest.raises(LedgerUnavailable, match="put it back"):
                kept.open(kept.books().terms)
            kept.close()
            ask(ledger)


def test_nothing_is_overwritten_or_followed(folder: Path) -> None:
    ledger = new_ledger(None)
    taken, link, nowhere = folder / "taken", folder / "link", folder / "nowhere"
    taken.write_text("mine")
    link.symlink_to(nowhere)
    for path in (taken, link, folder):
        with pytest.raises(InvalidParameter, match="is there already"):
            back_up(ledger.journal, path)
    assert (taken.read_text(), nowhere.exists()) == ("mine", False)
    with pytest.raises(InvalidParameter, match="cannot be made"):
        back_up(ledger.journal, folder / "no" / "folder")
    before = os.umask(0)
    try:
        back_up(ledger.journal, folder / "new")
    finally:
        os.umask(before)
    assert (folder / "new").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["link", "new", "taken"]


def test_a_backup_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = new_ledger(None)
    for problem, told in ((sqlite3.OperationalError("disk full"), LedgerUnavailable), (KeyboardInterrupt(), None)):

        def failing(*_: object, problem: BaseException = problem) -> None:
            raise problem

        with monkeypatch.context() as patch:
            patch.setattr(SqlPages, "append", failing)
            with pytest.raises(told or KeyboardInterrupt):
                back_up(ledger.journal, folder / "backup")
        assert list(folder.iterdir()) == []


def test_what_is_copied_is_what_is_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that lost a row, however early, or the last one, is noticed before anybody relies on it."""
    monkeypatch.setattr(handle_module, "CHECKPOINT", 4)  # opening reads from the last one on
    ledger = new_ledger(None)
    spend_all(ledger, 8)
    append = SqlPages.append
    for left_out in (2, 9, 10):
        with monkeypatch.context() as patch:
            patch.setattr(
                SqlPages, "append", lambda pages, row, out=left_out: None if row.sequence == out else append(pages, row)
            )
            with pytest.raises(LedgerDamaged, match=r"row [29] is missing|does not end as"):
                back_up(ledger.journal, folder / "backup")
        assert list(folder.iterdir()) == []


def test_a_backup_that_was_killed_is_not_taken_for_one(folder: Path) -> None:
    with new_ledger(f"sqlite:///{folder}/ledger.db") as ledger:
        spend_all(ledger, 3)
    for point in ("fill", "fsync"):
        path = folder / point
        assert run(back_up_and_die, str(folder / "ledger.db"), str(path), point) == -signal.SIGKILL
        assert path.exists()
        assert not is_backup(path)
        with pytest.raises(LedgerUnavailable, match="was not finished: make it again"):
            Backup(path).open()


def back_up_and_die(address: str, path: str, point: str) -> None:
    def end(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    journal = journal_at(address)
    journal.open()
    if point == "fill":
        setattr(SqlPages, "append", end)  # noqa: B010 - to end here
    else:
        setattr(os, "fsync", end)  # noqa: B010 - or here
    back_up(journal, path)


@pytest.mark.parametrize("stride", [397, pytest.param(1, marks=pytest.mark.soak)])
def test_a_damaged_backup_is_refused_or_means_the_same(folder: Path, stride: int) -> None:
    with new_ledger(f"sqlite:///{folder}/ledger.db") as ledger:
        spend_all(ledger, 20)
        back_up(ledger.journal, folder / "backup")
    good = (folder / "backup").read_bytes()
    rows = list(read(folder / "backup").rows())
    refused = 0
    for place in range(0, len(good), stride):
        bad = bytearray(good)
        bad[place] ^= 1 << place % 8
        (folder / "backup").write_bytes(bad)
        found = Backup(folder / "backup")
        try:
            found.open()
            found.verify()
            assert list(found.rows()) == rows, f"byte {place}"
        except (LedgerDamaged, LedgerUnavailable):
            refused += 1
        finally:
            found.close()
    assert refused > 20 / stride
    (folder / "backup").write_bytes(good[: len(good) // 2])
    with pytest.raises((LedgerDamaged, LedgerUnavailable)):
        read(folder / "backup")
    (folder / "backup").write_bytes(good)
    assert list(read(folder / "backup").rows()) == rows


LOOK = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM entries').fetchall()"


def test_nothing_about_backups_drops_the_locks_of_a_ledger(folder: Path) -> None:
    """Closing a file drops every POSIX lock that the process has on it, unless it is SQLite who closes it."""
    path = folder / "ledger.db"
    ledger = new_ledger(f"sqlite:///{path}")
    ask(ledger)

    def others_think_they_are_alone() -> bool:
        subprocess.run([sys.executable, "-c", LOOK, str(path)], check=True)  # noqa: S603 - our own words
        return not (folder / "ledger.db-wal").exists()  # who is alone takes the log away

    assert application_of(path) != BACKUP
    assert not is_backup(path)
    back_up(ledger.journal, folder / "backup")
    read(folder / "backup").close()
    assert not others_think_they_are_alone()
    ask(ledger)
    path.open("rb").close()  # the control
    assert others_think_they_are_alone()


def test_versions(folder: Path) -> None:
    """A backup of an old version can be read and put back; one of a newer version says what to do."""
    shutil.copy(Path(__file__).with_name("stored") / "version-1.backup", folder / "backup")
    kept = read(folder / "backup")
    assert (kept.head().sequence, kept.books().dataset.spent.epsilon) == (10, 4)
    kept.close()
    with sqlite3.connect(folder / "backup") as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(LedgerUnavailable, match=r"is a backup of version 2 .*pip install --upgrade privet"):
        read(folder / "backup")
    with pytest.raises(LedgerUnavailable, match="there is no file"):
        read(folder / "none")
