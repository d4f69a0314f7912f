"""Accounts: who is who, and that nobody can tell who there is."""

import hashlib
from fractions import Fraction

import pytest

from privet.errors import Busy, InvalidParameter
from privet.server.people import People, Role

PASSWORD = "a sentence that is long"  # noqa: S105 - of invented people


def test_a_name_belongs_to_one_for_good(people: People) -> None:
    people.add("Ada", password=PASSWORD)
    people.deactivate("ada")
    for name in ("Ada", "ada", "ADA"):
        with pytest.raises(InvalidParameter, match="taken"):
            people.add(name)
        with pytest.raises(InvalidParameter, match="taken"):
            people.invite(name)
    assert [each.name for each in people] == ["Ada"]


def test_names_with_and_without_an_account_cost_the_same_and_say_the_same(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    people.add("ada", password=PASSWORD)
    people.add("bot")  # without a password
    people.add("carl", password=PASSWORD)
    people.deactivate("carl")
    done: dict[str, list[int]] = {}
    plain = hashlib.scrypt

    def counting(text: bytes, **how: int) -> bytes:
        done.setdefault(name, []).append(how["n"] * how["p"])
        return plain(text, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(hashlib, "scrypt", counting)
    for name in ("ada", "bot", "carl", "nobody", "\ud800", "x" * 5000, ""):
        assert people.by_password(name, "wrong " + PASSWORD) is None
    assert len({tuple(each) for each in done.values()}) == 1
    assert len(done) == 7


def test_guesses_are_slowed_down_for_all_doors_together(people: People) -> None:
    people.add("ada", password=PASSWORD)
    for name in ("ada", "nobody"):
        for _ in range(3):
            assert people.by_password(name, "wrong") is None
        people.refuse_guesser(name)
        for _ in range(3):
            people.tried(name.upper(), right=False)
        with pytest.raises(Busy):
            people.by_password(name, PASSWORD)
        with pytest.raises(Busy):
            people.refuse_guesser(name)
    people.tried("ADA", right=True)
    assert people.by_password("ada", PASSWORD) is not None


def test_there_is_always_an_owner(people: People) -> None:
    people.add("olga", role=Role.OWNER)
    with pytest.raises(InvalidParameter, match="only owner"):
        people.deactivate("olga")
    people.add("otto", role=Role.OWNER)
    people.deactivate("olga")
    with pytest.raises(InvalidParameter, match="only owner"):
        people.deactivate("otto")
    assert people.active("otto")


@pytest.mark.parametrize("epsilon", [Fraction(-1), Fraction(10**7)])
def test_a_largest_epsilon_is_one(people: People, epsilon: Fraction) -> None:
    people.add("ada", largest_epsilon=Fraction(1, 3))
    for act in (
        lambda: people.add("bob", largest_epsilon=epsilon),
        lambda: people.invite("bob", largest_epsilon=epsilon),
        lambda: people.change("ada", largest_epsilon=epsilon),
    ):
        with pytest.raises(InvalidParameter, match="largest_epsilon"):
            act()
    known = people.named("ada")
    assert known
    assert known.largest_epsilon == Fraction(1, 3)


def test_a_sign_in_elsewhere_belongs_to_one(people: People) -> None:
    people.add("ada")
    people.add("bob")
    people.link("ada", issuer="https://id.example", subject="17")
    with pytest.raises(InvalidParameter, match="belongs to an account"):
        people.link("bob", issuer="https://id.example", subject="17")
    people.link("bob", issuer="https://other.example", subject="17")
    found = people.by_subject("https://id.example", "17")
    assert found
    assert found.name == "ada"
    for issuer, subject in (("https://id.example", "18"), ("", "17"), ("\ud800", "\0")):
        assert people.by_subject(issuer, subject) is None


def test_who_is_not_there_is_not_changed(people: People) -> None:
    for act in (
        lambda: people.change("nobody"),
        lambda: people.deactivate("nobody"),
        lambda: people.change_password("nobody", PASSWORD),
        lambda: people.make_token("nobody", label="x"),
        lambda: people.link("nobody", issuer="i", subject="s"),
    ):
        with pytest.raises(InvalidParameter, match="no such account"):
            act()


def test_accounts_of_a_later_version_are_refused(people: People) -> None:
    people.database.run("UPDATE facts SET value = '2' WHERE name = 'version'")
    with pytest.raises(InvalidParameter, match="upgrade"):
        People(people.database)
