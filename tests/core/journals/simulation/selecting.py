"""What the simulated SQLite reads: the statements that journals ask, and nothing else."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.core.journals.simulation.log import Item


def problem(text: str, code: int = sqlite3.SQLITE_ERROR) -> sqlite3.OperationalError:
    """An error of SQLite."""
    made = sqlite3.OperationalError(text)
    made.sqlite_errorcode = code
    return made


class Cursor:
    """The rows of one statement.

    Args:
        rows: all of them.
        done: called once when they are read, or nobody can read them any more.
    """

    def __init__(self, rows: Sequence[Item], done: Callable[[], None]) -> None:
        self._rows = iter(rows)
        self._left = len(rows)
        self._done = done

    @property
    def pending(self) -> bool:
        """Whether there are rows that were not read."""
        return self._left > 0

    def __iter__(self) -> Iterator[Item]:
        while (row := self.fetchone()) is not None:
            yield row

    def fetchone(self) -> Item | None:
        """The next row."""
        row = next(self._rows, None)
        if row is not None:
            self._left -= 1
            if not self._left:
                self._done()
        return row

    def fetchall(self) -> list[Item]:
        """All rows."""
        return list(self)

    def close(self) -> None:
        """It is not read on."""
        if self._left:
            self._left = 0
            self._rows = iter(())
            self._done()

    __del__ = close


def selected(items: Sequence[Item], statement: str, parameters: tuple[Any, ...]) -> Sequence[Item]:
    """The rows that a statement gives, of what its session sees."""
    if "sqlite_schema" in statement:
        return _of_schema([(item[1],) for item in items if item[0] == "schema"], statement)
    if not any(item[0] == "schema" for item in items):
        raise problem("no such table: entries")
    rows = sorted((item[1] for item in items if item[0] == "row"), key=lambda row: int(row[0]))
    if statement == "SELECT max(sequence) FROM entries":
        return [(max((row[0] for row in rows), default=None),)]
    match statement.partition(" FROM entries WHERE ")[2].removesuffix(" ORDER BY sequence"):
        case "sequence >= ?":
            return [row for row in rows if row[0] >= parameters[0]]
        case "sequence >= ? AND sequence <= ?":
            return [row for row in rows if parameters[0] <= row[0] <= parameters[1]]
        case "key = ?":
            return [row for row in rows if row[3] == parameters[0]]
        case "answers = ?":
            return [row for row in rows if row[4] == parameters[0]]
    raise NotImplementedError(f"the simulated SQLite does not know {statement!r}")


def _of_schema(found: list[Item], statement: str) -> Sequence[Item]:
    match statement:
        case "SELECT 1 FROM sqlite_schema LIMIT 1":
            return [(1,)] if found else []
        case "SELECT count(*) FROM sqlite_schema":
            return [(len(found),)]
        case "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL":
            return found
    raise NotImplementedError(f"the simulated SQLite does not know {statement!r}")
