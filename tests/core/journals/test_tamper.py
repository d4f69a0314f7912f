"""A journal that was changed behind Privet's back is refused, whatever was changed."""

import itertools
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from privet.core import Ledger, Scope
from privet.core.journals.books import Books
from privet.core.journals.chain import BEFORE_ALL, Row, canonical, digest
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import LedgerDamaged, LedgerUnavailable, PrivetError
from privet.loss import Guarantee
from tests.support.ledger_processes import ask, new_ledger, spend_all

ROWS = 20


@pytest.fixture
def address(folder: Path) -> str:
    """A closed journal of 20 rows of every kind, all in one file."""
    address = f"sqlite:///{folder}/ledger.db"
    with new_ledger(address, Guarantee(30), analyst="ada") as ledger:
        ledger.journal.cap(Guarantee(20), scope=Scope("ada"), reason="agreed")
        ledger.journal.renew(Scope("ada"), reason="a new year")
        plan = ledger.reserve(ask(ledger, key="k").loss * 3, purpose="three")
        ask(plan)
        spend_all(ledger, ROWS - 7)
        assert ledger.verify() == ROWS
    assert not (folder / "ledger.db-wal").exists()
    return address


def content(address: str) -> tuple[object, ...]:
    """Everything that can be seen of a journal."""
    with Ledger.open(address) as ledger:
        ledger.verify()
        rows = tuple(ledger.journal.rows())
        retried = [ledger.journal._stored(row.sequence) for row in rows]
        return rows, ledger.journal.books().state(), retried


@pytest.mark.parametrize("stride", [211, pytest.param(1, marks=pytest.mark.soak)])
def test_a_flipped_byte_is_refused_or_means_nothing(address: str, folder: Path, stride: int) -> None:
    """Every byte of the file: a flip in space that SQLite does not use changes nothing that can be seen."""
    path = folder / "ledger.db"
    before = content(address)
    good = path.read_bytes()
    refused = 0
    for place in range(3, len(good), stride):
        bad = bytearray(good)
        bad[place] ^= 0x01 << place % 8
        put(folder, bytes(bad))
        try:
            assert content(address) == before, f"byte {place}"
        except PrivetError:
            refused += 1
    assert refused > 20 / stride
    put(folder, good)
    assert content(address) == before


def put(folder: Path, data: bytes) -> None:
    for name in ("ledger.db-wal", "ledger.db-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / "ledger.db").write_bytes(data)


def test_every_flipped_byte_of_the_rows_is_refused() -> None:
    """The log itself, without SQLite's empty space: sequence, text and hash of 20 rows."""
    ledger = new_ledger(None, Guarantee(30))
    spend_all(ledger, ROWS - 1)
    rows = list(ledger.journal.rows())
    checked = 0
    for number, row in enumerate(rows):
        for place in range(len(row.body)):
            body = row.body[:place] + chr(ord(row.body[place]) ^ 1) + row.body[place + 1 :]
            assert refused([*rows[:number], Row(row.sequence, body, row.hash), *rows[number + 1 :]])
            checked += 1
        for place in range(32):
            wrong = bytearray(row.hash)
            wrong[place] ^= 1
            assert refused([*rows[:number], Row(row.sequence, row.body, bytes(wrong)), *rows[number + 1 :]])
        for bit in range(16):
            moved = Row(row.sequence ^ 1 << bit, row.body, row.hash)
            assert refused([*rows[:number], moved, *rows[number + 1 :]])
    assert checked > 5_000
    assert not refused(rows)


def test_a_row_with_a_right_hash_of_its_own_does_not_fit_what_comes_after() -> None:
    """Whoever changes one row has to change all that follow, up to what the anchor remembers."""
    ledger = new_ledger(None, Guarantee(30))
    for number in range(5):
        ask(ledger, key=f"key {number}")
    rows = list(ledger.journal.rows())
    assert not refused(rows)
    for before, row in itertools.pairwise(rows[:-1]):
        forged = Row.after(before, {**row.facts, "at": "another day"})
        assert forged.sequence == row.sequence
        assert refused([*rows[: row.sequence], forged, *rows[row.sequence + 1 :]])
        assert not refused([*rows[: row.sequence], forged])  # the control: as a last row nothing is wrong with it


@pytest.mark.parametrize("body", ["", "[]", "7", "null", '{"kind":"failure"} ', '{"kind":"failure"}{}', "[" * 100_000])
def test_a_text_that_is_not_one_object_is_refused_though_its_hash_is_right(body: str) -> None:
    with pytest.raises(LedgerDamaged, match="row 0 was changed: it is not"):
        _ = Row(0, body, digest(BEFORE_ALL, 0, body)).facts


def refused(rows: list[Row]) -> bool:
    """Whether a full check finds something wrong, up to the last hash, which the anchor holds."""
    books = Books()
    previous = None
    try:
        for row in rows:
            books.apply(row.sequence, row.facts_after(previous))
            previous = row
    except LedgerDamaged:
        return True
    return False


def rewritten(rows: list[tuple[int, str]]) -> list[tuple[int, str, bytes, str | None, int | None]]:
    """Rows with the chain computed anew, as someone would who knows how."""
    before = BEFORE_ALL
    made = []
    for sequence, body in rows:
        before = digest(before, sequence, body)
        facts = json.loads(body)
        key = None if facts.get("key") is None else canonical([facts.get("analyst"), facts["key"]])
        made.append((sequence, body, before, key, facts.get("to")))
    return made


def cheaper(body: str) -> str:
    facts = json.loads(body)
    return canonical(facts | {"cost": ["1/1000", "0"]} if "cost" in facts and facts["kind"] == "release" else facts)


FORGERIES: dict[str, Callable[[list[tuple[int, str]]], list[tuple[int, str]]]] = {
    "a row removed and all renumbered": lambda rows: [(n, b) for n, (_, b) in enumerate(rows[:9] + rows[10:])],
    "the tail cut off": lambda rows: rows[:-3],
    "the last row removed": lambda rows: rows[:-1],
    "two rows exchanged": lambda rows: [*rows[:5], (5, rows[8][1]), *rows[6:8], (8, rows[5][1]), *rows[9:]],
    "a row twice": lambda rows: [(n, b) for n, (_, b) in enumerate([*rows[:9], rows[8], *rows[9:]])],
    "spends made cheaper": lambda rows: [(n, cheaper(b)) for n, b in rows],
    "another limit from the start": lambda rows: [(n, b.replace('"epsilon":"30"', '"epsilon":"99"')) for n, b in rows],
    "all spends removed": lambda rows: rows[:1],
    "nothing left": lambda rows: [],  # noqa: ARG005 - nothing
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_journal_rewritten_with_right_hashes_is_refused_by_its_anchor(
    address: str, folder: Path, forgery: str
) -> None:
    with sqlite3.connect(folder / "ledger.db") as connection:
        rows = connection.execute("SELECT sequence, body FROM entries ORDER BY sequence").fetchall()
        triggers = connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name in ("entries_stay", "entries_remain"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM entries")
        new = rewritten(FORGERIES[forgery](rows))
        try:
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", new)
        except sqlite3.IntegrityError:  # a key twice: SQLite itself refuses
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?, NULL, ?)", [(*r[:3], r[4]) for r in new])
        for (sql,) in triggers:
            connection.execute(sql)
    connection.close()
    with pytest.raises((LedgerDamaged, LedgerUnavailable)):
        Ledger.open(address)
    with pytest.raises((LedgerDamaged, LedgerUnavailable)):
        new_ledger(address, Guarantee(30))
    if forgery != "nothing left":
        (folder / "ledger.db.anchor").unlink()  # the control: without an anchor, some of these go unnoticed
        forged = SqliteJournal(folder / "ledger.db")
        try:
            forged.recreate_anchor(reason="the control")
        except LedgerDamaged:
            return
        assert forged.books().rows >= 1


@pytest.mark.parametrize("stride", [97, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ["ledger.db-wal", "ledger.db"])
def test_a_torn_tail_is_recovered_up_to_the_anchor_or_refused(folder: Path, name: str, stride: int) -> None:
    """Each of the last 4,096 offsets, of the log of a process that died and of the file."""
    source = folder / "source"
    source.mkdir()
    ledger = new_ledger(f"sqlite:///{source}/ledger.db", Guarantee(100))
    spend_all(ledger, 12)
    if name == "ledger.db":
        ledger.close()
    size = (source / name).stat().st_size
    recovered = 0
    for cut in range(1, min(4096, size), stride):
        image = folder / "image"
        shutil.rmtree(image, ignore_errors=True)
        shutil.copytree(source, image, ignore=lambda *_: ["ledger.db-shm"])
        with (image / name).open("r+b") as file:
            file.truncate(size - cut)
        try:
            with Ledger.open(f"sqlite:///{image}/ledger.db") as left:
                assert left.spent.epsilon == 12
                left.verify()
            recovered += 1
        except (LedgerDamaged, LedgerUnavailable):
            pass
    assert recovered <= 1  # at most the cut that takes nothing but padding


def test_the_control_of_a_torn_tail_without_an_anchor(folder: Path) -> None:
    """SQLite alone would go back to an earlier commit and say nothing."""
    ledger = new_ledger(f"sqlite:///{folder}/ledger.db", Guarantee(100))
    spend_all(ledger, 12)
    image = folder / "image"
    shutil.copytree(folder, image, ignore=lambda *_: ["image", "ledger.db-shm"])
    log = image / "ledger.db-wal"
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - 100)
    with sqlite3.connect(image / "ledger.db") as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM entries").fetchall()
    connection.close()
    assert rows < 13
