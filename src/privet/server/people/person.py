"""Person: somebody with an account, what they are, and what a token of theirs may do."""

import enum
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import InvalidParameter

LONGEST_NAME = 64


class Role(enum.Enum):
    """What somebody is."""

    OWNER = "owner"
    ANALYST = "analyst"
    AUDITOR = "auditor"


class TokenScope(enum.Enum):
    """What a token may do. Each stands for itself: ASK alone includes what READ may."""

    ASK = "ask"  # price, ask, history, budget
    READ = "read"  # tables, price, budget, history; no spending
    OWN = "own"  # what only the owner does
    AUDIT = "audit"  # read the ledger


SCOPES = {
    Role.OWNER: frozenset(TokenScope),
    Role.ANALYST: frozenset({TokenScope.ASK, TokenScope.READ}),
    Role.AUDITOR: frozenset({TokenScope.READ, TokenScope.AUDIT}),
}


@dataclass(frozen=True)
class Person:
    """Somebody with an account.

    Args:
        name: as it was first written; it is the analyst's name in the ledger, for good.
        role: what they are.
        largest_epsilon: the largest ε of one answer without the owner's approval; None for any.
        needs_approval: whether the owner approves each question.
        agent: whether it is a program that asks by itself.
        active: whether they may come in.
    """

    name: str
    role: Role = Role.ANALYST
    largest_epsilon: Fraction | None = None
    needs_approval: bool = False
    agent: bool = False
    active: bool = True

    @property
    def scopes(self) -> frozenset[TokenScope]:
        """All that their role may do."""
        return SCOPES[self.role]


def folded(name: str) -> str:
    """What two names have in common that people would take for one: 'Ada' and 'ada', full-width and plain letters."""
    once = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", once).casefold()


def named(name: object) -> str:
    """A new name, checked.

    Raises:
        InvalidParameter: if it is empty, long, cannot be shown as it is, or mixes alphabets that look alike.
    """
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or name != name.strip():
        raise InvalidParameter(f"a name has 1 to {LONGEST_NAME} letters, and no space at its ends")
    if not all(each.isprintable() for each in name) or unicodedata.normalize("NFKC", name) != name:
        raise InvalidParameter("a name is made of plain letters, digits and signs: write it without special forms")
    if len(alphabets := _alphabets(name)) > 1:
        raise InvalidParameter(
            f"a name keeps to one alphabet, this one has {' and '.join(sorted(alphabets))}: letters that look alike "
            "would make two names look like one"
        )
    return name


def _alphabets(name: Iterable[str]) -> set[str]:
    """The alphabets of the letters, by the first word of their Unicode names."""
    return {unicodedata.name(each, "UNKNOWN").split(" ")[0].split("-")[0] for each in name if each.isalpha()}
