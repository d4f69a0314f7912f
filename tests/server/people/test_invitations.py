"""Invitations: good once, for one name, for a while."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from privet.errors import InvalidParameter, NotAllowed
from privet.server.people import People, Person, Role
from privet.server.people.invitations import WEEK
from tests.server.people.conftest import Clock

PASSWORD = "a sentence that is long"  # noqa: S105 - of invented people


def test_an_invitation_makes_the_account_that_was_meant_once(people: People) -> None:
    secret = people.invite("Ada", role=Role.AUDITOR, largest_epsilon=Fraction(1, 2), needs_approval=True, agent=True)
    invited = people.invited(secret)
    assert invited
    assert (invited.name, invited.role) == ("Ada", Role.AUDITOR)
    with pytest.raises(InvalidParameter):
        people.accept_invitation(secret, "short")
    meant = Person("Ada", Role.AUDITOR, Fraction(1, 2), needs_approval=True, agent=True)
    assert people.accept_invitation(secret, PASSWORD) == people.by_password("ada", PASSWORD) == meant
    assert people.scram_verifier("ada").iterations == 4096
    assert people.invited(secret) is None
    with pytest.raises(NotAllowed, match="was used"):
        people.accept_invitation(secret, "another one that is long")
    assert people.by_password("ada", PASSWORD)


def test_what_is_no_invitation_says_the_same(people: People, clock: Clock) -> None:
    used, old, back = (people.invite(name) for name in ("ada", "bob", "carl"))
    people.accept_invitation(used, PASSWORD)
    people.take_back(back.split(".")[0])
    clock.now += WEEK
    new = people.invite("dora")
    said = set()
    for secret in (used, old, back, "", f"{new[:-1]}", f"{new}0", f"{new.split('.')[0]}.{old.split('.')[1]}", "\ud800"):
        assert people.invited(secret) is None
        with pytest.raises(NotAllowed) as refused:
            people.accept_invitation(secret, PASSWORD)
        said.add(str(refused.value))
    assert len(said) == 1
    assert [each.name for each in people.invitations()] == ["dora"]
    assert [each.name for each in people] == ["ada"]


def test_two_who_accept_at_once_get_one_account(people: People) -> None:
    secret = people.invite("ada")

    def accept(turn: int) -> bool:
        try:
            people.accept_invitation(secret, f"{PASSWORD} {turn}")
        except NotAllowed:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(accept, range(4))) == 1


def test_an_invitation_whose_name_was_taken_meanwhile_stays_good_for_nothing_else(people: People) -> None:
    first, second = people.invite("ada"), people.invite("Ada")
    people.accept_invitation(first, PASSWORD)
    with pytest.raises(InvalidParameter, match="taken"):
        people.accept_invitation(second, "another one that is long")
    assert people.by_password("ada", PASSWORD)
    assert people.invited(second)
