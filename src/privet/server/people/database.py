"""Database: a few small tables in SQLite, PostgreSQL or memory, asked in one dialect."""

import os
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from privet.core.journals.private_files import make_private
from privet.errors import InvalidParameter, LedgerUnavailable, ServiceFailed

Value: TypeAlias = str | int | float | None
UNUSABLE = "the accounts cannot be read or written now, so nobody comes in: try again, or ask the owner"
UNSTORABLE = "this cannot be stored: write texts with whole letters, and numbers that are not larger than people use"
PATIENCE = 10.0  # seconds to wait for other processes


class Database(ABC):
    """Tables that threads share. Statements have `?` for values, and mean the same in SQLite and PostgreSQL."""

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self._pid = os.getpid()
        self._inside = False  # a thread that has the turn is within `together`

    @abstractmethod
    def run(self, statement: str, *values: Value) -> list[tuple[Any, ...]]:
        """The rows of one statement, which is done at once, or with the others of `together`."""

    @abstractmethod
    def changed(self, statement: str, *values: Value) -> int:
        """How many rows a statement changed."""

    @abstractmethod
    def together(self) -> AbstractContextManager[None]:
        """All statements in it are done, or none; within itself it may be used again."""

    @abstractmethod
    def close(self) -> None:
        """Let go of connections."""

    @abstractmethod
    def hasty(self) -> "Database":
        """The same tables over a connection that does not wait for the disk: a power cut may take what came last."""

    def make(self, schema: Sequence[str]) -> None:
        """Make tables that are not there."""
        with self.together():
            for statement in schema:
                self.run(statement)


class SqliteDatabase(Database):
    """In a file that only its owner may read, or in memory.

    Args:
        path: the file; None for memory.
        hasty: whether it does not wait for the disk.
    """

    def __init__(self, path: Path | None, *, hasty: bool = False) -> None:
        super().__init__()
        self._path = path
        self._hasty = hasty
        self._connection: sqlite3.Connection | None = None
        with self._turn:
            self._opened()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._pid == os.getpid():
            return self._connection
        if self._path is None:
            if self._pid != os.getpid():
                raise ServiceFailed("accounts in memory belong to the process that made them: keep them in a file")
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        else:
            connection = self._at(self._path)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        self._connection, self._pid = connection, os.getpid()
        return connection

    def _at(self, path: Path) -> sqlite3.Connection:
        try:
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            make_private(path)
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=PATIENCE)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._hasty else 'FULL'}")
            make_private(*(path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm")))
        except (OSError, sqlite3.Error, LedgerUnavailable):
            raise InvalidParameter(
                f"the accounts cannot be kept in {path}: name a file in a folder that is yours, on a local disk"
            ) from None
        return connection

    def run(self, statement: str, *values: Value) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        with self._told():
            return self._opened().execute(statement, values).fetchall()

    def changed(self, statement: str, *values: Value) -> int:
        """How many rows a statement changed."""
        with self._told():
            return self._opened().execute(statement, values).rowcount

    @contextmanager
    def together(self) -> Iterator[None]:
        """All statements in it are done, or none; nobody else writes meanwhile."""
        with self._turn:
            if self._inside:
                yield
                return
            with self._told():
                connection = self._opened()
                connection.execute("BEGIN IMMEDIATE")
            self._inside = True
            try:
                yield
                with self._told():
                    connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._inside = False

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Alone among the threads; what goes wrong is one sentence."""
        with self._turn:
            try:
                yield
            except sqlite3.Error:
                raise ServiceFailed(UNUSABLE) from None
            except (UnicodeError, OverflowError):
                raise InvalidParameter(UNSTORABLE) from None

    def hasty(self) -> Database:
        """The same file, without waiting for the disk; memory is one connection."""
        return self if self._path is None else SqliteDatabase(self._path, hasty=True)

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            connection, self._connection = self._connection, None
            if connection is not None and self._pid == os.getpid():
                connection.close()


def database_at(address: str | Path | None) -> Database:
    """The database at an address: "sqlite:///people.db", a path, "postgresql://…", or None for one in memory."""
    if address is None:
        return SqliteDatabase(None)
    text = str(address)
    if text.startswith(("postgresql://", "postgres://")):
        from privet.server.people.postgres_database import PostgresDatabase  # noqa: PLC0415 - its library is an extra

        return PostgresDatabase(text)
    path = unquote(text.removeprefix("sqlite:///")) if text.startswith("sqlite:///") else text
    if "://" in path or not path.strip():
        raise InvalidParameter(
            f'accounts are at "sqlite:///people.db" or "postgresql://host/database", got {text!r:.80}'
        )
    return SqliteDatabase(Path(path))
