"""Someone who can write any rows of a journal, with right hashes, but not its anchor."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privet.core.journals.chain import Facts, Row

COLUMNS = "sequence, body, hash, key, answers"


class Attacker:
    """Writes behind Privet's back.

    Args:
        address: of the journal.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_sqlite = address.startswith("sqlite:///")

    @contextmanager
    def _connected(self) -> Iterator[Callable[..., Any]]:
        """What runs statements, with the guards of the table taken away."""
        if self.is_sqlite:
            connection = sqlite3.connect(self.address.removeprefix("sqlite:///"), isolation_level=None)
            guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            for name, _ in guards:
                connection.execute(f"DROP TRIGGER {name}")
            yield connection.execute
            for _, statement in guards:
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.close()
            return
        import psycopg  # noqa: PLC0415 - an extra

        from privet.core.journals.postgres import PostgresJournal  # noqa: PLC0415 - the same

        journal = PostgresJournal(self.address)
        with psycopg.connect(journal._address, autocommit=True) as server:
            server.execute(f'SET search_path = "privet_{journal.name}"'.encode())
            server.execute("ALTER TABLE IF EXISTS entries DISABLE TRIGGER ALL")
            yield lambda statement, values=(): server.execute(statement.replace("?", "%s").encode(), values or None)
            server.execute("ALTER TABLE IF EXISTS entries ENABLE TRIGGER ALL")

    def rows(self) -> list[Row]:
        """All rows."""
        with self._connected() as execute:
            found = execute(f"SELECT {COLUMNS} FROM entries ORDER BY sequence").fetchall()  # noqa: S608 - no input
        return [Row(sequence, body, bytes(digest), key, answers) for sequence, body, digest, key, answers in found]

    def append(self, *facts: Facts) -> None:
        """Write rows after the last one."""
        self.put([*(rows := self.rows()), *chained(rows, facts)])

    def rewrite(self, keep: int, facts: Sequence[Facts]) -> None:
        """Replace everything after the first rows."""
        rows = self.rows()[:keep]
        self.put([*rows, *chained(rows, facts)])

    def put(self, rows: Sequence[Row]) -> None:
        """Make these all the rows that there are."""
        with self._connected() as execute:
            execute("DELETE FROM entries")
            for row in rows:
                values = (row.sequence, row.body, row.hash, row.key, row.answers)
                execute("INSERT INTO entries (sequence, body, hash, key, answers) VALUES (?, ?, ?, ?, ?)", values)

    def version(self, version: object) -> None:
        """Let the file or table say that it is of another version."""
        with self._connected() as execute:
            if self.is_sqlite:
                execute(f"PRAGMA user_version = {version}")
            else:
                execute(f"COMMENT ON TABLE entries IS 'privet journal version {version}'")

    def lose(self) -> None:
        """Take away the whole journal, as a disk that is not mounted or a new server would."""
        if self.is_sqlite:
            path = Path(self.address.removeprefix("sqlite:///"))
            for name in ("", "-wal", "-shm", ".lock"):
                path.with_name(f"{path.name}{name}").unlink(missing_ok=True)
            return
        with self._connected() as execute:
            execute("DROP TABLE entries")
            execute("DROP FUNCTION entries_stay")

    @property
    def is_lost(self) -> bool:
        """Whether nothing is there."""
        if self.is_sqlite:
            return not Path(self.address.removeprefix("sqlite:///")).exists()
        with self._connected() as execute:
            return bool(execute("SELECT to_regclass('entries') IS NULL").fetchone()[0])


def chained(rows: Sequence[Row], facts: Sequence[Facts]) -> list[Row]:
    """Rows that say this, with right hashes, after others."""
    made: list[Row] = []
    for each in facts:
        made.append(Row.after([*rows, *made][-1] if rows or made else None, each))
    return made
