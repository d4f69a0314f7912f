"""Pool: connections to one server, each for one statement at a time, and opened again when the server has hung up."""

import contextlib
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

MOST_IDLE = 4


class Pool:
    """Connections that nobody uses just now.

    Args:
        open_one: makes a connection on which everything is set.
    """

    def __init__(self, open_one: "Callable[[], psycopg.Connection[Any]]") -> None:
        self._open = open_one
        self._lock = threading.Lock()
        self._idle: list[psycopg.Connection[Any]] = []
        self._closed = False

    @contextmanager
    def taken(self) -> "Iterator[psycopg.Connection[Any]]":
        """A connection for one statement."""
        connection = self._live()
        try:
            yield connection
        finally:
            self._put_back(connection)

    def check(self) -> None:
        """Raise, as opening does, unless there is a connection to be had."""
        self._put_back(self._live())

    def close(self) -> None:
        """Close all connections; those in use when they are given back."""
        with self._lock:
            idle = self._idle
            self._idle = []
            self._closed = True
        for connection in idle:
            _close(connection)

    def _live(self) -> "psycopg.Connection[Any]":
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._open()
            if not lost(connection):
                return connection
            _close(connection)

    def _put_back(self, connection: "psycopg.Connection[Any]") -> None:
        with self._lock:
            if not (self._closed or connection.closed) and len(self._idle) < MOST_IDLE:
                self._idle.append(connection)
                return
        _close(connection)


def lost(connection: "psycopg.Connection[Any]") -> bool:
    """Whether the server has hung up: then there is something to be read, though nothing was asked."""
    if connection.closed:
        return True
    with contextlib.suppress(Exception):  # whatever it is, this connection is of no use
        if select.select([connection.fileno()], [], [], 0)[0]:
            connection.execute("SELECT 1")
        return False
    return True


def _close(connection: "psycopg.Connection[Any]") -> None:
    with contextlib.suppress(Exception):
        connection.close()
