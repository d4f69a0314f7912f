"""Backup: a copy of a journal's rows in one file, which can be checked and put back, and not spent from."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from privet.core.journals.anchor import sync_folder
from privet.core.journals.anchored import resolved
from privet.core.journals.chain import Facts, Row
from privet.core.journals.journal import Journal
from privet.core.journals.owner import BATCH
from privet.core.journals.pages import Pages
from privet.core.journals.sql import SqlPages
from privet.core.journals.sqlite import BACKUP, SCHEMA, VERSION
from privet.core.journals.versions import refuse_version
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable


class Backup(Journal):
    """The file of a backup, to read: `verify` checks it as it would check the ledger, and `rows` gives its rows.

    Args:
        path: the file.

    Privacy: an older state of a ledger is a second budget, so nothing can be spent here, and a ledger that is opened at
        this file refuses it. What the ledger's anchor says of these rows is asked when they are put back.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.path = resolved(path)
        self._connection: sqlite3.Connection | None = None

    @property
    def place(self) -> str:
        """Where the backup is, for people."""
        return str(self.path)

    @property
    def _watched(self) -> bool:
        return True  # whatever its ledger was made with: the anchor is compared where the rows are put back

    def _ready(self, *, create: bool) -> None:
        if create:
            raise LedgerUnavailable(f"{self.path} is a backup: put it back with `privet ledger restore`")
        if self._connection is None:
            if application_of(self.path) != BACKUP:
                raise LedgerUnavailable(
                    f"{self.path} is no backup of a ledger, or one that was not finished: make it again with `privet "
                    "ledger backup`"
                )
            with _errors_told(self.path):
                self._connection = _connect(self.path, "mode=ro&immutable=1")
                (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            refuse_version(f"{self.path} is a backup", version, known=VERSION)

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        with _errors_told(self.path):
            yield SqlPages(self._connected().execute)

    _writing = _reading  # nobody writes: what is read is alone

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            raise LedgerUnavailable(f"{self.path} is closed")
        return self._connection

    def _append(self, pages: Pages, facts: Facts) -> NoReturn:  # noqa: ARG002 - nothing is written
        raise LedgerUnavailable(f"{self.path} is a backup, and nothing is written there: `privet ledger restore` it")

    def _check_store(self) -> None:
        with _errors_told(self.path):
            found = {sql for (sql,) in self._connected().execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
            said = [text for (text,) in self._connected().execute("PRAGMA integrity_check")]
        if found != set(SCHEMA) or said != ["ok"]:
            raise LedgerDamaged(f"{self.path} is damaged: use another backup")

    def close(self) -> None:
        """Let go of the file."""
        connection = self._connection
        self._connection = None
        if connection is not None:
            connection.close()


def back_up(journal: Journal, path: str | Path, progress: Callable[[int, int], None] = lambda *_: None) -> Row:
    """Copy every row that is there now into a new file, check the copy in full, and return its last row.

    Nobody waits for it: rows are never changed and never leave, so those up to any one of them are a state that the
    ledger was in, and they are read a few at a time while others go on spending.

    Args:
        journal: any journal, open.
        path: a new file; made for its owner alone (mode 0600).
        progress: told now and then how much of how much is done; every row is copied, and then checked.

    Raises:
        InvalidParameter: there is something at the path already.
        LedgerDamaged: the copy is not what the journal's rows say; it is removed.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a link is not followed: it is something that is there already
    journal.books()
    last = journal.head()
    total = last.sequence + 1
    with _new_file(path) as file:
        with _errors_told(path):
            connection = _connect(path, "mode=rw&nolock=1")  # nobody else knows of the file
            try:
                _fill(connection, journal, last, lambda done: progress(done, 2 * total))
                os.fsync(file)
                connection.execute(f"PRAGMA application_id = {BACKUP}")  # only now is it a backup
            finally:
                connection.close()
            os.fsync(file)
        copy = Backup(path)
        copy.open()
        copy.verify(lambda done, _: progress(total + done, 2 * total))
        if copy.head() != last:
            raise LedgerDamaged(f"{path} does not end as {journal.place} did: make the backup again")
        copy.close()
    return last


def is_backup(path: str | Path) -> bool:
    """Whether there is a finished backup at a path."""
    try:
        return application_of(resolved(path)) == BACKUP
    except (LedgerUnavailable, LedgerDamaged):
        return False


def application_of(path: Path) -> int:
    """What the header of a SQLite file says that it is.

    Asked of SQLite, with its locks: closing a ledger's file in any other way drops the locks that this process has. Who
    has it open has a log beside it; without one, nobody has locks to drop, and SQLite would make files to read it.
    """
    if not path.is_file():
        raise LedgerUnavailable(f"there is no file {path}: name the one that `privet ledger backup` made")
    with _errors_told(path):
        connection = _connect(path, "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1")
        try:
            (found,) = connection.execute("PRAGMA application_id").fetchone()
        finally:
            connection.close()
    return int(found)


def _fill(connection: sqlite3.Connection, journal: Journal, last: Row, progress: Callable[[int], None]) -> None:
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"user_version = {VERSION}"):
        connection.execute(f"PRAGMA {pragma}")  # a copy that was not finished is not used, so nothing is undone
    connection.execute("BEGIN")
    for statement in SCHEMA:
        connection.execute(statement)
    pages = SqlPages(connection.execute)
    for row in takewhile(lambda row: row.sequence <= last.sequence, journal.rows()):
        pages.append(row)
        if row.sequence % BATCH == 0:
            progress(row.sequence)
    connection.execute("COMMIT")


@contextmanager
def _new_file(path: Path) -> Iterator[int]:
    """A file that was not there, durable in the end, and gone again if something fails."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise InvalidParameter(f"{path} is there already: name a new file, nothing is overwritten") from None
    except OSError as problem:
        raise InvalidParameter(f"{path} cannot be made ({problem.strerror}): name another file") from problem
    made = os.fstat(file)
    try:
        yield file
        _refuse_replaced(path, made)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError, LedgerUnavailable):
            _refuse_replaced(path, made)
            path.unlink()
        raise
    finally:
        os.close(file)


def _refuse_replaced(path: Path, made: os.stat_result) -> None:
    found = path.lstat()
    if (found.st_dev, found.st_ino) != (made.st_dev, made.st_ino):
        raise LedgerUnavailable(f"{path} was replaced while it was written: name a file in a folder of your own")


def _connect(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, isolation_level=None, check_same_thread=False)


@contextmanager
def _errors_told(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError, OSError) as problem:
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or isinstance(problem, UnicodeDecodeError):
            raise LedgerDamaged(f"{path} is damaged ({problem}): use another backup") from problem
        raise LedgerUnavailable(
            f"{path} cannot be read or written ({problem}): is there room on its disk?"
        ) from problem
