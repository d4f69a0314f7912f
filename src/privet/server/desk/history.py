"""History: which questions were asked, by whom, under which key of the ledger. The answers are in the ledger."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.server.people.database import Database
from privet.server.people.secret import derived, new_secret

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS asked (number TEXT PRIMARY KEY, analyst TEXT NOT NULL, question TEXT NOT NULL,
        statements TEXT NOT NULL, purpose TEXT, via TEXT NOT NULL, at TEXT NOT NULL, spent TEXT, free TEXT)""",
    "CREATE INDEX IF NOT EXISTS asked_by_analyst ON asked (analyst, at)",
    """CREATE TABLE IF NOT EXISTS latest (analyst TEXT NOT NULL, question TEXT NOT NULL, number TEXT NOT NULL,
        generation INTEGER NOT NULL, PRIMARY KEY (analyst, question))""",
    """CREATE TABLE IF NOT EXISTS keys (analyst TEXT NOT NULL, key TEXT NOT NULL, question TEXT NOT NULL,
        number TEXT NOT NULL, PRIMARY KEY (analyst, key))""",
)
COLUMNS = "number, statements, purpose, via, at, spent, free"
LARGEST_FREE = 1_000_000  # letters of an answer that costs nothing and is kept here


@dataclass(frozen=True)
class Kept:
    """A question as it is kept.

    Args:
        number: its key in the ledger, and of its permalink.
        statements: one, or several.
        purpose: if it was said.
        via: by which door it came.
        at: when, ISO 8601 in UTC.
        spent: what its answer cost; None while it has none.
        free: its answer, if that cost nothing and so is not in the ledger.
    """

    number: str
    statements: str | tuple[str, ...] | Mapping[str, str]
    purpose: str | None
    via: str
    at: str
    spent: str | None
    free: str | None

    @property
    def text(self) -> str:
        """For lists."""
        if isinstance(self.statements, str):
            return self.statements
        return "\n".join(self.statements.values() if isinstance(self.statements, Mapping) else self.statements)


class History:
    """What was asked.

    Args:
        database: where it is kept.
        key: a secret of this installation, which makes numbers that nobody can guess.

    Numbers follow from what they are about, so that who loses this history does not pay for a retried key twice.
    """

    def __init__(self, database: Database, key: str) -> None:
        self._database = database
        self._key = key
        database.make(SCHEMA)

    @property
    def version(self) -> int:
        """How often the owner has said that the data are new."""
        return version_in(self._database)

    # --- numbers ----------------------------------------------------------------------------------------------

    def number_of(self, *about: str) -> str:
        """The number of something: the same each time, and unknown to who has not the key."""
        return derived(self._key, "asked", *about)[:16].hex()

    @staticmethod
    def new_number() -> str:
        """A number that there was never before."""
        return new_secret(128)

    # --- what is asked ----------------------------------------------------------------------------------------

    def latest(self, analyst: str, question: str) -> tuple[str, int] | None:
        """The number under which a question was asked last, and how often it had to be asked because one was lost."""
        rows = self._database.run(
            "SELECT number, generation FROM latest WHERE analyst = ? AND question = ?", analyst, question
        )
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def take(self, analyst: str, question: str, number: str, generation: int) -> tuple[str, int]:
        """Let a question be asked under a number from now on; who comes first decides. Return what holds."""
        database = self._database
        if generation:
            database.run(
                "UPDATE latest SET number = ?, generation = ? WHERE analyst = ? AND question = ? AND generation = ?",
                *(number, generation, analyst, question, generation - 1),
            )
        else:
            database.run(
                "INSERT INTO latest (analyst, question, number, generation) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING",
                *(analyst, question, number),
            )
        return self.latest(analyst, question) or (number, generation)

    def renew(self, analyst: str, question: str, number: str) -> None:
        """Let later questions find the answer under this number, whatever there was before."""
        self._database.run(
            "INSERT INTO latest (analyst, question, number, generation) VALUES (?, ?, ?, 0) "
            "ON CONFLICT (analyst, question) DO UPDATE SET number = ?, generation = latest.generation + 1",
            *(analyst, question, number, number),
        )

    def keyed(self, analyst: str, key: str) -> tuple[str, str] | None:
        """The number and the question that a key of an analyst belongs to."""
        rows = self._database.run("SELECT number, question FROM keys WHERE analyst = ? AND key = ?", analyst, key)
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def bind(self, analyst: str, key: str, question: str, number: str) -> tuple[str, str]:
        """Let a key belong to a question, if it belongs to none; and say to which it does."""
        self._database.run(
            "INSERT INTO keys (analyst, key, question, number) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(analyst, key, question, number),
        )
        return self.keyed(analyst, key) or (number, question)

    def rebind(self, analyst: str, key: str, question: str, number: str) -> None:
        """Let a key that was never charged belong to another number of the same question."""
        self._database.run(
            "UPDATE keys SET number = ? WHERE analyst = ? AND key = ? AND question = ?", number, analyst, key, question
        )

    def begin(self, kept: Kept, analyst: str, question: str) -> None:
        """A question is about to be asked."""
        self._database.run(
            "INSERT INTO asked (number, analyst, question, statements, purpose, via, at) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            *(kept.number, analyst, question, json.dumps(kept.statements), kept.purpose, kept.via, kept.at),
        )

    def forget(self, analyst: str, number: str) -> None:
        """A question was refused, and nothing was charged: there is nothing to come back to, and its keys are free."""
        self._database.run("DELETE FROM asked WHERE number = ? AND spent IS NULL", number)
        self._database.run("DELETE FROM keys WHERE analyst = ? AND number = ?", analyst, number)

    def answered(self, number: str, spent: str, free: str | None) -> bool:
        """A question was answered; whether it is still known."""
        kept = free if free is not None and len(free) <= LARGEST_FREE else None
        return self._database.changed("UPDATE asked SET spent = ?, free = ? WHERE number = ?", spent, kept, number) > 0

    # --- what was asked ---------------------------------------------------------------------------------------

    def of(self, analyst: str, number: str) -> Kept | None:
        """A question of an analyst; None if there is none under this number, or it is somebody else's."""
        rows = self._database.run(
            f"SELECT {COLUMNS} FROM asked WHERE analyst = ? AND number = ?",  # noqa: S608 - no input
            *(analyst, number),
        )
        return _kept(rows[0]) if rows else None

    def last(self, analyst: str, count: int) -> list[Kept]:
        """The last questions of an analyst, the newest first."""
        rows = self._database.run(
            f"SELECT {COLUMNS} FROM asked WHERE analyst = ? ORDER BY at DESC, number LIMIT ?",  # noqa: S608 - no input
            *(analyst, count),
        )
        return [_kept(row) for row in rows]


def _kept(row: tuple[Any, ...]) -> Kept:
    number, statements, *more = row
    said = json.loads(statements)
    return Kept(number, tuple(said) if isinstance(said, list) else said, *more)


def version_in(database: Database) -> int:
    """How often the owner has said that the data are new."""
    rows = database.run("SELECT value FROM facts WHERE name = 'version of the data'")
    return int(rows[0][0]) if rows else 1


def new_version_in(database: Database) -> int:
    """The data are new: no answer from before is good for a question from now on."""
    with database.together():
        following = version_in(database) + 1
        database.run(
            "INSERT INTO facts (name, value) VALUES ('version of the data', ?) "
            "ON CONFLICT (name) DO UPDATE SET value = ?",
            *(str(following), str(following)),
        )
    return following
