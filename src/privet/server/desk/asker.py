"""Asker: a person who has come in by a door, and what they may do there."""

from dataclasses import dataclass

from privet.errors import NotAllowed
from privet.server.people import Person, TokenScope

MAY = {  # what each scope includes
    TokenScope.READ: (TokenScope.READ, TokenScope.ASK),
    TokenScope.ASK: (TokenScope.ASK,),
    TokenScope.OWN: (TokenScope.OWN,),
    TokenScope.AUDIT: (TokenScope.AUDIT, TokenScope.OWN),
}


@dataclass(frozen=True)
class Asker:
    """A person who has come in.

    Args:
        person: who.
        scopes: what they may do here; never more than their role may.
        via: the door: "console", "http", "postgres" or "agent".
    """

    person: Person
    scopes: frozenset[TokenScope]
    via: str

    @classmethod
    def of(cls, person: Person, via: str) -> "Asker":
        """Somebody who has shown a password or a session: they may do all that their role may."""
        return cls(person, person.scopes, via)

    @property
    def name(self) -> str:
        """Their name, as in the ledger."""
        return self.person.name

    def refuse_without(self, scope: TokenScope) -> None:
        """Raise if they may not do this."""
        person = self.person
        if not person.active or not any(each in self.scopes & person.scopes for each in MAY[scope]):
            raise NotAllowed(f"this needs the scope {scope.value!r}, which this account or token does not have here")
