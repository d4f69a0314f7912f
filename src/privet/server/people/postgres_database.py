"""PostgresDatabase: the same small tables on a server, for server processes on several machines."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import psycopg

from privet.errors import InvalidParameter, ServiceFailed
from privet.server.people.database import UNSTORABLE, UNUSABLE, Database, Value

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
MAKING = 0x70726976  # the number of the lock that is held while tables are made


class PostgresDatabase(Database):
    """In the schema `privet_<name>` of a PostgreSQL database.

    Args:
        address: "postgresql://user@host/database?people=name"; the name is "people" if it is left out.
        hasty: whether it does not wait for the disk.
    """

    def __init__(self, address: str, *, hasty: bool = False) -> None:
        super().__init__()
        self._hasty = hasty
        self._said = address
        parts = urlsplit(address)
        known = dict(parse_qsl(parts.query, keep_blank_values=True))
        name = known.pop("people", "people")
        if not NAME.fullmatch(name):
            raise InvalidParameter(f"people=… is made of a-z, 0-9 and _, at most 40, got {name!r:.80}")
        self._schema = f"privet_{name}"
        self._address = parts._replace(query=urlencode(known)).geturl()
        self._connection: psycopg.Connection[Any] | None = None
        with self._turn:
            try:
                self._opened()
            except psycopg.Error:
                raise InvalidParameter(
                    "the accounts cannot be kept in this PostgreSQL database: check its address, and that its user may "
                    "make a schema"
                ) from None

    def _opened(self) -> "psycopg.Connection[Any]":
        connection = self._connection
        if connection is not None and not connection.closed and self._pid == os.getpid():
            return connection
        made = psycopg.connect(self._address, autocommit=True, connect_timeout=10)
        with made.transaction():
            made.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
            made.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        made.execute(f"SET search_path = {self._schema}; SET lock_timeout = 10000")
        made.execute(f"SET synchronous_commit = {'off' if self._hasty else 'on'}")
        self._connection, self._pid = made, os.getpid()
        return made

    def run(self, statement: str, *values: Value) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        with self._told():
            done = self._execute(statement, values)
            return done.fetchall() if done.description is not None else []

    def changed(self, statement: str, *values: Value) -> int:
        """How many rows a statement changed."""
        with self._told():
            return self._execute(statement, values).rowcount

    def _execute(self, statement: str, values: tuple[Value, ...]) -> "psycopg.Cursor[Any]":
        text = statement.replace("?", "%s")
        try:
            return self._opened().execute(text.encode(), values)
        except psycopg.OperationalError:
            if self._inside or not (self._connection is None or self._connection.closed):
                raise
        return self._opened().execute(text.encode(), values)  # over a new connection: the old one was lost

    @contextmanager
    def together(self) -> Iterator[None]:
        """All statements in it are done, or none; what somebody else does meanwhile is not seen half."""
        with self._turn:
            if self._inside:
                yield
                return
            with self._told():
                self._execute("SELECT 1", ())
                connection = self._opened()
                connection.execute("BEGIN")
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
            self._inside = True
            try:
                yield
                with self._told():
                    connection.execute("COMMIT")
            except BaseException:
                with suppress(psycopg.Error):
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
            except (psycopg.DataError, UnicodeError, OverflowError):
                raise InvalidParameter(UNSTORABLE) from None
            except psycopg.Error:
                raise ServiceFailed(UNUSABLE) from None

    def hasty(self) -> Database:
        """The same tables, without waiting for the disk."""
        return PostgresDatabase(self._said, hasty=True)

    def close(self) -> None:
        """Let go of the connection."""
        with self._turn:
            connection, self._connection = self._connection, None
            if connection is not None and self._pid == os.getpid():
                connection.close()
