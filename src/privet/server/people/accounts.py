"""Accounts: names, roles and passwords."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from privet.errors import InvalidParameter, NotAllowed
from privet.server.people.database import Database
from privet.server.people.password import LONGEST, Work, fits, new_password
from privet.server.people.person import Person, Role, folded, named
from privet.server.people.scram import ITERATIONS, SALT, ScramVerifier
from privet.server.people.secret import new_secret
from privet.server.people.tries import Tries

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS people (name TEXT PRIMARY KEY, folded TEXT UNIQUE NOT NULL, role TEXT NOT NULL,
        largest_epsilon TEXT, needs_approval INTEGER NOT NULL, agent INTEGER NOT NULL, active INTEGER NOT NULL,
        password TEXT, scram TEXT, made TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS identities (issuer TEXT NOT NULL, subject TEXT NOT NULL,
        name TEXT NOT NULL REFERENCES people(name), PRIMARY KEY (issuer, subject))""",
)
COLUMNS = "name, role, largest_epsilon, needs_approval, agent, active"
VERSION = "1"
WRONG = "the name or the password is wrong"
NOBODY = "there is no such account"


def unnoted(person: Person) -> None:
    """Write nothing down of what was done for somebody."""


class Accounts:
    """The part of `People` that knows names and passwords.

    Args:
        database: where they are kept.
        work: how much hashing a password costs.
        iterations: likewise of SCRAM.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        *,
        work: Work | None = None,
        iterations: int = ITERATIONS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.database = database
        self._work = work or Work()
        self._iterations = iterations
        self._clock = clock
        self._tries = Tries()
        database.make(SCHEMA)
        self.key = self._fact("key", new_secret())
        if (version := self._fact("version", VERSION)) != VERSION:
            raise InvalidParameter(
                f"the accounts are of version {version:.20}, and this Privet knows {VERSION}: upgrade"
            )

    def _fact(self, name: str, value: str) -> str:
        """What is kept under a name, from the first time on."""
        self.database.changed("INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name, value)
        return str(self.database.run("SELECT value FROM facts WHERE name = ?", name)[0][0])

    # --- who there is -----------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Person]:
        return map(person_of, self.database.run(f"SELECT {COLUMNS} FROM people ORDER BY folded"))  # noqa: S608 - no input

    def named(self, name: str) -> Person | None:
        """Who has this name, whether they may come in or not; upper and lower case are one."""
        rows = self.database.run(f"SELECT {COLUMNS} FROM people WHERE folded = ?", _storable(folded(name)))  # noqa: S608 - no input
        return person_of(rows[0]) if rows else None

    def active(self, name: str) -> Person | None:
        """Who has this name, if they may come in."""
        found = self.named(name)
        return found if found is not None and found.active else None

    def by_subject(self, issuer: str, subject: str) -> Person | None:
        """Who signs in elsewhere (OpenID Connect) under this subject of this issuer."""
        rows = self.database.run(
            "SELECT name FROM identities WHERE issuer = ? AND subject = ?", _storable(issuer), _storable(subject)
        )
        return self.active(str(rows[0][0])) if rows else None

    # --- passwords --------------------------------------------------------------------------------------------

    def by_password(self, name: str, password: str) -> Person | None:
        """Who has this name and password; None if nobody.

        Privacy: whether there is such a name is not told, by the outcome or by the work.

        Raises:
            Busy: too many tries were wrong; for a while not even the right one is looked at.
        """
        key = folded(name[:LONGEST])
        self._tries.refuse(key)
        rows = self.database.run("SELECT name, active, password FROM people WHERE folded = ?", _storable(key))
        hashed = str(rows[0][2]) if rows and rows[0][1] and rows[0][2] is not None else None
        if not fits(password, hashed, self._work):
            self._tries.wrong(key)
            return None
        self._tries.right(key)
        return self.active(str(rows[0][0]))

    def refuse_guesser(self, name: str) -> None:
        """Raise `Busy` if this name has to wait: for doors that check passwords in another way, such as SCRAM."""
        self._tries.refuse(folded(name[:LONGEST]))

    def tried(self, name: str, *, right: bool) -> None:
        """Count how such a try has ended."""
        (self._tries.right if right else self._tries.wrong)(folded(name[:LONGEST]))

    def scram_verifier(self, name: str) -> ScramVerifier:
        """By what somebody proves to know the password of a name; of a name without one, a verifier that nothing fits.

        Privacy: it looks the same and stays the same whether there is an account or not.
        """
        key = folded(name[:LONGEST])
        rows = self.database.run("SELECT active, scram FROM people WHERE folded = ?", _storable(key))
        nobody = ScramVerifier.of_nobody(key, self.key, iterations=self._iterations)
        return ScramVerifier.read(str(rows[0][1])) if rows and rows[0][0] and rows[0][1] is not None else nobody

    def change_password(
        self, name: str, new: str, *, old: str | None = None, noting: Callable[[Person], object] = unnoted
    ) -> None:
        """Set a password; every session ends. Without `old` it is the owner who does it.

        Args:
            name: whose.
            new: the password.
            old: the one there was.
            noting: writes down that it was done; if that fails it is not. What takes long is done before.

        Raises:
            NotAllowed: the old one is wrong.
        """
        person = self._known(name)
        if old is not None and self.by_password(name, old) is None:
            raise NotAllowed(WRONG)
        hashed, scram = self._hashed(new)
        with self.database.together():
            self.database.run("UPDATE people SET password = ?, scram = ? WHERE name = ?", hashed, scram, person.name)
            self._signed_out(person.name)
            noting(person)

    def _hashed(self, password: str) -> tuple[str, str]:
        hashed = new_password(password, self._work)
        salt = bytes.fromhex(new_secret(8 * SALT))
        return hashed, ScramVerifier.of(password, salt=salt, iterations=self._iterations).text

    # --- what an owner does -----------------------------------------------------------------------------------

    def add(  # noqa: PLR0913 - what an account is, each by name
        self,
        name: str,
        *,
        role: Role = Role.ANALYST,
        password: str | None = None,
        largest_epsilon: Fraction | None = None,
        needs_approval: bool = False,
        agent: bool = False,
    ) -> Person:
        """Make an account; without a password it has tokens, or a sign-in elsewhere.

        Raises:
            InvalidParameter: the name is taken, also if who had it comes in no more: the ledger knows them by it.
        """
        person = Person(named(name), role, refuse_epsilon(largest_epsilon), needs_approval, agent)
        hashed, scram = (None, None) if password is None else self._hashed(password)
        facts = (person.role.value, epsilon_text(person), int(needs_approval), int(agent))
        made = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        done = self.database.changed(
            "INSERT INTO people (name, folded, role, largest_epsilon, needs_approval, agent, active, password, scram, "
            "made) VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(name, folded(name), *facts, hashed, scram, made),
        )
        if not done:
            raise InvalidParameter("this name is taken, or looks like one that is: choose another")
        return person

    def change(self, name: str, *, largest_epsilon: Fraction | None = None, needs_approval: bool = False) -> Person:
        """Set what somebody may ask without approval."""
        person = replace(
            self._known(name), largest_epsilon=refuse_epsilon(largest_epsilon), needs_approval=needs_approval
        )
        self.database.run(
            "UPDATE people SET largest_epsilon = ?, needs_approval = ? WHERE name = ?",
            *(epsilon_text(person), int(needs_approval), person.name),
        )
        return person

    def deactivate(self, name: str) -> Person:
        """Let somebody come in no more: their password, tokens and sessions are good for nothing, at once."""
        return self._switched(name, active=False)

    def activate(self, name: str) -> Person:
        """Let somebody come in again; sessions and tokens have to be made anew."""
        return self._switched(name, active=True)

    def _switched(self, name: str, *, active: bool) -> Person:
        person = self._known(name)
        with self.database.together():
            if not active and person.role is Role.OWNER and person.active:
                self._refuse_last_owner()
            self.database.run("UPDATE people SET active = ? WHERE name = ?", int(active), person.name)
            self._signed_out(person.name)
            self.database.run("UPDATE tokens SET revoked = 1 WHERE name = ?", person.name)
        return replace(person, active=active)

    def _refuse_last_owner(self) -> None:
        ((owners,),) = self.database.run("SELECT count(*) FROM people WHERE role = 'owner' AND active = 1")
        if owners <= 1:
            raise InvalidParameter("this is the only owner: make another one first")

    def link(self, name: str, *, issuer: str, subject: str) -> None:
        """Let somebody sign in elsewhere (OpenID Connect): under this subject of this issuer."""
        done = self.database.changed(
            "INSERT INTO identities (issuer, subject, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            *(issuer, subject, self._known(name).name),
        )
        if not done:
            raise InvalidParameter("this sign-in belongs to an account already")

    def _known(self, name: str) -> Person:
        found = self.named(name)
        if found is None:
            raise InvalidParameter(NOBODY)
        return found

    def _signed_out(self, name: str) -> None:
        self.database.run("DELETE FROM sessions WHERE name = ?", name)


def person_of(row: tuple[Any, ...]) -> Person:
    """The person that a row of `COLUMNS` is."""
    name, role, epsilon, approval, agent, active = row
    largest = None if epsilon is None else Fraction(epsilon)
    return Person(name, Role(role), largest, bool(approval), bool(agent), bool(active))


def epsilon_text(person: Person) -> str | None:
    """As it is kept."""
    return None if person.largest_epsilon is None else str(person.largest_epsilon)


def refuse_epsilon(epsilon: Fraction | None) -> Fraction | None:
    """What is no largest ε."""
    if epsilon is not None and not 0 <= epsilon < 10**6:
        raise InvalidParameter("largest_epsilon must be a fraction of at least 0, or None for no limit")
    return None if epsilon is None else Fraction(epsilon)


def _storable(text: str) -> str:
    """A text that a database takes: nothing that is kept has half characters or the letter 0 in it."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
