"""RankLaw: every slot, the law, and that the shortcut never changes it."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.noise import BitSource
from privet.noise.rank import RankLaw
from tests.support.statistics import assert_does_not_follow, assert_follows


def distance(values: list[int], number: int, target: Fraction) -> Fraction:
    """The definition, counting one by one; a target outside the ranks is the nearest end."""
    aimed = min(max(target, Fraction(0)), Fraction(len(values)))
    below = sum(each < number for each in values)
    upto = sum(each <= number for each in values)
    return max(Fraction(0), below - aimed, aimed - upto)


def law(values: list[int], top: int, target: Fraction, rate: float) -> dict[int, float]:
    weights = [math.exp(-rate * float(distance(values, number, target))) for number in range(top + 1)]
    return {number: weight / math.fsum(weights) for number, weight in enumerate(weights)}


COLUMNS = [([2, 5, 5, 5, 9], Fraction(5, 2), 0.7), ([0] * 9 + [10] * 3, Fraction(10), 0.4), ([], Fraction(0), 1.0)]


@pytest.mark.parametrize(("values", "target", "rate"), COLUMNS, ids=str)
def test_draws_follow_the_definition(values: list[int], target: Fraction, rate: float, source: BitSource) -> None:
    """n = 20,000, chi-square; the control has a rate 40 % off."""
    made = RankLaw(np.array(values, dtype=np.int64), top=10, target=target, rate=rate)
    draws = Counter(made.many(source, 20_000).tolist())
    assert_follows(draws, law(values, 10, target, rate))
    if values:
        assert_does_not_follow(draws, law(values, 10, target, 1.4 * rate))


@given(
    st.lists(st.integers(0, 6), max_size=12),
    st.fractions(-3, 15),
    st.sampled_from(["1/7", "1", "5", "1000", "1/100000"]),
)
def test_every_number_owns_the_slots_of_its_level(values: list[int], target: Fraction, rate: str) -> None:
    """No randomness: the share of slots times the chance of being kept is the weight, for every number."""
    made = RankLaw(np.array(values, dtype=np.int64), top=6, target=target, rate=Fraction(rate))
    start = 0
    seen = Counter[int]()
    for level, owned in enumerate(made._owned):
        width = 1 << (made._last - level)
        for slot in range(start, start + owned, width):
            found, number = made.propose(slot)
            assert (found, number) == made.propose(slot + width - 1)
            assert found == level
            seen[number] += 1
            assert made.distance(number) == distance(values, number, target)
            assert float(Fraction(rate) * made.distance(number)) >= level * math.log(2)
        start += owned
    assert seen == dict.fromkeys(range(7), 1)
    with pytest.raises(InvalidParameter):
        made.propose(start)


@given(st.integers(0, 3000), st.integers(1, 40), st.integers(0, 2**20))
def test_the_window_ranks_like_all_values(target: int, rate: int, number: int) -> None:
    """Three thousand values with ties, of which a window is put in order; ranks are right inside and outside."""
    values = (np.arange(3000) * 7919 % 1000) * 1000
    made = RankLaw(values, top=2**20, target=target, rate=rate)
    assert len(made._window) < 1500
    for each in (number, int(made._window[0]), int(made._window[-1])):
        below = int((values < each).sum())
        upto = int((values <= each).sum())
        assert made.distance(each) == max(0, below - target, target - upto)


def test_the_last_level_is_hardly_ever_proposed_and_then_counted_fully() -> None:
    values = np.arange(10_000)
    made = RankLaw(values, top=2**20, target=5000, rate=1)
    total = sum(made._owned)
    assert Fraction(made._owned[-1], total) < Fraction(1, 2**32)
    level, number = made.propose(total - 1)
    assert (level, number) == (made._last, 2**20)
    assert made.distance(number) == 5000


def test_values_in_order_are_taken_as_they_are() -> None:
    values = np.sort(np.arange(3000) * 7919 % 1000 * 1000)
    one, other = (RankLaw(values, top=2**20, target=700, rate=3, ordered=ordered) for ordered in (False, True))
    assert one._owned == other._owned
    assert one._window.tolist() == other._window.tolist()


def test_values_are_placed_by_a_monotone_function(source: BitSource) -> None:
    tenths = RankLaw(
        np.array([0.11, 0.52, 0.93]),
        top=10,
        target=2,
        rate=100,
        place=lambda some: np.rint(some * 10).astype(np.int64),
    )
    assert set(tenths.many(source, 50).tolist()) <= {5, 6, 7, 8, 9}


@pytest.mark.parametrize(("top", "rate"), [(0, 1), (1 << 62, 1), (3, 0), (3, -1), (3, Fraction(1, 1 << 300))])
def test_bad_parameters_are_refused(top: int, rate: Fraction) -> None:
    with pytest.raises(InvalidParameter):
        RankLaw(np.arange(3), top=top, target=1, rate=rate)


def test_its_repr_shows_no_value() -> None:
    assert repr(RankLaw(np.array([7]), top=9, target=1, rate=1)) == "RankLaw(1 values, top=9, rate=1)"
