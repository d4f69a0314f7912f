"""serve_local: the agents' door for one agent on this machine, as the analyst whom its owner names."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from privet.errors import InvalidParameter
from privet.server.agents.calls import Calls
from privet.server.agents.stdio import serve_stdio
from privet.server.desk import Asker, Desk
from privet.server.people import People, Person, TokenScope
from privet.server.settings import Settings

SCOPES = frozenset({TokenScope.ASK, TokenScope.READ})  # whatever the account may do besides
CLOSED = "the account {!r} is closed: open it again in the console, or name another analyst"


def serve_local(
    catalog: Path,
    *,
    analyst: str,
    largest_epsilon: Fraction | None = None,
    needs_approval: bool = False,
    people: str | None = None,
) -> None:
    """Answer an agent on the standard input and output until it goes.

    Args:
        catalog: the catalog's file.
        analyst: as whom it asks; an account is made if there is none, without a password or a token.
        largest_epsilon: of one answer without approval.
        needs_approval: whether the owner approves each question.
        people: where accounts, history and requests are kept; by default where `privet serve` keeps them.

    Where the account says otherwise than these arguments, what allows less holds.
    """
    settings = Settings(catalog=catalog, people=people)
    everybody = People.open(people or people_beside(catalog))
    try:
        found = everybody.named(analyst)
        if found is None:
            everybody.add(analyst, largest_epsilon=largest_epsilon, needs_approval=needs_approval, agent=True)
        elif not found.active:
            raise InvalidParameter(CLOSED.format(analyst))

        def asker() -> Asker:
            """The account as it is now: its owner may have closed it meanwhile."""
            known = everybody.named(analyst) or Person(analyst, active=False)
            return Asker(
                held_to(known, largest_epsilon=largest_epsilon, needs_approval=needs_approval), SCOPES, "agent"
            )

        desk = Desk.open(catalog, people=everybody, settings=settings)
        try:
            serve_stdio(Calls(desk), asker)
        finally:
            desk.close()
    finally:
        everybody.close()


def people_beside(catalog: Path) -> str:
    """Where accounts are kept if nobody says.

    Example:
        >>> people_beside(Path("hospital.toml"))
        'sqlite:///hospital.people.db'
    """
    return f"sqlite:///{catalog.with_suffix('.people.db')}"


def held_to(person: Person, *, largest_epsilon: Fraction | None, needs_approval: bool) -> Person:
    """Somebody who may ask without approval what both their account and these arguments allow.

    Example:
        >>> held_to(Person("ada", largest_epsilon=Fraction(2)), largest_epsilon=Fraction(1), needs_approval=False)
        Person(name='ada', role=<Role.ANALYST: 'analyst'>, largest_epsilon=Fraction(1, 1), needs_approval=False, ...)
    """
    limits = [each for each in (person.largest_epsilon, largest_epsilon) if each is not None]
    return replace(
        person,
        largest_epsilon=min(limits, default=None),
        needs_approval=person.needs_approval or needs_approval,
    )
