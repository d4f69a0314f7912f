"""Invitations: links with which somebody sets the first password of their account; good once, and not for long."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import InvalidParameter, NotAllowed
from privet.server.people.accounts import epsilon_text, refuse_epsilon, unnoted
from privet.server.people.person import Person, Role, folded, named
from privet.server.people.secret import kept, new_secret, same
from privet.server.people.tokens import Tokens

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS invitations (id TEXT PRIMARY KEY, hash TEXT NOT NULL, name TEXT NOT NULL,
        role TEXT NOT NULL, largest_epsilon TEXT, needs_approval INTEGER NOT NULL, agent INTEGER NOT NULL,
        expires DOUBLE PRECISION NOT NULL, used INTEGER NOT NULL)""",
)
SHAPE = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{64})")
WEEK = 7 * 86_400.0
GONE = "this invitation was used, has expired or never was: ask the owner for a new one"


@dataclass(frozen=True)
class Invited:
    """Who is invited.

    Args:
        number: by which it is taken back.
        name: of the account.
        role: of the account.
        expires: in seconds since 1970.
    """

    number: str
    name: str
    role: Role
    expires: float


class Invitations(Tokens):
    """The part of `People` that knows invitations."""

    def invite(  # noqa: PLR0913 - what the account will be, each by name
        self,
        name: str,
        *,
        role: Role = Role.ANALYST,
        largest_epsilon: Fraction | None = None,
        needs_approval: bool = False,
        agent: bool = False,
        seconds: float = WEEK,
    ) -> str:
        """Invite somebody: return the secret of a link, which is shown this once.

        Raises:
            InvalidParameter: the name is taken.
        """
        person = Person(named(name), role, refuse_epsilon(largest_epsilon), needs_approval, agent)
        if self.named(name) is not None:
            raise InvalidParameter("this name is taken, or looks like one that is: choose another")
        if not 0 < seconds < 100 * WEEK:
            raise InvalidParameter("seconds says how long the invitation is good: more than 0")
        number, secret = new_secret(64), new_secret()
        self.database.run(
            "INSERT INTO invitations (id, hash, name, role, largest_epsilon, needs_approval, agent, expires, used) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            *(number, kept(secret), name, role.value, epsilon_text(person), int(needs_approval), int(agent)),
            self._clock() + seconds,
        )
        return f"{number}.{secret}"

    def invited(self, secret: str) -> Invited | None:
        """Whom an invitation is for; None if it is good for nothing."""
        found = SHAPE.fullmatch(secret)
        if found is None:
            return None
        rows = self.database.run("SELECT hash, name, role, expires, used FROM invitations WHERE id = ?", found[1])
        hashed, name, role, expires, used = rows[0] if rows else ("", "", "owner", 0.0, 1)
        if not same(kept(found[2]), hashed) or used or expires <= self._clock():
            return None
        return Invited(found[1], name, Role(role), expires)

    def accept_invitation(self, secret: str, password: str, *, noting: Callable[[Person], object] = unnoted) -> Person:
        """Make the account of an invitation, with its first password; the invitation is good for nothing then.

        Args:
            secret: of the link.
            password: the first.
            noting: writes down that it was done; if that fails it is not. What takes long is done before.

        Raises:
            NotAllowed: the invitation is good for nothing.
            InvalidParameter: the password is short, or the name was taken meanwhile; then it may be used again.
        """
        invited = self.invited(secret)
        if invited is None:
            raise NotAllowed(GONE)
        hashed, scram = self._hashed(password)
        with self.database.together():
            if not self.database.changed("UPDATE invitations SET used = 1 WHERE id = ? AND used = 0", invited.number):
                raise NotAllowed(GONE)
            ((epsilon, approval, agent),) = self.database.run(
                "SELECT largest_epsilon, needs_approval, agent FROM invitations WHERE id = ?", invited.number
            )
            person = self.add(
                invited.name,
                role=invited.role,
                largest_epsilon=None if epsilon is None else Fraction(epsilon),
                needs_approval=bool(approval),
                agent=bool(agent),
            )
            self.database.run(
                "UPDATE people SET password = ?, scram = ? WHERE folded = ?", hashed, scram, folded(person.name)
            )
            noting(person)
        return person

    def invitations(self) -> tuple[Invited, ...]:
        """Those that are good, the next to expire first."""
        rows = self.database.run(
            "SELECT id, name, role, expires FROM invitations WHERE used = 0 AND expires > ? ORDER BY expires, id",
            self._clock(),
        )
        return tuple(Invited(number, name, Role(role), expires) for number, name, role, expires in rows)

    def take_back(self, number: str) -> None:
        """Make an invitation good for nothing."""
        self.database.run("UPDATE invitations SET used = 1 WHERE id = ?", number)
