"""What SQLite keeps on the disk: the main file and its write-ahead log, with the locks of connections on them."""

import random
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.core.journals.simulation.disk import Inode

if TYPE_CHECKING:
    from tests.core.journals.simulation.session import Session
    from tests.core.journals.simulation.tasks import Process

Item: TypeAlias = tuple[Any, ...]  # ("row", values), ("schema", statement) or ("pragma", name, value)


class Log:
    """A write-ahead log, and its index in shared memory; it begins with what the database holds.

    What is in the log and flushed is durable. What was written whole but is not in the index is in doubt: the next
    writer writes over it, and whoever opens the log after all have died believes it.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self.items = list(database.items)
        self.synced = len(database.items)
        self.doubt: list[Item] | None = None
        self.named = False  # whether its name is durable
        self.writer: Session | None = None
        self.users: list[Session] = []

    def recover(self) -> None:
        """Read the log after a crash: a commit that was written whole counts."""
        if self.doubt is not None:
            self.items += self.doubt
            self._database.recovered += self.doubt
        self.doubt = None

    def sync(self) -> None:
        """Somebody has flushed it."""
        self.synced = len(self.items)

    def lose_power(self, chance: random.Random) -> None:
        """What was not flushed may be there, from the front."""
        self.writer = None
        self.users.clear()
        if chance.random() < 0.5:
            self.doubt = None
        self.recover()
        if len(self.items) > self.synced and chance.random() < 0.5:
            del self.items[self.synced :]
        self.synced = len(self.items)


class Database:
    """The main file: what was copied into it from logs, durably, and which processes hold a lock on it."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.recovered: list[Item] = []  # commits that were in doubt, and then counted
        self.with_log = False
        self.shared: set[Process] = set()
        self.closing: Session | None = None  # the last one, which copies the log

    def sync(self) -> None:
        """It always is."""

    def lose_power(self, _: random.Random) -> None:
        """All of it is durable, and locks are gone."""
        self.shared.clear()
        self.closing = None


def items_at(names: dict[str, Inode], name: str, *, surely: bool = False) -> list[Item]:
    """What is there; or, surely, would be if the power were cut now and nothing but what was flushed were kept."""
    main = names.get(name)
    log = names.get(f"{name}-wal")
    if main is None or not isinstance(main.content, Database):
        return []
    if log is not None and isinstance(log.content, Log):
        return log.content.items[: log.content.synced if surely else None]
    return main.content.items


def recovered_at(names: dict[str, Inode], name: str) -> list[Item]:
    """The commits that nobody was told of, and that count nevertheless."""
    main = names.get(name)
    return main.content.recovered if main is not None and isinstance(main.content, Database) else []
