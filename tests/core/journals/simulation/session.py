"""A session of the simulated SQLite: transactions and locks of one table, as far as journals use them."""

import sqlite3
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.kernel import CALL, FLUSH
from tests.core.journals.simulation.log import Database, Item, Log
from tests.core.journals.simulation.selecting import Cursor, problem, selected

if TYPE_CHECKING:
    from tests.core.journals.simulation.world import World

DELAYS = (0.001, 0.002, 0.005, 0.010, 0.015, 0.020, 0.025, 0.025, 0.025, 0.050, 0.050, 0.100)  # while it is busy


class Session:
    """What SQLite and the kernel hold for one connection."""

    def __init__(self, world: "World", name: str, *, timeout: float) -> None:
        self._world = world
        self._name = name
        self._timeout = timeout
        self._process = world.running().process
        inode = world.disk.names.get(name)
        if inode is None:
            raise problem("unable to open database file", sqlite3.SQLITE_CANTOPEN)
        self._inode = inode
        if inode.content is None:
            inode.content = Database()
            inode.on_close = inode.content.shared.discard
        assert isinstance(inode.content, Database)
        self._database = inode.content
        self._log: Log | None = None
        self._full = True
        self.closed = False
        self.in_transaction = False
        self._snapshot: int | None = None
        self._written: list[Item] = []
        self._cursors: weakref.WeakSet[Cursor] = weakref.WeakSet()
        self._process.connections.append(self)

    # --- the log ------------------------------------------------------------------------------------------------

    def _attach(self) -> Log:
        """Find or make the log; lock the main file together with others, as long as the connection is open."""
        if self._log is not None:
            return self._log
        self._wait(lambda: self._database.closing)
        inode = self._world.disk.names.get(f"{self._name}-wal")
        if inode is None:
            inode = self._world.disk.make(f"{self._name}-wal")
            inode.content = Log(self._database)
        if f"{self._name}-shm" not in self._world.disk.names:
            self._world.disk.make(f"{self._name}-shm")
        assert isinstance(inode.content, Log)
        self._log = log = inode.content
        if not log.users:
            log.recover()
        log.users.append(self)
        self._database.shared.add(self._process)
        return log

    def vanish(self) -> None:
        """The process is gone, and with it its locks."""
        self.closed = True
        self._database.shared.discard(self._process)
        if self._database.closing is self:
            self._database.closing = None
        if self._log is not None:
            if self._log.writer is self:
                self._log.writer = None
            if self in self._log.users:
                self._log.users.remove(self)

    def close(self, step: "Callable[[str, float], object]") -> None:
        """Close; not before all that is being read was read, or can be read no more."""
        self.closed = True
        if not any(cursor.pending for cursor in self._cursors):
            self._leave(step)

    def _read(self) -> None:
        """The rows of a statement were read, or are not any more."""
        if not any(cursor.pending for cursor in self._cursors):
            if self.closed and self in self._process.connections:
                self._leave(_quietly)
            elif not self.in_transaction:
                self._snapshot = None

    def _leave(self, step: "Callable[[str, float], object]") -> None:
        """Let go of everything; the last one copies the log into the main file and removes it."""
        log = self._log
        mine = [each for each in self._process.connections if each._database is self._database]
        if log is not None:
            if log.writer is self:
                log.writer = None
            if not self._database.shared - {self._process} and len(mine) == 1:
                self._database.closing = self
                self._checkpoint(log, step)
                self._database.closing = None
            if self in log.users:
                log.users.remove(self)
        self._process.connections.remove(self)
        if len(mine) == 1:
            self._database.shared.discard(self._process)

    def _checkpoint(self, log: Log, step: "Callable[[str, float], object]") -> None:
        step("sqlite: flush the log", FLUSH)
        log.synced = len(log.items)
        step("sqlite: copy the log into the main file", FLUSH)
        self._database.items = list(log.items)
        for name in (f"{self._name}-wal", f"{self._name}-shm"):
            step(f"sqlite: unlink {name.rpartition('/')[2]}", CALL)
            if name in self._world.disk.names:
                self._world.disk.forget(name)

    # --- statements ---------------------------------------------------------------------------------------------

    def execute(self, statement: str, parameters: tuple[Any, ...]) -> Cursor:
        """Run one statement."""
        cursor = Cursor(STATEMENTS[statement.split(" ", 1)[0]](self, statement, parameters), self._read)
        if cursor.pending:
            self._cursors.add(cursor)
        return cursor

    def _begin(self, statement: str, _: tuple[Any, ...]) -> Sequence[Item]:
        if statement == "BEGIN IMMEDIATE":  # it locks first, and refuses then
            self._lock_writing()
        if self.in_transaction:
            raise problem("cannot start a transaction within a transaction")
        if statement == "BEGIN" and not self._reads():
            self._snapshot = None
        self.in_transaction = True
        return ()

    def _lock_writing(self) -> None:
        log = self._attach()
        if log.writer is self:
            return
        if self._reads() and (self._snapshot != len(log.items) or log.writer is not None):
            raise problem("database is locked", sqlite3.SQLITE_BUSY)  # what is being read is old, or will be
        self._wait(lambda: log.writer)
        log.writer, self._snapshot, self._written = self, len(log.items), []

    def _reads(self) -> bool:
        """Whether it sees the rows as they were at some moment."""
        return self._snapshot is not None and (self.in_transaction or any(each.pending for each in self._cursors))

    def _wait(self, holder: "Callable[[], Session | None]") -> None:
        """Look again and again, as SQLite does, until nobody holds a lock."""
        end = self._world.now + self._timeout
        tries = 0
        while (other := holder()) is not None:
            if self._world.now >= end:
                raise problem("database is locked", sqlite3.SQLITE_BUSY)
            pause = self._world.now + DELAYS[min(tries, len(DELAYS) - 1)]
            self._world.wait(f"SQLite's lock, {other.owner} has it", _never, min(pause, end), deaf=True)
            tries += 1

    @property
    def owner(self) -> str:
        """The process that has it, for people."""
        return self._process.name

    def _commit(self, *_: object) -> Sequence[Item]:
        if not self.in_transaction:
            raise problem("cannot commit - no transaction is active")
        log = self._log
        if log is not None and log.writer is self:
            if self._written:
                self._append(log)
                self._snapshot = len(log.items)
            log.writer = None
        self._end()
        return ()

    def _append(self, log: Log) -> None:
        log.doubt = None
        self._world.step("sqlite: write the log")
        log.doubt = self._written
        if self._full:
            self._world.step("sqlite: flush the log", FLUSH)
            log.items, log.doubt, log.synced = log.items + self._written, None, len(log.items) + len(self._written)
            if not log.named:  # with the first flush of a new log its name is flushed, too
                self._world.disk.sync_names()
                log.named = True
        else:
            log.items = log.items + self._written
            log.doubt = None
        self._world.step("sqlite: write the index")
        for watch in WATCHING:
            watch(log.items)

    def _rollback(self, *_: object) -> Sequence[Item]:
        if not self.in_transaction:
            raise problem("cannot rollback - no transaction is active")
        if self._log is not None and self._log.writer is self:
            self._log.writer = None
        self._end()
        return ()

    def _end(self) -> None:
        self.in_transaction = False
        self._written = []
        if not any(cursor.pending for cursor in self._cursors):
            self._snapshot = None

    def _visible(self) -> list[Item]:
        """What this connection sees."""
        if not self._database.with_log:
            return self._database.items + self._written
        log = self._attach()
        if not self._reads():
            self._snapshot = len(log.items)
        return log.items[: self._snapshot] + self._written

    def _change(self, item: Item) -> None:
        self._begin_writing()
        self._written.append(item)

    def _begin_writing(self) -> None:
        if self._log is None or self._log.writer is not self:
            if not self.in_transaction:
                raise NotImplementedError("the simulated SQLite writes in transactions only")
            self._lock_writing()

    def _insert(self, _: str, values: tuple[Any, ...]) -> Sequence[Item]:
        self._begin_writing()
        for item in self._visible():
            if item[0] == "row" and any(
                item[1][place] == values[place] for place in (0, 3, 4) if values[place] is not None
            ):
                made = sqlite3.IntegrityError("UNIQUE constraint failed")
                made.sqlite_errorcode = sqlite3.SQLITE_CONSTRAINT
                raise made
        self._written.append(("row", values))
        return ()

    def _create(self, statement: str, _: tuple[Any, ...]) -> Sequence[Item]:
        self._change(("schema", statement))
        return ()

    def _select(self, statement: str, parameters: tuple[Any, ...]) -> Sequence[Item]:
        return selected(self._visible(), statement, parameters)

    def _pragma(self, statement: str, _: tuple[Any, ...]) -> Sequence[Item]:
        name, _sign, value = statement.removeprefix("PRAGMA ").partition(" = ")
        if name == "synchronous":
            self._full = value in ("FULL", "EXTRA")
        elif name == "integrity_check":
            return [("ok",)]
        elif name == "journal_mode":
            return self._journal_mode()
        elif name in ("application_id", "user_version"):
            if value:
                self._change(("pragma", name, int(value)))
                return ()
            set_to = [item[2] for item in self._visible() if item[:2] == ("pragma", name)]
            return [(set_to[-1] if set_to else 0,)]
        elif name not in ("trusted_schema", "cell_size_check", "busy_timeout"):
            raise NotImplementedError(f"the simulated SQLite does not know {statement!r}")
        return ()

    def _journal_mode(self) -> Sequence[Item]:
        """To begin with a log, the main file is written once, alone; who comes at the same moment is sent away."""
        if not self._database.with_log:
            if self._world.chance.random() < 0.05:
                raise problem("database is locked", sqlite3.SQLITE_BUSY)
            self._world.step("sqlite: write the first page", FLUSH)
            self._world.disk.sync_names()
            self._database.with_log = True
        self._attach()
        return [("wal",)]


STATEMENTS: dict[str, Callable[[Session, str, tuple[Any, ...]], Sequence[Item]]] = {
    "BEGIN": Session._begin,
    "COMMIT": Session._commit,
    "ROLLBACK": Session._rollback,
    "INSERT": Session._insert,
    "CREATE": Session._create,
    "SELECT": Session._select,
    "PRAGMA": Session._pragma,
}
WATCHING: list[Callable[[list[Item]], None]] = []


def _never() -> bool:
    return False


def _quietly(_: str, __: float) -> None: ...
