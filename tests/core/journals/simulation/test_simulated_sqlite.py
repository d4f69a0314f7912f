"""The simulated SQLite beside the real one: the same statements, the same rows, refusals and files."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from privet.core.journals.sqlite import SCHEMA
from tests.core.journals.simulation.database import Sqlite
from tests.core.journals.simulation.stand_ins import inside, simulated
from tests.core.journals.simulation.tasks import Process
from tests.core.journals.simulation.world import World

NAME = "/disk/ledger.db"
ROWS = "SELECT sequence, body, hash, key, answers FROM entries WHERE sequence >= ? ORDER BY sequence"
INSERT = "INSERT INTO entries (sequence, body, hash, key, answers) VALUES (?, ?, ?, ?, ?)"
SCRIPTS, LENGTH, CONNECTIONS = 60, 60, 3


@pytest.fixture(autouse=True)
def stand_ins() -> Iterator[None]:
    with simulated():
        yield


class Script:
    """Statements by chance on some connections; what came of each is kept."""

    def __init__(self, seed: int, connect: Callable[[], Any], logs: Callable[[], bool]) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - to be the same again
        self._connect = connect
        self._logs = logs
        self._open: list[Any] = []
        self._cursors: dict[int, Any] = {}
        self.told: list[object] = []

    def run(self) -> None:
        first = self._opened()
        self._open = [first, *(self._opened() for _ in range(CONNECTIONS - 1))]
        first.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            first.execute(statement)
        first.execute("COMMIT")
        for _ in range(LENGTH):
            self._step(int(self._chance.random() * CONNECTIONS), self._chance.random())
        for connection in self._open:
            connection.close()
        self.told.append(self._logs())

    def _opened(self) -> Any:  # noqa: ANN401 - a connection
        connection = self._connect()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        return connection

    def _step(self, number: int, draw: float) -> None:
        connection = self._open[number]
        if draw < 0.1:
            self._cursors.pop(number, None)
        elif draw < 0.15:
            connection.close()
            self._cursors.pop(number, None)
            self.told.append(self._logs())
            self._open[number] = self._opened()
        elif draw < 0.2:
            self._note(lambda: self._keep(number, connection))
        elif draw < 0.35 and connection.in_transaction:
            row = (int(draw * 1000) % 20, "{}", b"", f"k{int(draw * 1e5) % 7}" if draw < 0.25 else None, None)
            self._note(lambda: list(connection.execute(INSERT, row)), connection)
        else:
            asked = ("BEGIN", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", ROWS)[int(draw * 1e6) % 6]
            self._note(lambda: list(connection.execute(asked, (0,) if asked == ROWS else ())), connection)

    def _keep(self, number: int, connection: Any) -> object:  # noqa: ANN401 - a connection
        """Read the first row, and keep the rest for later."""
        self._cursors[number] = connection.execute(ROWS, (0,))
        return self._cursors[number].fetchone()

    def _note(self, ask: Callable[[], object], connection: Any = None) -> None:  # noqa: ANN401 - a connection
        try:
            self.told.append(ask())
        except sqlite3.Error as problem:
            self.told.append(problem.sqlite_errorcode & 0xFF)
        self.told.append(connection is not None and connection.in_transaction)


def simulated_run(seed: int) -> list[object]:
    world = World(0)
    world.switching = 0.0
    with inside(world):
        process = Process(world, 1, "process 1")
        world.disk.make(NAME)
        sqlite = Sqlite(lambda: world)
        script = Script(
            seed, lambda: sqlite.connect(f"file:{NAME}", timeout=0.0), lambda: f"{NAME}-wal" in world.disk.names
        )
        world.start(process, process.name, script.run)
        world.run()
    assert not world.findings, world.findings
    return script.told


def real_run(seed: int, path: Path) -> list[object]:
    script = Script(
        seed,
        lambda: sqlite3.connect(path, timeout=0.0, isolation_level=None),
        lambda: path.with_name(f"{path.name}-wal").exists(),
    )
    script.run()
    return script.told


def test_it_does_what_the_real_one_does(tmp_path: Path) -> None:
    for seed in range(SCRIPTS):
        assert simulated_run(seed) == real_run(seed, tmp_path / f"{seed}.db"), seed
