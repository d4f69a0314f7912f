"""Contributions: at most so many rows of each owner, and nobody decides about another's."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.asking.contributions import kept_rows, owner_at_time

OWNERS = st.lists(st.integers(-1, 4), max_size=25)


@given(OWNERS, st.integers(1, 4))
def test_each_owner_keeps_as_many_rows_as_allowed(owners: list[int], most: int) -> None:
    kept = kept_rows(np.array(owners, dtype=np.int64), most=most)
    held = Counter(np.array(owners)[kept].tolist() if owners else [])
    there = Counter(owners)
    assert held == {owner: min(number, most) for owner, number in there.items() if owner >= 0}


@given(OWNERS, st.integers(1, 4), st.integers(0, 4))
def test_one_owner_more_or_less_changes_nobody_elses_rows(owners: list[int], most: int, gone: int) -> None:
    array = np.array(owners, dtype=np.int64)
    others = array != gone
    assert np.array_equal(kept_rows(array, most=most)[others], kept_rows(array[others], most=most))


@given(OWNERS, OWNERS, st.integers(1, 4), st.integers(0, 4))
def test_one_owner_replaced_changes_nobody_elses_rows(
    owners: list[int], shuffled: list[int], most: int, replaced: int
) -> None:
    """The owner's rows are dealt anew between the others', whose order stays."""
    rest = [owner for owner in owners if owner != replaced]
    dealt = list(rest)
    for place in shuffled:
        dealt.insert(place % (len(dealt) + 1), replaced)
    before, after = np.array(owners, dtype=np.int64), np.array(dealt, dtype=np.int64)
    mine, theirs = kept_rows(before, most=most)[before != replaced], kept_rows(after, most=most)[after != replaced]
    assert np.array_equal(mine, theirs)


def test_rows_are_spread_and_not_simply_the_earliest() -> None:
    assert np.flatnonzero(kept_rows(np.zeros(10, dtype=np.int64), most=3)).tolist() == [3, 6, 9]


def test_no_rows_at_all() -> None:
    assert kept_rows(np.empty(0, dtype=np.int64), most=2).tolist() == []


def test_a_million_rows_of_one_owner_do_not_overflow() -> None:
    kept = kept_rows(np.zeros(10**6, dtype=np.int64), most=10**9)
    assert kept.all()


@given(OWNERS, st.integers(1, 4))
def test_far_apart_codes_are_the_same_owners(owners: list[int], most: int) -> None:
    array = np.array(owners, dtype=np.int64)
    wide = np.where(array < 0, array, array * 2**59)
    assert np.array_equal(kept_rows(array, most=most), kept_rows(wide, most=most))
    times = np.arange(len(owners)) % 3
    known = np.ones(len(owners), dtype=np.bool_)
    near = owner_at_time(array, times, known)
    far = owner_at_time(wide, times * 2**60, known)
    assert np.array_equal(near[:, None] == near, far[:, None] == far)
    assert np.array_equal(near < 0, far < 0)


@pytest.mark.parametrize("most", [1, 2])
def test_each_owner_at_each_time(most: int) -> None:
    owners = np.array([0, 0, 0, 1, 1, -1])
    times = np.array([5, 5, 9, 5, 5, 5])
    pairs = owner_at_time(owners, times, np.array([True, True, True, True, False, True]))
    assert len(set(pairs[[0, 2, 3]].tolist())) == 3
    assert pairs[0] == pairs[1]
    assert (pairs[4:] < 0).all()
    assert kept_rows(pairs, most=most).sum() == (3 if most == 1 else 4)
