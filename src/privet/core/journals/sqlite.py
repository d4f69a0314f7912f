"""SqliteJournal: a journal in one file, for any number of processes on one machine."""

import fcntl
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from privet.core.journals.anchor import sync_folder
from privet.core.journals.anchored import AnchoredJournal
from privet.core.journals.chain import Row
from privet.core.journals.disks import refuse_remote
from privet.core.journals.journal import reached
from privet.core.journals.pages import Pages
from privet.core.journals.sql import SqlPages
from privet.core.journals.turns import Turns, turns_at
from privet.errors import LedgerDamaged, LedgerUnavailable

APPLICATION = 0x50525654  # "PRVT" in the header of the file
VERSION = 1
SCHEMA = (
    "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL, key TEXT, answers INT) STRICT",  # noqa: E501 - SQLite keeps the text, and it is compared
    "CREATE UNIQUE INDEX entries_by_key ON entries (key) WHERE key IS NOT NULL",
    "CREATE UNIQUE INDEX entries_by_answer ON entries (answers) WHERE answers IS NOT NULL",
    "CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries never change'); END",
    "CREATE TRIGGER entries_remain BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries never leave'); END",
)
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PRIMARY = 0xFF  # SQLite's extended result codes keep the plain one in their last byte
_ABANDONED: list[object] = []  # connections of a parent process: closing them here would harm it


class SqliteJournal(AnchoredJournal):
    """A journal in a SQLite file.

    Args:
        path: the file, on a local disk.
        anchor: the anchor file; by default beside the journal, with ".anchor" added to its name.
        timeout: how many seconds to wait for other writers.

    Privacy: every commit is on the disk (write-ahead log, synchronous=FULL) and in the anchor before `spend` returns.
        Writers exclude each other by SQLite's lock (BEGIN IMMEDIATE), which the kernel frees when a process dies.
    Not covered: disks that lie about having written; network file systems, which are refused.
    """

    def __init__(self, path: str | Path, *, anchor: str | Path | None = None, timeout: float = 30.0) -> None:
        self.path = Path(os.path.realpath(path))
        super().__init__(Path(os.path.realpath(anchor)) if anchor else self.path.with_name(f"{self.path.name}.anchor"))
        self._name, self._timeout = str(self.path), timeout
        self._connection: sqlite3.Connection | None = None
        self._locks: int | None = None
        self._identity: tuple[int, int] | None = None
        self._turns: Turns | None = None
        self._log: tuple[int, int] | None = None

    @property
    def place(self) -> str:
        """Where the journal is, for people."""
        return str(self.path)

    # --- connecting -------------------------------------------------------------------------------------------

    def _ready(self, *, create: bool) -> None:
        if self._connection is None:
            self._connect(create=create)
        self._refuse_swapped()

    def _connect(self, *, create: bool) -> None:
        refuse_remote(self.path)
        if not self.path.exists() and (self._identity is not None or not create):
            raise LedgerUnavailable(f"there is no ledger at {self.path}: make one with `privet ledger create`")
        try:
            if create:
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._locks = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            state = self.path.stat()
        except OSError as problem:
            raise LedgerUnavailable(f"{self.path} cannot be opened ({problem.strerror})") from problem
        self._refuse_linked(state)
        if self._identity not in (None, (state.st_dev, state.st_ino)):
            raise LedgerDamaged(f"{self.path} was replaced while it was open")
        self._identity, self._log = (state.st_dev, state.st_ino), None
        self._turns = turns_at(self._identity)
        with self._errors_told(breaking=False):
            address = f"file:{quote(str(self.path))}?mode=rw"
            self._connection = sqlite3.connect(
                address, uri=True, isolation_level=None, check_same_thread=False, timeout=self._timeout
            )
            try:
                self._prepare(self._connection, create=create)
            except BaseException:
                self._disconnect()
                raise

    def _prepare(self, connection: sqlite3.Connection, *, create: bool) -> None:
        """Set the connection up, and the tables in a new file."""
        for pragma in ("synchronous = FULL", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        self._refuse_foreign(connection)
        end = time.monotonic() + self._timeout
        while True:  # others who change the mode at the same moment are not waited for by SQLite itself
            try:
                (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
                break
            except sqlite3.OperationalError as problem:
                if problem.sqlite_errorcode & _PRIMARY not in BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.01)
        if mode != "wal":
            raise LedgerUnavailable(f"the disk of {self.path} cannot keep a write-ahead log: use a local disk")
        connection.execute("BEGIN IMMEDIATE")
        try:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if not tables and create:
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        if create:
            sync_folder(self.path.parent)
        self._check_schema(connection)

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise LedgerUnavailable(f"{self.path} is a database of something else: name a new file")
        if tables and version != VERSION:
            raise LedgerUnavailable(
                f"{self.path} is a journal of version {version} and this Privet knows {VERSION}: "
                "run `pip install --upgrade privet`"
            )

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
        if found and found != set(SCHEMA):
            raise LedgerDamaged(f"the tables of {self.path} are not those that Privet made")

    def _refuse_swapped(self) -> None:
        """The names must still lead to the files that are open; a second name would have a log of its own."""
        try:
            state = os.stat(self._name)  # noqa: PTH116 - twice for each spend, so the fastest way
        except OSError:
            raise LedgerDamaged(f"{self.path} was removed while it was open") from None
        if (state.st_dev, state.st_ino) != self._identity:
            raise LedgerDamaged(f"{self.path} was replaced while it was open")
        self._refuse_linked(state)
        log = _identity(f"{self._name}-wal")
        if self._log is not None and log != self._log:
            raise LedgerDamaged(f"the write-ahead log of {self.path} was removed or replaced while it was open")
        self._log = log

    def _refuse_linked(self, state: os.stat_result) -> None:
        if state.st_nlink != 1:
            raise LedgerUnavailable(f"{self.path} has a second name (a hard link): remove one, two names are not safe")

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
        locks, self._locks = self._locks, None
        if locks is not None:
            os.close(locks)

    def _abandon(self) -> None:
        connection, self._connection = self._connection, None
        _ABANDONED.append(connection)
        locks, self._locks = self._locks, None
        if locks is not None:
            os.close(locks)  # the parent's copy keeps its locks

    # --- transactions -----------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Pages]:
        connection = self._open_connection()
        with self._turn():
            with self._errors_told(breaking=False):
                connection.execute("BEGIN IMMEDIATE")
            try:
                with self._errors_told(breaking=True):
                    yield SqlPages(connection.execute)
                    reached("before commit")
                    connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
        reached("after commit")
        self._refuse_swapped()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the other handles of this process; SQLite's own lock is for other processes then."""
        if self._turns is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        with self._turns.taken(timeout=self._timeout) as came:
            if not came:
                raise LedgerUnavailable(f"{self.path} is busy: others in this process hold it; try again")
            yield

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        connection = self._open_connection()
        with self._errors_told(breaking=False):
            connection.execute("BEGIN")
            try:
                yield SqlPages(connection.execute)
            finally:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        return self._connection

    @contextmanager
    def _errors_told(self, *, breaking: bool) -> Iterator[None]:
        """SQLite's errors as Privet's; after one that is `breaking` the handle refuses everything."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as problem:
            code = getattr(problem, "sqlite_errorcode", 0) & _PRIMARY
            if code in CORRUPT or isinstance(problem, UnicodeDecodeError | sqlite3.IntegrityError):
                raise LedgerDamaged(f"{self.path} is damaged ({problem})") from problem
            if code in BUSY:
                raise LedgerUnavailable(f"{self.path} is busy: another process holds it; try again") from problem
            told = f"{self.path} cannot be used ({problem})"
            if breaking:
                self._broken = told
            raise LedgerUnavailable(told) from problem

    def _check_store(self) -> None:
        connection = self._open_connection()
        with self._errors_told(breaking=False):
            self._check_schema(connection)
            found = [text for (text,) in connection.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise LedgerDamaged(f"{self.path} is damaged ({found[0]})")

    def _load(self, pages: Pages, first: Row) -> None:
        super()._load(pages, first)
        if self._seen().sequence < SMALL:
            self._check_store()

    def _attest(self, row: Row) -> None:
        if self.anchor is None or self.anchor.read().sequence >= row.sequence:
            return
        announced = self.anchor.announced()
        if announced is None or (announced.sequence, announced.hash) != (row.sequence, row.hash.hex()):
            raise LedgerDamaged(f"row {row.sequence} changes what only the owner may, and the anchor does not know it")

    # --- who is computing an answer: a lock on one byte, which the kernel frees when its holder dies -----------

    @property
    def _lock_path(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def _hold(self, sequence: int) -> None:
        super()._hold(sequence)
        if self._locks is not None:
            fcntl.fcntl(self._locks, fcntl.F_OFD_SETLK, _byte(fcntl.F_WRLCK, sequence))

    def _let_go(self, sequence: int) -> None:
        super()._let_go(sequence)
        if self._locks is not None:
            fcntl.fcntl(self._locks, fcntl.F_OFD_SETLK, _byte(fcntl.F_UNLCK, sequence))

    def _alive(self, sequence: int) -> bool:
        if super()._alive(sequence):
            return True
        probe = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            answer = fcntl.fcntl(probe, fcntl.F_OFD_GETLK, _byte(fcntl.F_WRLCK, sequence))
        finally:
            os.close(probe)
        (kind,) = struct.unpack_from("h", answer)
        return bool(kind != fcntl.F_UNLCK)


SMALL = 10_000  # rows; the whole file of so small a journal is checked whenever it is opened


def _byte(kind: int, position: int) -> bytes:
    """A `struct flock` about one byte."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, position, 1, 0)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        state = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return None
    return state.st_dev, state.st_ino
