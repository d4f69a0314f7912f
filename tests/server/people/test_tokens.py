"""Tokens: good for what they say, as long as they say, and for nobody else."""

import re

import pytest

from privet.errors import InvalidParameter, NotAllowed
from privet.server.people import People, Role, TokenScope
from tests.server.people.conftest import Clock

SHAPE = re.compile(r"privet_[0-9a-f]{16}_[0-9a-f]{64}")


@pytest.fixture
def token(people: People) -> str:
    people.add("ada")
    people.add("bob")
    return people.make_token("ada", label="notebook")


def test_a_token_is_its_persons(people: People, token: str) -> None:
    assert SHAPE.fullmatch(token)
    found = people.by_token(token)
    assert found
    assert (found[0].name, set(found[1])) == ("ada", {TokenScope.ASK, TokenScope.READ})


def test_whatever_is_not_the_token_is_nobodys(people: People, token: str) -> None:
    other = people.make_token("bob", label="x")
    _, number, secret = token.split("_")
    for guess in (
        *("", "privet__", token[:-1], f"{token}0", token.upper(), f" {token}", f"{token}\n", "\ud800", "' OR 1=1 --"),
        *(f"privet_{number}_{'0' * 64}", f"privet_{'0' * 16}_{secret}", f"privet_{number}_{other.split('_')[2]}"),
        "privet_" + "１" * 16 + "_" + secret,
    ):
        assert people.by_token(guess) is None


def test_a_token_expires(people: People, clock: Clock) -> None:
    people.add("ada")
    short, ever = (people.make_token("ada", label="x", seconds=each) for each in (60, None))
    clock.now += 59
    assert people.by_token(short)
    clock.now += 1
    assert people.by_token(short) is None
    clock.now += 1e9
    assert people.by_token(ever)


def test_a_token_is_revoked_by_its_person_or_the_owner_alone(people: People, token: str) -> None:
    (facts,) = people.tokens_of("ADA")
    assert token.split("_")[2] not in repr(facts)
    for whose, number in (("bob", facts.number), ("ada", "0" * 16), ("ada", "' OR 1=1 --")):
        with pytest.raises(NotAllowed):
            people.revoke_token(number, name=whose)
    assert people.by_token(token)
    people.revoke_token(facts.number, name="ADA")
    assert people.by_token(token) is None
    assert people.tokens_of("ada")[0].revoked
    with pytest.raises(NotAllowed):
        people.revoke_token("0" * 16)


@pytest.mark.parametrize(
    ("role", "scopes"),
    [
        (Role.ANALYST, {TokenScope.OWN}),
        (Role.ANALYST, {TokenScope.ASK, TokenScope.AUDIT}),
        (Role.AUDITOR, {TokenScope.ASK}),
        (Role.OWNER, set()),
    ],
)
def test_a_token_may_no_more_than_its_person(people: People, role: Role, scopes: set[TokenScope]) -> None:
    people.add("ada", role=role)
    with pytest.raises(NotAllowed, match="choose some"):
        people.make_token("ada", label="x", scopes=scopes)


def test_a_token_loses_what_its_person_loses(people: People) -> None:
    people.add("olga", role=Role.OWNER)
    token = people.make_token("olga", label="x", scopes=[TokenScope.OWN, TokenScope.READ])
    people.database.run("UPDATE people SET role = 'analyst' WHERE name = 'olga'")
    found = people.by_token(token)
    assert found
    assert found[1] == {TokenScope.READ}


@pytest.mark.parametrize("label", ["", " ", "x" * 81, "a\nb", "\x1b[31m"])
def test_labels_say_something_in_one_line(people: People, label: str) -> None:
    people.add("ada")
    with pytest.raises(InvalidParameter, match="label"):
        people.make_token("ada", label=label)


def test_tokens_are_limited_and_those_who_may_not_come_in_get_none(people: People, token: str) -> None:
    for each in range(99):
        people.make_token("ada", label=str(each))
    with pytest.raises(InvalidParameter, match="at most"):
        people.make_token("ada", label="one more")
    people.revoke_token(token.split("_")[1])
    people.make_token("ada", label="one more")
    people.deactivate("bob")
    with pytest.raises(NotAllowed, match="closed"):
        people.make_token("bob", label="x")
