"""PostgresJournal: a journal in a PostgreSQL database, for any number of processes and hosts."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from privet.core.journals.anchored import AnchoredJournal
from privet.core.journals.journal import reached
from privet.core.journals.pages import Pages
from privet.core.journals.sql import SqlPages
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable

try:
    import psycopg
    from psycopg import errors
except ImportError as problem:
    raise InvalidParameter("a ledger in PostgreSQL needs psycopg: run `pip install 'privet[postgres]'`") from problem

VERSION = 1
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
_ABANDONED: list[object] = []  # connections of a parent process: closing them here would harm it


class PostgresJournal(AnchoredJournal):
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
        super().__init__(None if anchor is None else Path(os.path.realpath(anchor)))
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
            self._connection = psycopg.connect(self._address, autocommit=True, connect_timeout=10)
            self._prepare(self._connection, create=create)

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
        if create:
            self._make(connection)
        (found,) = connection.execute("SELECT obj_description(to_regclass('entries'))").fetchone() or (None,)
        if found is None:
            raise LedgerUnavailable(f"there is no ledger at {self.place}: make one with `privet ledger create`")
        if found != f"{COMMENT}{VERSION}":
            raise LedgerUnavailable(
                f"{self.place} is a {found!s:.60} and this Privet knows version {VERSION}: "
                "run `pip install --upgrade privet`"
            )

    def _make(self, connection: "psycopg.Connection[Any]") -> None:
        """Make the schema and its table, unless somebody else did."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (self._number("make"),))
            if connection.execute("SELECT to_regclass('entries')").fetchone() == (None,):
                connection.execute(f'CREATE SCHEMA IF NOT EXISTS "privet_{self.name}"')
                connection.execute(SCHEMA)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    def _abandon(self) -> None:
        connection, self._connection = self._connection, None
        _ABANDONED.append(connection)

    # --- transactions -----------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Pages]:
        with self._transaction("BEGIN; LOCK TABLE entries IN EXCLUSIVE MODE") as (pages, connection):
            yield pages
            reached("before commit")
            connection.execute("COMMIT")
        reached("after commit")

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        with self._transaction("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY") as (pages, connection):
            yield pages
            connection.execute("COMMIT")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[tuple[Pages, "psycopg.Connection[Any]"]]:
        """A transaction that its user commits; undone after any exception."""
        connection = self._connection
        if connection is None:
            raise LedgerUnavailable(f"{self.place} is closed")

        def execute(statement: str, parameters: tuple[Any, ...]) -> Any:  # noqa: ANN401 - a cursor
            return connection.execute(statement.replace("?", "%s").encode(), parameters)

        with self._errors_told():
            try:
                connection.execute(begin.encode())
                yield SqlPages(execute), connection
            except BaseException:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                raise

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
        if self._connection is not None:
            self._connection.execute("SELECT pg_advisory_lock(%s)", (self._number(sequence),))

    def _let_go(self, sequence: int) -> None:
        super()._let_go(sequence)
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.execute("SELECT pg_advisory_unlock(%s)", (self._number(sequence),))

    def _alive(self, sequence: int) -> bool:
        if super()._alive(sequence):
            return True
        if self._connection is None:
            raise LedgerUnavailable(f"{self.place} is closed")
        number = self._number(sequence)
        with self._errors_told():
            free = self._connection.execute("SELECT pg_try_advisory_lock_shared(%s)", (number,)).fetchone()
            if free == (True,):
                self._connection.execute("SELECT pg_advisory_unlock_shared(%s)", (number,))
            return free != (True,)


def _short(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]
