"""People: who may come in, as what, by a password, a token, a session or a sign-in elsewhere."""

from pathlib import Path
from typing import Self

from privet.server.people import invitations, tokens
from privet.server.people.accounts import COLUMNS, person_of
from privet.server.people.database import Database, database_at
from privet.server.people.invitations import Invitations, Invited
from privet.server.people.password import Work
from privet.server.people.person import Person
from privet.server.people.scram import ITERATIONS
from privet.server.people.secret import kept, new_secret
from privet.server.people.tokens import TokenFacts

__all__ = ["Invited", "People", "TokenFacts"]

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES people(name),
        made DOUBLE PRECISION NOT NULL, seen DOUBLE PRECISION NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS sessions_by_name ON sessions (name)",
)
IDLE = 2 * 3600.0  # seconds after which a browser that does nothing is signed out
LONGEST = 12 * 3600.0  # seconds after which any is
MINUTE = 60.0  # how finely it is kept when a session was last used
_QUALIFIED = ", ".join(f"p.{each}" for each in COLUMNS.split(", "))


class People(Invitations):
    """Everybody with an account. Threads and processes may share one database.

    Args:
        database: where they are kept: `People.open` names it by an address.
        work: how much hashing a password costs.
        iterations: likewise of SCRAM.
        clock: seconds since 1970.

    Privacy: of passwords only scrypt's hashes and SCRAM's verifiers are kept, of tokens, sessions and invitations only
        hashes of 256 random bits. A file is readable for its owner alone. Nothing tells whether a name has an account
        but to whoever is signed in as owner.
    Not covered: whoever reads the database may guess weak passwords; whoever writes it comes in as anybody.

    Example:
        >>> people = People.open(None)
        >>> person = people.add("ada", password="a long sentence")
        >>> token = people.make_token("ada", label="notebook")
        >>> people.by_token(token)[0] == people.by_password("Ada", "a long sentence") == person
        True
    """

    @classmethod
    def open(cls, address: str | Path | None, *, work: Work | None = None, iterations: int = ITERATIONS) -> Self:
        """The people of an address: "sqlite:///people.db", a path, "postgresql://…", or None for memory."""
        return cls(database_at(address), work=work, iterations=iterations)

    def __init__(self, database: Database, **how: object) -> None:
        super().__init__(database, **how)  # type: ignore[arg-type] # as `Accounts` takes them
        database.make((*tokens.SCHEMA, *invitations.SCHEMA, *SCHEMA))

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    # --- sessions of browsers ---------------------------------------------------------------------------------

    def sign_in(self, name: str, password: str) -> str | None:
        """The secret of a new session; None if the name or the password is wrong.

        Raises:
            Busy: as `by_password` does.
        """
        person = self.by_password(name, password)
        return None if person is None else self.begin_session(person)

    def begin_session(self, person: Person) -> str:
        """The secret of a new session of somebody who has shown elsewhere who they are."""
        secret, now = new_secret(), self._clock()
        self.database.run("DELETE FROM sessions WHERE seen <= ? OR made <= ?", now - IDLE, now - LONGEST)
        self.database.run(
            "INSERT INTO sessions (hash, name, made, seen) VALUES (?, ?, ?, ?)", kept(secret), person.name, now, now
        )
        return secret

    def by_session(self, secret: str) -> Person | None:
        """Whose session it is; None if it is none, was idle for long, or is old."""
        hashed, now = kept(secret), self._clock()
        rows = self.database.run(
            f"SELECT {_QUALIFIED}, s.made, s.seen FROM sessions s JOIN people p ON p.name = s.name WHERE s.hash = ?",  # noqa: S608 - no input
            hashed,
        )
        if not rows:
            return None
        *about, made, seen = rows[0]
        person = person_of(tuple(about))
        if not person.active or now - seen >= IDLE or now - made >= LONGEST:
            return None
        if now - seen >= MINUTE:
            self.database.run("UPDATE sessions SET seen = ? WHERE hash = ?", now, hashed)
        return person

    def sign_out(self, secret: str) -> None:
        """End a session."""
        self.database.run("DELETE FROM sessions WHERE hash = ?", kept(secret))
