"""Database: private, shared by threads and processes, and all or nothing."""

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from privet.errors import InvalidParameter, ServiceFailed
from privet.server.people.database import Database, database_at
from tests.support.ledger_processes import forked

TABLE = ("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, word TEXT)",)


def test_statements_mean_the_same_everywhere(address: str | None) -> None:
    database = database_at(address)
    database.make(TABLE)
    database.make(TABLE)
    assert database.changed("INSERT INTO t (n, word) VALUES (?, ?) ON CONFLICT DO NOTHING", 1, "ö % 'x'") == 1
    assert database.changed("INSERT INTO t (n, word) VALUES (?, ?) ON CONFLICT DO NOTHING", 1, "y") == 0
    assert database.run("SELECT n, word FROM t WHERE n = ?", 1) == [(1, "ö % 'x'")]
    with suppress(RuntimeError), database.together():
        database.run("INSERT INTO t (n) VALUES (2)")
        with database.together():
            database.run("INSERT INTO t (n) VALUES (3)")
        raise RuntimeError
    assert database.run("SELECT count(*) FROM t") == [(1,)]
    hasty = database.hasty()
    hasty.run("INSERT INTO t (n) VALUES (4)")
    assert database.run("SELECT count(*) FROM t") == [(2,)]
    for statement, value in (("SELECT n FROM nowhere WHERE n = ?", 1), ("SELECT n FROM t WHERE word = ?", "\ud800")):
        with pytest.raises((ServiceFailed, InvalidParameter)) as failed:
            database.run(statement, value)
        assert "nowhere" not in str(failed.value)
        assert failed.value.__cause__ is None
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: database.run("INSERT INTO t (n) VALUES (?)", n), range(10, 30)))
    assert database.run("SELECT count(*) FROM t") == [(22,)]
    hasty.close()
    database.close()
    if address is not None:
        assert database.run("SELECT count(*) FROM t") == [(22,)]  # it is opened again
        database.close()


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "people.db"
    before = os.umask(0)
    try:
        database = database_at(f"sqlite:///{file}")
        database.make(TABLE)
    finally:
        os.umask(before)
    for each in tmp_path.iterdir():
        assert stat.S_IMODE(each.stat().st_mode) == 0o600, each
    database.close()
    file.chmod(0o644)
    database_at(str(file)).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("place", ["missing/people.db", ".", "broken.db"])
def test_places_where_nothing_can_be_kept_are_refused_in_a_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "broken.db").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(InvalidParameter, match="cannot be kept"):
        database_at(tmp_path / place)


@pytest.mark.parametrize("address", ["", " ", "mysql://host/x", "https://x"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(InvalidParameter, match="accounts are at"):
        database_at(address)


def writes(database: Database) -> int:
    try:
        database.run("INSERT INTO t (n) VALUES (1)")
    except ServiceFailed:
        return 1
    return 0


def test_a_forked_child_opens_the_file_for_itself_and_has_no_memory(tmp_path: Path) -> None:
    for place in (None, tmp_path / "people.db"):
        database = database_at(place)
        database.make(TABLE)
        code = os.waitstatus_to_exitcode(os.waitpid(forked(partial(writes, database)), 0)[1])
        assert code == (1 if place is None else 0)
        assert database.run("SELECT count(*) FROM t") == [(0 if place is None else 1,)]
        database.close()


def test_who_waits_too_long_for_another_process_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.server.people.database.PATIENCE", 0.05)
    database = database_at(tmp_path / "people.db")
    database.make(TABLE)
    other = sqlite3.connect(tmp_path / "people.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ServiceFailed):
        database.run("INSERT INTO t (n) VALUES (1)")
    other.execute("ROLLBACK")
    database.run("INSERT INTO t (n) VALUES (1)")
    other.close()
    database.close()
