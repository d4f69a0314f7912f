"""The rows of a journal in a table, the same for SQLite and PostgreSQL."""

from collections.abc import Iterator
from typing import Any, Protocol

from privet.core.journals.chain import Row
from privet.errors import LedgerDamaged

_COLUMNS = "sequence, body, hash, key, answers"


class Execute(Protocol):
    """Runs one statement and returns a cursor."""

    def __call__(self, statement: str, parameters: tuple[Any, ...], /) -> Any:  # noqa: ANN401 - a DB-API cursor
        """Run it."""


class SqlPages:
    """The rows of the table `entries`, inside one transaction.

    Args:
        execute: runs a statement; its parameters are marked by question marks.
    """

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def last(self) -> int | None:
        """The highest sequence; None if there are no rows."""
        (sequence,) = self._execute("SELECT max(sequence) FROM entries", ()).fetchone()
        return None if sequence is None else int(sequence)

    def rows(self, first: int, last: int | None = None) -> Iterator[Row]:
        """The rows from `first` on, in order."""
        upto, more = ("", ()) if last is None else (" AND sequence <= ?", (last,))
        statement = f"SELECT {_COLUMNS} FROM entries WHERE sequence >= ?{upto} ORDER BY sequence"  # noqa: S608 - no input
        return map(_row, self._execute(statement, (first, *more)))

    def append(self, row: Row) -> None:
        """Write one more row."""
        values = (row.sequence, row.body, row.hash, row.key, row.answers)
        self._execute("INSERT INTO entries (sequence, body, hash, key, answers) VALUES (?, ?, ?, ?, ?)", values)

    def keyed(self, key: str) -> Row | None:
        """The spend that was made with a key."""
        return self._one("key", key)

    def answering(self, sequence: int) -> Row | None:
        """The stored answer to a spend."""
        return self._one("answers", sequence)

    def _one(self, column: str, value: object) -> Row | None:
        statement = f"SELECT {_COLUMNS} FROM entries WHERE {column} = ?"  # noqa: S608 - no input
        found = self._execute(statement, (value,)).fetchone()
        return None if found is None else _row(found)


def _row(values: tuple[Any, ...]) -> Row:
    sequence, body, digest, key, answers = values
    if not isinstance(body, str) or not isinstance(digest, bytes):
        raise LedgerDamaged(f"row {sequence} is empty")
    return Row(sequence, body, digest, key, answers)
