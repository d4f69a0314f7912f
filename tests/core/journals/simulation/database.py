"""The simulated SQLite: what stands in for `sqlite3`."""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.selecting import Cursor
from tests.core.journals.simulation.session import STATEMENTS, Session

if TYPE_CHECKING:
    from tests.core.journals.simulation.world import World

_TOLD = frozenset({"BEGIN", "COMMIT", "ROLLBACK", "PRAGMA"})  # the statements that a story tells in full


class Connection:
    """Stands in for a connection. Each call is one of a library, which an interrupt does not end early."""

    def __init__(self, world: "World", name: str, *, timeout: float) -> None:
        self._world = world
        self._session = Session(world, name, timeout=timeout)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._session.in_transaction

    def execute(self, statement: str, parameters: tuple[Any, ...] = ()) -> Cursor:
        """Run one statement."""
        first = statement.split(" ", 1)[0]
        if first not in STATEMENTS:
            raise NotImplementedError(f"the simulated SQLite does not know {statement!r}")
        self._world.step(f"sqlite: {statement if first in _TOLD else first}")
        if self._session.closed:
            raise sqlite3.ProgrammingError("Cannot operate on a closed database.")
        cursor = self._session.execute(statement, parameters)
        self._world.back()
        return cursor

    def close(self) -> None:
        """Close it."""
        self._world.step("sqlite: close")
        if not self._session.closed:
            self._session.close(self._world.step)
        self._world.back()

    def __del__(self) -> None:
        """Python closes what nobody has any more."""
        session = vars(self).get("_session")
        if session is not None and not session.closed:
            session.close(_quietly)


def _quietly(_: str, __: float) -> None: ...


class Sqlite:
    """Stands in for the module `sqlite3`."""

    def __init__(self, world: "Callable[[], World]") -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - constants and errors
        return Connection if name == "Connection" else getattr(sqlite3, name)

    def connect(self, address: str, *, timeout: float = 5.0, **_more: object) -> Connection:
        """Open a database that is there, or make it where the address says so."""
        self._world().step("sqlite: connect")
        name, _, options = address.removeprefix("file:").partition("?")
        if "mode=rwc" in options and name not in self._world().disk.names:
            self._world().disk.make(name)
        made = Connection(self._world(), name, timeout=timeout)
        self._world().back()
        return made
