"""PostgresJournal: a journal in a PostgreSQL database, for any number of processes and hosts."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from privet.core.journals.journal import reached
from privet.core.journals.pages import Pages
from privet.core.journals.restore import RestorableJournal
from privet.core.journals.sql import SqlPages
from privet.core.journals.versions import refuse_version
from privet.core.signals import heard
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable

try:
    import psycopg
    from psycopg import errors
    from psycopg.pq import TransactionStatus
except ImportError as problem:
    raise InvalidParameter("a ledger in PostgreSQL needs psycopg: run `pip install 'privet[postgres]'`") from problem

VERSION = 1
UNDONE = (TransactionStatus.INTRANS, TransactionStatus.INERROR)  # what a ROLLBACK ends
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
COMMENT = "privet journal version "
SCHEMA = f"""
CREATE TABLE entries (sequence bigint PRIMARY KEY, body text NOT NULL, hash bytea NOT NULL, key text, answers bigint);
CREATE UNIQUE INDEX entries_by_key ON entries (key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX entries_by_answer ON entries (answers) WHERE answers IS NOT NULL;
CREATE FUNCTION entries_stay() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'entries never change and never leave'; END $$;
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries EXECUTE FUNCTION entries_stay();
COMMENT ON TABLE entries IS '{COMMENT}{VERSION}';
"""
VERSION_TOLD = "SELECT obj_description(to_regclass('entries'), 'pg_class')"
_ABANDONED: list[object] = []  # connections of a parent process: closing them here would harm it


class PostgresJournal(RestorableJournal):
    """A journal in the schema `privet_<name>` of a PostgreSQL database.

    Args:
        address: "postgresql://user@host/database?ledger=name"; the name is "ledger" if it is left out.
        anchor: a file on this host that remembers the last row; none by default.
        timeout: how many seconds to wait for other writers.

    Privacy: writers take turns by a lock on the table, which the server frees when a connection ends. A commit is on
        the server's disk before `spend` returns (servers with fsync=off are refused). If the connection is lost while
        it commits, nothing is answered, and the next use reads what became of it. A server that comes back with fewer
        rows than this handle has seen is refused.
    Not covered: the server's administrator, who can rewrite the table; an anchor shows what this host has seen.
        Connection poolers that share sessions between clients.
    """

    def __init__(self, address: str, *, anchor: str | Path | None = None, timeout: float = 30.0) -> None:
        super().__init__(anchor, timeout=timeout)
        parts = urlsplit(address)
        known = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.name = known.pop("ledger", "ledger")
        if not NAME.fullmatch(self.name):
            raise InvalidParameter(f"the name of a ledger is made of a-z, 0-9 and _, at most 40, got {self.name!r}")
        self._address = parts._replace(query=urlencode(known)).geturl()
        self._place = f"postgresql://{(parts.hostname or '')}{parts.path} (ledger {self.name!r})"  # without a password
        self._timeout = timeout
        self._connection: psycopg.Connection[Any] | None = None

    @property
    def place(self) -> str:
        """Where the journal is, for people."""
        return self._place

    # --- connecting -------------------------------------------------------------------------------------------

    def _ready(self, *, create: bool) -> None:
        if self._connection is None or self._connection.closed:
            self._connect(create=create)

    def _connect(self, *, create: bool) -> None:
        self._disconnect()
        with self._errors_told():
            connection = heard(lambda: psycopg.connect(self._address, autocommit=True, connect_timeout=10))
            try:
                heard(lambda: self._prepare(connection, create=create))
            except BaseException:
                connection.close()
                raise
        self._connection = connection

    def _prepare(self, connection: "psycopg.Connection[Any]", *, create: bool) -> None:
        settings = dict(
            connection.execute(
                "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')"
            ).fetchall()
        )
        if settings["fsync"] != "on":
            raise LedgerUnavailable(f"{self.place}: the server runs with fsync=off, where a crash can lose spends")
        if settings["synchronous_commit"] in ("off", "local"):
            connection.execute("SET synchronous_commit = on")
        connection.execute(
            f'SET search_path = "privet_{self.name}"; SET lock_timeout = {int(self._timeout * 1000)}; '
            "SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off"
        )
        for sequence in self._running:  # the answers that are being computed, by other threads perhaps
            connection.execute("SELECT pg_try_advisory_lock(%s)", (self._number(sequence),))
        if create:
            self._make(connection)
        if connection.execute("SELECT to_regclass('entries')").fetchone() == (None,):
            raise LedgerUnavailable(f"there is no ledger at {self.place}: make one with `privet ledger create`")
        self._refuse_version(connection.execute(VERSION_TOLD).fetchone())

    def _refuse_version(self, found: tuple[Any, ...] | None) -> None:
        """Refuse the table of another version, by what its comment says."""
        comment = str(found[0]) if found and found[0] is not None else ""
        version = comment.removeprefix(COMMENT)
        known = comment.startswith(COMMENT) and version.isascii() and version.isdecimal() and len(version) < 10  # noqa: PLR2004 - no version is that long
        refuse_version(f"{self.place} is a journal", int(version) if known else (version or "unknown"), known=VERSION)

    def _make(self, connection: "psycopg.Connection[Any]") -> None:
        """Make the schema and its table, unless somebody else did."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (self._number("make"),))
            if connection.execute("SELECT to_regclass('entries')").fetchone() == (None,):
                self._refuse_lost()
                connection.execute(f'CREATE SCHEMA IF NOT EXISTS "privet_{self.name}"')
                connection.execute(SCHEMA)

    def _disconnect(self) -> None:
        connection = self._connection
        self._connection = None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    def _abandon(self) -> None:
        connection = self._connection
        self._connection = None
        _ABANDONED.append(connection)

    # --- transactions -----------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Pages]:
        begin = f"BEGIN; LOCK TABLE entries IN EXCLUSIVE MODE; {VERSION_TOLD}"  # nobody changes it from here on
        with self._transaction(begin) as pages:
            yield pages
            reached("before commit")
            self._execute("COMMIT")
        reached("after commit")

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        with self._transaction("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY") as pages:
            yield pages
            self._refuse_version(self._execute(f"{VERSION_TOLD}; COMMIT").fetchone())

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Pages]:
        """A transaction that its user commits; undone after any exception."""
        with self._errors_told():
            try:
                begun = self._execute(begin)
                while begun.nextset():
                    pass
                if begun.description:
                    self._refuse_version(begun.fetchone())
                yield SqlPages(lambda statement, parameters: self._execute(statement.replace("?", "%s"), parameters))
            finally:
                self._tidy()

    def _execute(self, statement: str, parameters: tuple[Any, ...] | None = None) -> Any:  # noqa: ANN401 - a cursor
        """Run one statement. A server may take its time, so Ctrl-C is heard, and ends the connection."""
        connection = self._connection
        if connection is None:
            raise LedgerUnavailable(f"{self.place} is closed")
        try:
            return heard(lambda: connection.execute(statement.encode(), parameters))
        except psycopg.Error:
            raise
        except BaseException:  # nobody knows how far the server came, nor the library
            self._disconnect()
            raise

    def _tidy(self) -> None:
        """Leave no transaction open, whatever happened; a connection that keeps one is closed, which ends it."""
        if self._connection is None:
            return
        with suppress(psycopg.Error):
            if self._connection.info.transaction_status in UNDONE:
                self._execute("ROLLBACK")
        if self._connection.info.transaction_status != TransactionStatus.IDLE:
            self._disconnect()

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        """Psycopg's errors as Privet's; after one the connection is not used again."""
        try:
            yield
        except errors.LockNotAvailable as problem:
            raise LedgerUnavailable(f"{self.place} is busy: another client holds it; try again") from problem
        except (errors.IntegrityError, errors.DataCorrupted, errors.IndexCorrupted, errors.RaiseException) as problem:
            raise LedgerDamaged(f"{self.place} is damaged ({_short(problem)})") from problem
        except psycopg.Error as problem:
            self._disconnect()
            raise LedgerUnavailable(
                f"{self.place} cannot be used now ({_short(problem)}); if a spend was being written it may stand"
            ) from problem

    # --- who is computing an answer: a lock of the session, which the server frees when the connection ends ----

    def _number(self, what: object) -> int:
        journal = b"" if self._first is None else self._first.hash
        text = f"privet {self.name} {what}".encode()
        return int.from_bytes(hashlib.sha256(journal + text).digest()[:8], "big", signed=True)

    def _hold(self, sequence: int) -> None:
        super()._hold(sequence)
        self._execute("SELECT pg_advisory_lock(%s)", (self._number(sequence),))

    def _let_go(self, sequence: int) -> None:
        super()._let_go(sequence)
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._execute("SELECT pg_advisory_unlock(%s)", (self._number(sequence),))

    def _alive(self, sequence: int) -> bool:
        if super()._alive(sequence):
            return True
        number = (self._number(sequence),)
        with self._errors_told():
            (free,) = self._execute("SELECT pg_try_advisory_lock_shared(%s)", number).fetchone()
            if free:
                self._execute("SELECT pg_advisory_unlock_shared(%s)", number)
        return not free


def _short(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]
