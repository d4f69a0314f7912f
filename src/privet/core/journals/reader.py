"""Reader: a journal for who may read it and not write it, such as auditors. No lock is taken, nothing is written."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote

from privet.core.journals.anchored import AnchoredJournal, Vouched, resolved
from privet.core.journals.chain import Facts, Row
from privet.core.journals.mark import Remembered
from privet.core.journals.pages import Pages
from privet.core.journals.places import journal_at
from privet.core.journals.sql import SqlPages
from privet.core.journals.sqlite import APPLICATION, BACKUP, SCHEMA, VERSION, SqliteJournal, identity_of
from privet.core.journals.versions import refuse_version
from privet.core.journals.witness import AnchorWitness, Witness
from privet.core.signals import deferred
from privet.errors import LedgerDamaged, LedgerUnavailable

TIMES = 3  # how often somebody who may be writing is given time to finish
PAUSE = 0.05  # seconds
T = TypeVar("T")


class Reader(AnchoredJournal):
    """A journal that is only read: its rows are checked as ever, and compared with the anchor if it is named.

    Privacy: whatever would write is refused, so nothing can be spent here and no answer comes from it. Who writes the
        journal checks what they always do, and does not wait for readers.

    Proof: that no whole journal looks damaged: the anchor is looked at before the rows are, and follows them, so the
        rows are not behind it. What the owner did between the two looks is not announced in the first: `read_journal`
        looks again.
    """

    def __init__(self, anchor: str | Path | None) -> None:
        super().__init__(anchor, timeout=0)
        self._before: Remembered | None = None  # what the anchor said before the rows that are being read

    @property
    def _watched(self) -> bool:
        return True  # whatever the journal was made with: `compared` says whether an anchor is

    @property
    def compared(self) -> bool:
        """Whether the rows are compared with an anchor."""
        return self.anchor is not None

    @contextmanager
    def _writing(self) -> Iterator[Pages]:
        """Nobody writes; who asks to be alone sees the rows behind one look at the anchor."""
        self._before = self._remembered()
        try:
            with self._reading() as pages:
                yield pages
        finally:
            self._before = None

    def _witness(self) -> Witness:
        found = self._before or self._remembered()
        return Witness() if found is None else AnchorWitness(self.place, str(self.anchor and self.anchor.path), found)

    def _remembered(self) -> Remembered | None:
        return None if self.anchor is None else self.anchor.look()

    def _committed(self, row: Row) -> None:
        """Leave the anchor as it is."""

    def move_anchor(self, path: Path) -> NoReturn:  # noqa: ARG002 - nothing is moved
        """Refuse: the anchor stays where it is."""
        raise self._refusal

    def _vouch(self, what: Vouched, reason: str) -> NoReturn:  # noqa: ARG002 - what vouches for rows is a row itself
        raise self._refusal

    def _append(self, pages: Pages, facts: Facts) -> NoReturn:  # noqa: ARG002 - nothing is written
        raise self._refusal

    @property
    def _refusal(self) -> LedgerUnavailable:
        return LedgerUnavailable(f"{self.place} is open to be read, and nothing is written there")


class SqliteReader(Reader):
    """A SQLite file that is only read.

    While somebody has it open there is a write-ahead log, and SQLite reads both beside the writers. Without a log
    nobody writes: the file alone is read, without locks, and looked at again afterwards.

    Args:
        path: the file.
        anchor: the anchor file; by default beside the journal.
    """

    def __init__(self, path: str | Path, *, anchor: str | Path | None = None) -> None:
        self.path = resolved(path)
        super().__init__(anchor or self.path.with_name(f"{self.path.name}.anchor"))
        self._connection: sqlite3.Connection | None = None
        self._still: tuple[int, ...] | None = None  # what the file was, if it is read as one that does not change

    @property
    def place(self) -> str:
        """Where the journal is, for people."""
        return str(self.path)

    def _ready(self, *, create: bool) -> None:  # noqa: ARG002 - nothing is made
        if self._connection is not None and self._still == self._stamp():
            return
        self._disconnect()
        self._connect(create=False)

    def _connect(self, *, create: bool) -> None:  # noqa: ARG002 - nothing is made
        if identity_of(str(self.path)) is None:
            raise LedgerUnavailable(f"there is no ledger at {self.path}, or this user may not see it")
        if self.path.is_dir():
            raise LedgerUnavailable(f"{self.path} is a folder: name the file of a ledger in it")
        self._still = self._stamp()
        how = "mode=ro" if self._still is None else "mode=ro&immutable=1"
        with self._errors_told():
            address = f"file:{quote(str(self.path))}?{how}"
            self._connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
            self._refuse_foreign(self._connection)

    def _stamp(self) -> tuple[int, ...] | None:
        """What changes when the file is written; None while there is a log."""
        try:
            if Path(f"{self.path}-wal").exists():
                return None
            found = self.path.stat()
        except OSError as problem:
            raise LedgerUnavailable(
                f"{self.path} cannot be read ({problem.strerror}): let this user read the file and its folder"
            ) from problem
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
        if application == BACKUP:
            raise LedgerUnavailable(
                f"{self.path} is a backup: `privet ledger verify` checks it, `restore` puts it back"
            )
        if application != APPLICATION:
            raise LedgerUnavailable(f"{self.path} is no ledger: name the file of one")
        refuse_version(f"{self.path} is a journal", version, known=VERSION)
        if found != set(SCHEMA):
            raise LedgerDamaged(f"the tables of {self.path} are not those that Privet made")

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        connection = self._connection
        if connection is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        with self._errors_told():
            connection.execute("BEGIN")
            try:
                connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
                yield SqlPages(connection.execute)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        if self._still is not None and self._still != self._stamp():
            raise _Moved(f"{self.path} was written while it was read: try again")

    def _check_store(self) -> None:
        with self._reading(), self._errors_told():
            found = [text for (text,) in self._opened().execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise LedgerDamaged(f"{self.path} is damaged ({found[0]})")

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        return self._connection

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as problem:
            if self._still is not None and self._still != self._stamp():
                raise _Moved(f"{self.path} was written while it was read: try again") from problem
            code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_NOTADB:
                raise LedgerDamaged(f"{self.path} is no ledger's file, or its beginning is damaged") from problem
            if code == sqlite3.SQLITE_CORRUPT or isinstance(problem, UnicodeDecodeError):
                raise LedgerDamaged(f"{self.path} is damaged ({problem})") from problem
            raise LedgerUnavailable(
                f"{self.path} cannot be read ({problem}): let this user read the file, its -wal and its -shm; if who "
                "wrote it died, its owner runs `privet ledger anchor` once, which opens it to write"
            ) from problem

    def _disconnect(self) -> None:
        connection = self._connection
        self._connection = None
        if connection is not None:
            connection.close()

    def _abandon(self) -> None:
        self._connection = None


class _Moved(LedgerUnavailable):
    """Somebody wrote meanwhile: look again."""


def reader_at(address: str, *, anchor: str | Path | None = None) -> Reader:
    """The journal at an address, to read; addresses are those of `journal_at`."""
    named = journal_at(address, anchor=anchor)  # which opens nothing yet, and refuses what is no address
    if isinstance(named, SqliteJournal):
        return SqliteReader(named.path, anchor=anchor)
    with deferred():  # a library that is interrupted while it is imported cannot be imported again
        from privet.core.journals.postgres_reader import PostgresReader  # noqa: PLC0415 - its library is an extra

    return PostgresReader(address, anchor=anchor)


def read_journal(address: str, look: Callable[[Reader], T], *, anchor: str | Path | None = None) -> T:
    """What is seen of a journal by who may only read it; who finds anything wrong looks again before they say so.

    Raises:
        LedgerUnavailable: it cannot be read, or is being written all the time.
        LedgerDamaged: it is not what was written.
    """
    for turn in range(TIMES):
        reader = reader_at(address, anchor=anchor)
        try:
            reader.open()
            return look(reader)
        except (LedgerDamaged, _Moved):
            if turn == TIMES - 1:
                raise
            time.sleep(PAUSE)
        finally:
            reader.close()
    raise LedgerUnavailable(f"{reader.place} is being written: try again")
