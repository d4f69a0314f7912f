"""Tokens: secrets by which programs come in. Only their hashes are kept."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from privet.errors import InvalidParameter, NotAllowed
from privet.server.people.accounts import Accounts, person_of
from privet.server.people.person import Person, TokenScope
from privet.server.people.secret import kept, new_secret, same

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES people(name),
        hash TEXT NOT NULL, label TEXT NOT NULL, scopes TEXT NOT NULL, made DOUBLE PRECISION NOT NULL,
        expires DOUBLE PRECISION, revoked INTEGER NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS tokens_by_name ON tokens (name)",
)
SHAPE = re.compile(r"privet_([0-9a-f]{16})_([0-9a-f]{64})")
LONGEST_LABEL = 80
MOST = 100  # that are good, of one person
YEAR = 365 * 86_400.0


@dataclass(frozen=True)
class TokenFacts:
    """What may be shown of a token: all but the token.

    Args:
        number: by which it is revoked.
        name: whose it is.
        label: what it is for, in its owner's words.
        scopes: what it may do.
        made: when, in seconds since 1970.
        expires: likewise; None for never.
        revoked: whether it is good for nothing any more.
    """

    number: str
    name: str
    label: str
    scopes: frozenset[TokenScope]
    made: float
    expires: float | None
    revoked: bool


class Tokens(Accounts):
    """The part of `People` that knows tokens."""

    def make_token(
        self, name: str, *, label: str, scopes: Collection[TokenScope] | None = None, seconds: float | None = YEAR
    ) -> str:
        """Make a token; it is shown this once.

        Args:
            name: whose.
            label: what it is for.
            scopes: what it may do, of what its person may; by default all that an analyst may.
            seconds: how long it is good; a year by default, None for ever.
        """
        person = self._known(name)
        wanted = frozenset({TokenScope.ASK, TokenScope.READ} & person.scopes if scopes is None else scopes)
        if not wanted or not wanted <= person.scopes:
            said = ", ".join(sorted(each.value for each in person.scopes))
            raise NotAllowed(f"a token of this person may have the scopes {said}: choose some of them")
        if not 0 < len(label.strip()) <= LONGEST_LABEL or not label.isprintable():
            raise InvalidParameter(f"label must say in 1 to {LONGEST_LABEL} letters what the token is for")
        if seconds is not None and not 0 < seconds < 100 * YEAR:
            raise InvalidParameter("seconds says how long the token is good: more than 0, or None for ever")
        if not person.active:
            raise NotAllowed("this account is closed: it gets no tokens")
        number, secret, now = new_secret(64), new_secret(), self._clock()
        until = None if seconds is None else now + seconds
        with self.database.together():
            ((count,),) = self.database.run(
                "SELECT count(*) FROM tokens WHERE name = ? AND revoked = 0 AND (expires IS NULL OR expires > ?)",
                *(person.name, now),
            )
            if count >= MOST:
                raise InvalidParameter(f"somebody has at most {MOST} tokens: revoke those that are not used")
            self.database.run(
                "INSERT INTO tokens (id, name, hash, label, scopes, made, expires, revoked) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
                *(number, person.name, kept(secret), label.strip(), _text(wanted), now, until),
            )
        return f"privet_{number}_{secret}"

    def by_token(self, token: str) -> tuple[Person, frozenset[TokenScope]] | None:
        """Whose token it is, and what it may do; None if it is none, expired or revoked, or they may not come in.

        Privacy: the secret is compared as a hash, in constant time.
        """
        found = SHAPE.fullmatch(token)
        if found is None:
            return None
        rows = self.database.run(
            "SELECT t.hash, t.scopes, t.expires, t.revoked, p.name, p.role, p.largest_epsilon, p.needs_approval, "
            "p.agent, p.active FROM tokens t JOIN people p ON p.name = t.name WHERE t.id = ?",
            found[1],
        )
        hashed, scopes, expires, revoked, *about = rows[0] if rows else ("", "", None, 1)
        if not same(kept(found[2]), hashed) or revoked or (expires is not None and expires <= self._clock()):
            return None
        person = person_of(tuple(about))
        allowed = frozenset(map(TokenScope, str(scopes).split(" "))) & person.scopes
        return (person, allowed) if person.active and allowed else None

    def revoke_token(self, number: str, *, name: str | None = None) -> None:
        """Make a token good for nothing, at once.

        Args:
            number: of the token.
            name: whose it must be; anybody's if left out, which is the owner's to say.

        Raises:
            NotAllowed: there is none, or it is somebody else's.
        """
        whose = "" if name is None else " AND name = ?"
        values = (number,) if name is None else (number, self._known(name).name)
        if not self.database.changed(f"UPDATE tokens SET revoked = 1 WHERE id = ?{whose}", *values):  # noqa: S608 - no input
            raise NotAllowed("there is no such token of yours")

    def tokens_of(self, name: str) -> tuple[TokenFacts, ...]:
        """The tokens of somebody, the newest first."""
        rows = self.database.run(
            "SELECT id, name, label, scopes, made, expires, revoked FROM tokens WHERE name = ? ORDER BY made DESC, id",
            self._known(name).name,
        )
        return tuple(
            TokenFacts(
                number, whose, label, frozenset(map(TokenScope, scopes.split(" "))), made, expires, bool(revoked)
            )
            for number, whose, label, scopes, made, expires, revoked in rows
        )


def _text(scopes: Iterable[TokenScope]) -> str:
    return " ".join(sorted(each.value for each in scopes))
