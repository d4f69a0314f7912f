"""Tries: guessing takes longer and longer, of one name and of all."""

import pytest

from privet.errors import Busy
from privet.server.people.tries import FORGET, LONGEST_WAIT, OVERALL, WITHIN, Tries
from tests.server.people.conftest import Clock


def waits(tries: Tries, name: str) -> float:
    try:
        tries.refuse(name)
    except Busy as busy:
        return busy.retry_after
    return 0.0


def test_each_wrong_try_doubles_the_wait_up_to_a_minute(clock: Clock) -> None:
    tries = Tries(clock)
    found = []
    for _ in range(15):
        clock.now += waits(tries, "ada")
        assert not waits(tries, "ada")
        tries.wrong("ada")
        found.append(waits(tries, "ada"))
    assert found == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, *[LONGEST_WAIT] * 5]
    assert not waits(tries, "bob")
    clock.now += FORGET + 1
    tries.wrong("ada")
    assert not waits(tries, "ada")
    for _ in range(9):
        tries.wrong("ada")
    tries.right("ada")
    assert not waits(tries, "ada")


def test_many_names_together_wait_too_and_are_not_remembered_for_ever(clock: Clock) -> None:
    tries = Tries(clock)
    for each in range(OVERALL):
        assert not waits(tries, "ada")
        tries.wrong(f"name {each}")
    assert waits(tries, "ada") == WITHIN
    clock.now += WITHIN
    assert not waits(tries, "ada")
    for each in range(20_000):
        tries.wrong(f"name {each}")
    assert len(tries._wrong) == 10_000


def test_who_is_told_to_wait_is_told_the_same_whether_there_is_an_account(clock: Clock) -> None:
    tries = Tries(clock)
    for _ in range(6):
        tries.wrong("ada")
    with pytest.raises(Busy) as busy:
        tries.refuse("ada")
    assert "ada" not in str(busy.value)
