"""SqliteStore: a collector's rows in one file.

Tables have no rowid, deleted content is overwritten with zeros, and there is no write-ahead log: the journal holds only
pages as they were before the last commit, and is cut to nothing by it. So the file follows from what is counted, and
from how pages were split.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from privet.server.collector.store import (
    Held,
    Kept,
    PeriodState,
    Published,
    Store,
    StoreUnavailable,
    TokenRow,
    counted,
    without_order,
)

WAIT = 30.0  # seconds for another process to finish
SENTENCE = "the collector's database cannot be used now: nothing was acknowledged; try again later"
MOST_TEXT = 1 << 27  # bytes of payloads that are read as one text
ROWS = "FROM held WHERE collection = ? AND period = ?"
TABLES = """
CREATE TABLE IF NOT EXISTS collection (id BLOB PRIMARY KEY, text TEXT NOT NULL, signature TEXT NOT NULL,
    state TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS period (collection BLOB, period INTEGER, day TEXT, tally TEXT,
    PRIMARY KEY (collection, period)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS nonce (collection BLOB, period INTEGER, nonce BLOB,
    PRIMARY KEY (collection, period, nonce)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (collection BLOB, period INTEGER, shard INTEGER, payload BLOB, times INTEGER NOT NULL,
    PRIMARY KEY (collection, period, shard, payload)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shown (collection BLOB, period INTEGER, reports INTEGER, tally TEXT NOT NULL,
    PRIMARY KEY (collection, period, reports)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS released (collection BLOB, first INTEGER, last INTEGER, result TEXT NOT NULL,
    PRIMARY KEY (collection, first)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS token (hashed BLOB PRIMARY KEY, scopes TEXT NOT NULL, expires INTEGER NOT NULL)
    WITHOUT ROWID;
"""


class SqliteStore(Store):
    """Rows in a file of SQLite, for one or several processes of one machine.

    Args:
        path: of the file; made if it is not there, for its owner alone.
    """

    def __init__(self, path: Path | str) -> None:
        super().__init__()
        self._lock = threading.RLock()
        if not str(path).startswith((":memory:", "file:")):
            try:
                Path(path).touch(mode=0o600, exist_ok=True)
            except OSError:
                raise StoreUnavailable(SENTENCE) from None
        self._path = str(path)
        self._open()

    def _open(self) -> None:
        with _told():
            self._rows = sqlite3.connect(self._path, timeout=WAIT, isolation_level=None, check_same_thread=False)
            self._rows.execute("PRAGMA journal_mode=TRUNCATE")
            self._rows.execute("PRAGMA synchronous=FULL")
            self._rows.execute("PRAGMA secure_delete=ON")
            self._rows.execute("PRAGMA temp_store=MEMORY")
            self._rows.executescript(TABLES)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _told():
            self._rows.execute("BEGIN IMMEDIATE")
            try:
                yield self._rows
                self._rows.execute("COMMIT")
            except BaseException:
                if self._rows.in_transaction:
                    self._rows.execute("ROLLBACK")
                raise

    # --- reports ----------------------------------------------------------------------------------------------

    def keep(self, reports: Sequence[Kept]) -> set[tuple[bytes, int]]:
        """Count these reports, each nonce once."""
        wanted = {(each.collection, each.period) for each in reports}
        with self._transaction() as rows:
            closed = {key for key in wanted if not self._takes(rows, key)}
            add = rows.cursor().execute
            new = "INSERT OR IGNORE INTO nonce VALUES (?, ?, ?)"
            fresh = [
                each
                for each in without_order(reports)
                if (each.collection, each.period) not in closed and add(new, each[:3]).rowcount
            ]
            rows.executemany(
                "INSERT INTO held VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET times = times + excluded.times",
                [(*key, self.shard, payload, times) for *key, payload, times in counted(fresh)],
            )
        return closed

    @staticmethod
    def _takes(rows: sqlite3.Connection, key: tuple[bytes, int]) -> bool:
        """Whether a period takes reports; it begins with the first."""
        state = rows.execute("SELECT state FROM collection WHERE id = ?", key[:1]).fetchone()
        if state != ("open",):
            return False
        rows.execute("INSERT OR IGNORE INTO period VALUES (?, ?, NULL, NULL)", key)
        day = rows.execute("SELECT day FROM period WHERE collection = ? AND period = ?", key).fetchone()
        return bool(day == (None,))

    def held(self, collection: bytes, period: int) -> Held:
        """The reports of a period that is open."""
        with self._lock, _told():
            return self._held(self._rows, (collection, period))

    @staticmethod
    def _held(rows: sqlite3.Connection, key: tuple[bytes, int]) -> Held:
        """Texts of hexadecimal digits are made and read at once, where rows are handed over one by one."""
        size = rows.execute(f"SELECT sum(length(payload)) {ROWS}", key).fetchone()[0] or 0
        if not 0 < size <= MOST_TEXT:
            return Held.of(rows.execute(f"SELECT payload, times {ROWS}", key).fetchall())
        digits, times = rows.execute(
            f"SELECT group_concat(hex(payload), ''), group_concat(times, ' ') {ROWS}", key
        ).fetchone()
        return Held(bytes.fromhex(digits), np.fromstring(times, dtype=np.int64, sep=" "))

    def closing(self, collection: bytes, period: int) -> Held | None:
        """Begin to close a period; the lock is held until it is closed or left open."""
        self._lock.acquire()
        try:
            with _told():
                self._rows.execute("BEGIN IMMEDIATE")
                key = (collection, period)
                self._rows.execute("INSERT OR IGNORE INTO period VALUES (?, ?, NULL, NULL)", key)
                day = self._rows.execute("SELECT day FROM period WHERE collection = ? AND period = ?", key).fetchone()
                held = self._held(self._rows, key) if day == (None,) else None
        except BaseException:
            self.leave_open()
            raise
        if held is None:
            self.leave_open()
        return held

    def leave_open(self) -> None:
        """Undo `closing`."""
        if self._rows.in_transaction:
            self._rows.execute("ROLLBACK")
        self._lock.release()

    def close_period(self, collection: bytes, period: int, *, day: str, tally: str) -> None:
        """Keep the tally, and overwrite reports and nonces."""
        key = (collection, period)
        try:
            with _told():
                self._delete(self._rows, key)
                change = "UPDATE period SET day = ?, tally = ? WHERE collection = ? AND period = ?"
                self._rows.execute(change, (day, tally, *key))
                self._rows.execute("COMMIT")
        finally:
            self.leave_open()

    @staticmethod
    def _delete(rows: sqlite3.Connection, key: tuple[bytes, int]) -> None:
        for table in ("nonce", "held", "shown"):
            rows.execute(f"DELETE FROM {table} WHERE collection = ? AND period = ?", key)  # noqa: S608 - our own names

    def periods(self, collection: bytes) -> list[PeriodState]:
        """Periods of which there is anything."""
        asked = "SELECT period, day, tally FROM period WHERE collection = ? ORDER BY period"
        with self._lock, _told():
            found = self._rows.execute(asked, (collection,)).fetchall()
        return [PeriodState(period, day is not None, day, tally) for period, day, tally in found]

    # --- collections ------------------------------------------------------------------------------------------

    def publish(self, collection: bytes, text: str, signature: str) -> None:
        """Add a collection."""
        with self._transaction() as rows:
            rows.execute("INSERT INTO collection VALUES (?, ?, ?, 'open')", (collection, text, signature))

    def published(self) -> list[tuple[bytes, Published]]:
        """All collections, in the order of their ids."""
        with self._lock, _told():
            found = self._rows.execute("SELECT id, text, signature, state FROM collection ORDER BY id").fetchall()
        return [(name, Published(*facts)) for name, *facts in found]

    def set_state(self, collection: bytes, state: str) -> None:
        """Close a collection for good, or delete all that it holds."""
        with self._transaction() as rows:
            rows.execute("UPDATE collection SET state = ? WHERE id = ?", (state, collection))
            if state == "deleted":
                for table in ("nonce", "held", "shown", "released", "period"):
                    rows.execute(f"DELETE FROM {table} WHERE collection = ?", (collection,))  # noqa: S608 - our own names

    def forget_tally(self, collection: bytes, period: int) -> None:
        """Delete the counts of a closed period."""
        with self._transaction() as rows:
            rows.execute("UPDATE period SET tally = NULL WHERE collection = ? AND period = ?", (collection, period))

    # --- results ----------------------------------------------------------------------------------------------

    def release(self, collection: bytes, first: int, last: int, result: str) -> bool:
        """Keep the one result of a range of periods; False if it overlaps another."""
        with self._transaction() as rows:
            overlap = "SELECT 1 FROM released WHERE collection = ? AND first <= ? AND last >= ?"
            if rows.execute(overlap, (collection, last, first)).fetchone() is not None:
                return False
            rows.execute("INSERT INTO released VALUES (?, ?, ?, ?)", (collection, first, last, result))
            forget = "UPDATE period SET tally = NULL WHERE collection = ? AND period BETWEEN ? AND ?"
            rows.execute(forget, (collection, first, last))
        return True

    def releases(self, collection: bytes) -> list[tuple[int, int, str]]:
        """What was released."""
        asked = "SELECT first, last, result FROM released WHERE collection = ? ORDER BY first"
        with self._lock, _told():
            return self._rows.execute(asked, (collection,)).fetchall()

    def show(self, key: tuple[bytes, int], reports: int, tally: str, *, beyond: int) -> None:
        """Keep a live tally as it is shown."""
        newer = "SELECT 1 FROM shown WHERE collection = ? AND period = ? AND reports > ?"
        with self._transaction() as rows:
            if rows.execute(newer, (*key, beyond)).fetchone() is None:
                rows.execute("INSERT INTO shown VALUES (?, ?, ?, ?)", (*key, reports, tally))

    def shown(self, collection: bytes, period: int) -> list[tuple[int, str]]:
        """What was shown live."""
        asked = "SELECT reports, tally FROM shown WHERE collection = ? AND period = ? ORDER BY reports"
        with self._lock, _told():
            return self._rows.execute(asked, (collection, period)).fetchall()

    # --- tokens -----------------------------------------------------------------------------------------------

    def add_token(self, hashed: bytes, scopes: str, expires: int) -> None:
        """Add a token."""
        with self._transaction() as rows:
            rows.execute("INSERT INTO token VALUES (?, ?, ?)", (hashed, scopes, expires))

    def token(self, hashed: bytes) -> TokenRow | None:
        """What a token may."""
        with self._lock, _told():
            found = self._rows.execute("SELECT scopes, expires FROM token WHERE hashed = ?", (hashed,)).fetchone()
        return None if found is None else TokenRow(*found)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._rows.close()


@contextmanager
def _told() -> Iterator[None]:
    """Whatever the database says is one sentence."""
    try:
        yield
    except sqlite3.Error:
        raise StoreUnavailable(SENTENCE) from None
