"""SqliteJournal: a journal in one file, for any number of processes on one machine."""

import ctypes
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TypeVar
from urllib.parse import quote

from privet.core.journals.anchor import sync_folder
from privet.core.journals.anchored import resolved
from privet.core.journals.answering_locks import AnsweringLocks
from privet.core.journals.chain import Row
from privet.core.journals.disks import refuse_remote
from privet.core.journals.journal import reached
from privet.core.journals.pages import Pages
from privet.core.journals.private_files import make_private
from privet.core.journals.restore import RestorableJournal
from privet.core.journals.sql import SqlPages
from privet.core.journals.turns import Turns, turns_at
from privet.core.journals.versions import refuse_version
from privet.core.signals import SLICE, heed
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable

APPLICATION = 0x50525654  # "PRVT" in the header of the file
BACKUP = 0x50525642  # "PRVB": a copy of a journal, which nobody spends from
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
T = TypeVar("T")
_ABANDONED: list[object] = []  # connections of a parent process: closing them here would harm it


class SqliteJournal(RestorableJournal):
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
        self.path = resolved(path)
        super().__init__(anchor or self.path.with_name(f"{self.path.name}.anchor"), timeout=timeout)
        self._name = str(self.path)
        self._timeout = timeout
        self._connection: sqlite3.Connection | None = None
        self._locks = AnsweringLocks(self.path.with_name(f"{self.path.name}.lock"))
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
        """Open the file through SQLite alone: whoever closed a descriptor of their own would drop its locks."""
        refuse_remote(self.path)
        before = identity_of(self._name)
        if before is None and (self._identity is not None or not create):
            raise LedgerUnavailable(f"there is no ledger at {self.path}: make one with `privet ledger create`")
        self._refuse_traces()
        with self._errors_told(breaking=False), _model(create=create and before is None) as model:
            if before is not None:
                self._refuse_linked(self.path.stat())
                make_private(self.path)
            address = f"file:{quote(self._name)}?mode={'rwc' if create else 'rw'}"
            if model:
                address += f"&modeof={quote(model)}"
            connection = sqlite3.connect(
                address, uri=True, isolation_level=None, check_same_thread=False, timeout=SLICE
            )
            try:
                self._identify(before)
                self._locks.open()
                self._prepare(connection, create=create)
            except BaseException:
                connection.close()
                raise
        self._connection = connection
        for sequence in self._running:  # the answers that are being computed, by other threads perhaps
            self._locks.hold(sequence)

    def _identify(self, before: tuple[int, int] | None) -> None:
        """Remember which file it is; it must be the one that was there before it was opened, and ever since."""
        found = identity_of(self._name)
        if found is None or before not in (None, found) or self._identity not in (None, found):
            raise LedgerDamaged(f"{self.path} was replaced while it was open")
        self._identity = found
        self._log = None
        self._turns = turns_at(found)

    def _prepare(self, connection: sqlite3.Connection, *, create: bool) -> None:
        """Set the connection up, and the tables in a new file."""
        for pragma in ("synchronous = FULL", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        self._patiently(lambda: self._refuse_foreign(connection))
        (mode,) = self._patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone())
        if mode != "wal":
            raise LedgerUnavailable(f"the disk of {self.path} cannot keep a write-ahead log: use a local disk")
        self._log = identity_of(f"{self._name}-wal")  # now: while others are waited for it may be replaced
        try:
            self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if not tables and create:
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        finally:
            _undo(connection)
        self._flush()
        self._check_schema(connection)
        make_private(*(self.path.with_name(f"{self.path.name}{ending}") for ending in ("-wal", "-shm", ".lock")))

    def _flush(self) -> None:
        """Make durable what SQLite found in the log: who wrote the end of it may have died before they flushed it.

        SQLite believes such a commit, and so will the anchor, which is flushed: the log must not forget it before that.
        What comes later is flushed by who writes it before others see it.
        """
        log = os.open(f"{self._name}-wal", os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(log)
        finally:
            os.close(log)  # SQLite's locks are on the other files
        sync_folder(self.path.parent)

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Ask until nobody else holds the file, for so many seconds; Ctrl-C is heeded meanwhile."""
        end = time.monotonic() + self._timeout
        while True:
            try:
                return ask()
            except sqlite3.OperationalError as problem:  # SQLite itself has waited for a slice
                if problem.sqlite_errorcode & _PRIMARY not in BUSY or time.monotonic() >= end:
                    raise
            heed()
            time.sleep(0.001)  # it does not wait where it sees a deadlock

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application == BACKUP:
            raise LedgerUnavailable(
                f"{self.path} is a backup, and nothing is spent from those: put it back with `privet ledger restore`"
            )
        if tables and application != APPLICATION:
            raise LedgerUnavailable(f"{self.path} is a database of something else: name a new file")
        if tables:
            self._refuse_version(version)

    def _refuse_version(self, version: int) -> None:
        refuse_version(f"{self.path} is a journal", version, known=VERSION)

    def _refuse_traces(self) -> None:
        """Refuse to make a file where others of its kind show that there was one; the file is made first of them."""
        beside = [Path(f"{self._name}{ending}") for ending in (".lock", "-wal", "-shm")]
        found = [path.name for path in beside if path.exists()]
        if self.path.exists():
            return
        self._refuse_lost()
        if found:
            raise LedgerDamaged(
                f"{self.path} is gone, but {found[0]} beside it shows that there was one: put the journal back, or "
                "remove that file too if the data was never asked about"
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
            self._forsake()
            raise LedgerDamaged(f"{self.path} was removed while it was open") from None
        if (state.st_dev, state.st_ino) != self._identity:
            self._forsake()
            raise LedgerDamaged(f"{self.path} was replaced while it was open")
        self._refuse_linked(state)
        log = identity_of(f"{self._name}-wal")
        if self._log is not None and log != self._log:
            self._forsake()
            raise LedgerDamaged(f"the write-ahead log of {self.path} was removed or replaced while it was open")
        self._log = log

    def _forsake(self) -> None:
        """Never close the connection: SQLite would copy the log that it has open over what others wrote since."""
        connection = self._connection
        self._connection = None
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))  # not at the end of the process either

    def _refuse_linked(self, state: os.stat_result) -> None:
        if state.st_nlink != 1:
            raise LedgerUnavailable(f"{self.path} has a second name (a hard link): remove one, two names are not safe")

    def _claim(self) -> None:
        for ending in ("-wal", "-shm", "-journal"):
            if Path(f"{self._name}{ending}").exists():
                raise InvalidParameter(f"{self._name}{ending} belongs to a file that was here: move it away as well")
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            raise InvalidParameter(f"{self.path} is there already: move it away, nothing is overwritten") from None
        except OSError as problem:
            raise LedgerUnavailable(f"{self.path} cannot be made ({problem.strerror}): name another place") from problem

    def _disclaim(self) -> None:
        for ending in ("", "-wal", "-shm", ".lock"):
            with suppress(OSError):
                Path(f"{self._name}{ending}").unlink()

    def _disconnect(self) -> None:
        if self._log is not None and identity_of(f"{self._name}-wal") != self._log:
            self._forsake()
        connection = self._connection
        self._connection = None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
        if not self._running:  # by these others see that answers are being computed
            self._locks.close()

    def _abandon(self) -> None:
        connection = self._connection
        self._connection = None
        _ABANDONED.append(connection)
        self._locks.close()  # the parent's copy keeps its locks

    # --- transactions -----------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Pages]:
        connection = self._open_connection()
        with self._turn():
            try:
                with self._errors_told(breaking=False):
                    self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
                with self._errors_told(breaking=True):
                    self._refuse_version(*connection.execute("PRAGMA user_version").fetchone())
                    yield SqlPages(connection.execute)
                    reached("before commit")
                    connection.execute("COMMIT")
            finally:
                self._end()
        reached("after commit")
        self._refuse_swapped()

    def _end(self) -> None:
        """Leave no transaction open, whatever happened; a connection that keeps one is closed, which ends it."""
        if self._connection is not None and not _undo(self._connection):
            self._disconnect()

    def _tidy(self) -> None:
        self._end()
        if self._turns is not None:
            self._turns.leave(self)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the other handles of this process; SQLite's own lock is for other processes then."""
        if self._turns is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        with self._turns.taken(self, timeout=self._timeout) as came:
            if not came:
                raise LedgerUnavailable(f"{self.path} is busy: others in this process hold it; try again")
            yield

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        connection = self._open_connection()
        try:
            with self._errors_told(breaking=False):
                self._patiently(lambda: _look(connection))
                yield SqlPages(connection.execute)
        finally:
            self._end()

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        return self._connection

    @contextmanager
    def _errors_told(self, *, breaking: bool) -> Iterator[None]:
        """SQLite's errors as Privet's; after one that is `breaking` the handle refuses everything."""
        try:
            yield
        except OSError as problem:
            raise LedgerUnavailable(f"{self.path} cannot be opened ({problem.strerror})") from problem
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

    # --- who is computing an answer ---------------------------------------------------------------------------

    def _hold(self, sequence: int) -> None:
        super()._hold(sequence)
        self._locks.hold(sequence)

    def _let_go(self, sequence: int) -> None:
        super()._let_go(sequence)
        self._locks.let_go(sequence)

    def _alive(self, sequence: int) -> bool:
        return super()._alive(sequence) or self._locks.held(sequence)


SMALL = 10_000  # rows; the whole file of so small a journal is checked whenever it is opened


@contextmanager
def _model(*, create: bool) -> Iterator[str]:
    """The name of a file whose rights SQLite gives to the one that it makes; no name if it makes none."""
    if not create:
        yield ""
        return
    with NamedTemporaryFile(prefix="privet-") as file:  # made for its owner alone, whatever the mask says
        yield file.name


def _look(connection: sqlite3.Connection) -> None:
    """Begin to read, and see the rows as they are now."""
    _undo(connection)  # the look before, if it came to nothing
    connection.execute("BEGIN")
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()


def _undo(connection: sqlite3.Connection) -> bool:
    """End the transaction, if there is one; whether there is none any more."""
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
    return not connection.in_transaction


def identity_of(path: str) -> tuple[int, int] | None:
    """Which file a name leads to; None if it leads to none."""
    try:
        state = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return None
    return state.st_dev, state.st_ino
