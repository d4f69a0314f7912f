"""People: the whole of it, wherever they are kept; and sessions."""

from fractions import Fraction
from pathlib import Path

import pytest

from privet.errors import InvalidParameter, NotAllowed
from privet.server.people import People, Role, TokenScope
from privet.server.people.people import IDLE, LONGEST
from tests.server.people.conftest import QUICK, Clock

PASSWORD = "a sentence that is long"  # noqa: S105 - of invented people
OTHER = "another one that is long"


def test_everything_wherever_they_are_kept(address: str | None) -> None:
    people = People.open(address, work=QUICK, iterations=4096)
    assert not list(people)
    owner = people.accept_invitation(people.invite("Olga", role=Role.OWNER), PASSWORD)
    ada = people.add("Ada", password=PASSWORD, largest_epsilon=Fraction(1, 3), needs_approval=True, agent=True)
    assert list(people) == [ada, owner]
    assert people.named("ADA") == people.by_password("ada", PASSWORD) == ada
    assert people.by_password("ada", OTHER) is None
    token = people.make_token("ada", label="notebook", scopes=[TokenScope.READ])
    assert people.by_token(token) == (ada, frozenset({TokenScope.READ}))
    secret = people.sign_in("ADA", PASSWORD) or ""
    assert people.by_session(secret) == ada
    people.link("ada", issuer="https://id.example", subject="17")
    assert people.by_subject("https://id.example", "17") == ada
    others = People.open(address, work=QUICK, iterations=4096) if address else people
    assert others.by_token(token) == (ada, frozenset({TokenScope.READ}))
    assert others.scram_verifier("ada") == people.scram_verifier("Ada") != people.scram_verifier("nobody")
    assert others.scram_verifier("nobody") == people.scram_verifier("nobody")
    others.deactivate("ada")  # in another process, and here it holds at once
    assert {people.by_token(token), people.by_session(secret), people.by_password("ada", PASSWORD)} == {None}
    assert people.by_subject("https://id.example", "17") is None
    assert people.scram_verifier("ada") == people.scram_verifier("ADA")
    others.activate("ada")
    assert {people.by_token(token), people.by_session(secret)} == {None}
    assert people.by_password("ada", PASSWORD) == ada
    for each in {people, others}:
        each.close()


def test_nothing_secret_is_kept_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "people.db"
    people = People.open(file, work=QUICK, iterations=4096)
    invitation = people.invite("Olga", role=Role.OWNER)
    people.accept_invitation(invitation, PASSWORD)
    secrets = [PASSWORD, invitation.split(".")[1], people.make_token("olga", label="x").split("_")[2]]
    secrets.append(people.sign_in("olga", PASSWORD) or "")
    stored = file.read_bytes() + Path(f"{file}-wal").read_bytes()
    for secret in secrets:
        assert secret.encode() not in stored
    people.close()


def test_a_session_ends_when_it_is_idle_old_or_signed_out(people: People, clock: Clock) -> None:
    ada = people.add("ada", password=PASSWORD)
    secrets = [people.sign_in("ada", PASSWORD) or "" for _ in range(3)]
    assert len(set(secrets)) == 3
    people.sign_out(secrets[2])
    assert people.by_session(secrets[2]) is None
    clock.now += IDLE - 1
    assert people.by_session(secrets[0]) == ada  # which is seen to be used
    clock.now += 1
    assert people.by_session(secrets[1]) is None
    end = clock.now - IDLE + LONGEST
    while clock.now + IDLE / 2 < end:
        clock.now += IDLE / 2
        assert people.by_session(secrets[0]) == ada
    clock.now = end
    assert people.by_session(secrets[0]) is None
    for guess in ("", "0" * 64, secrets[0][:-1], "\ud800", "' OR 1=1 --", secrets[0].upper()):
        assert people.by_session(guess) is None


def test_old_sessions_are_swept_away(people: People, clock: Clock) -> None:
    people.add("ada", password=PASSWORD)
    for _ in range(5):
        people.sign_in("ada", PASSWORD)
        clock.now += LONGEST
    assert people.database.run("SELECT count(*) FROM sessions") == [(1,)]


def test_a_new_password_ends_the_sessions(people: People) -> None:
    people.add("ada", password=PASSWORD)
    secret = people.sign_in("ada", PASSWORD) or ""
    with pytest.raises(NotAllowed):
        people.change_password("ada", OTHER, old=OTHER)
    with pytest.raises(InvalidParameter):
        people.change_password("ada", "short", old=PASSWORD)
    assert people.by_session(secret) is not None
    before = people.scram_verifier("ada")
    people.change_password("ada", OTHER, old=PASSWORD)
    assert people.by_session(secret) is None
    assert people.by_password("ada", PASSWORD) is None
    assert people.by_password("ada", OTHER) is not None
    assert people.scram_verifier("ada") != before
