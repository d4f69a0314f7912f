"""GroupedChoice: the contract with a law enumerated place by place, and why several groups add up to ε."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.noise import BitSource
from privet.noise.for_tests import seeded_entropy_for_tests
from privet.noise.segments import SegmentLaw
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.statistics import assert_does_not_follow, assert_follows

Groups = Sequence[Mapping[int, int]]


def score(group: Mapping[int, int], place: int, fraction: Fraction, offset: int = 0, places: int = 0) -> Fraction:
    """The definition, from the sorted list of all weights: how many ranks a place is from the one aimed at."""
    ranks = [x for x, weight in group.items() for _ in range(weight)]
    aimed = fraction * len(ranks) + max(offset, 0)
    ranks += [0 if offset < 0 else places - 1] * abs(offset)
    below = sum(x < place for x in ranks)
    upto = sum(x <= place for x in ranks)
    return -max(below - aimed, aimed - upto, Fraction(0))


def law(mechanism: GroupedChoice, groups: Groups, *, wrong: float = 1.0) -> dict[int, float]:
    """All combinations of places, numbered: each group by the exponential mechanism, independently."""
    larger = max(mechanism.fraction, 1 - mechanism.fraction)
    rate = wrong * float(mechanism.epsilon / (2 * larger * mechanism.l1_sensitivity))
    each = []
    for group in groups:
        marks = [
            score(group, place, mechanism.fraction, mechanism.offset, mechanism.places)
            for place in range(mechanism.places)
        ]
        weights = [math.exp(rate * mark) for mark in marks]
        each.append([weight / math.fsum(weights) for weight in weights])
    return {index: math.prod(chances) for index, chances in enumerate(product(*each))}


def example(mechanism: GroupedChoice, pair: tuple[Groups, Groups]) -> Example:
    def outcome(places: Any) -> int:  # noqa: ANN401 - an array
        return sum(int(place) * mechanism.places**power for power, place in enumerate(reversed(places.tolist())))

    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda groups: law(mechanism, groups),
        wrong_law=lambda groups: dict(enumerate(reversed(law(mechanism, groups).values()))),
        sensitivity=Sensitivity(mechanism.l1_sensitivity),
        outcome=outcome,
        too_far=Sensitivity(mechanism.l1_sensitivity + 1),
        trials=5_000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(GroupedChoice(1, 2, fraction="1/2", places=4), ([{0: 3, 3: 1}], [{0: 4, 3: 1}])),
        example(GroupedChoice(2, 3, fraction="1/4", places=3), ([{0: 3, 2: 1}, {1: 1}], [{0: 2, 2: 1}, {1: 1, 2: 1}])),
        example(GroupedChoice(3, 4, fraction="9/10", places=4), ([{1: 4}], [{1: 4, 3: 3}])),
        example(GroupedChoice(1, 3, fraction="1/2", places=4, offset=2), ([{0: 3, 2: 2}], [{0: 3, 2: 2, 3: 1}])),
        example(GroupedChoice(1, 1, fraction="1/4", places=4, offset=-2), ([{1: 3, 2: 2}], [{1: 3, 2: 2, 0: 1}])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [None, 3, "ab", [3], [{0: -1}], [{4: 1}], [{-1: 1}], [{0: 0.5}], [{"a": 1}]]


@given(
    groups=st.lists(st.dictionaries(st.integers(0, 5), st.integers(1, 4), max_size=4), min_size=1, max_size=3),
    moves=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=3),
    fraction=st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 3), Fraction(1, 2), Fraction(1)]),
    offset=st.sampled_from([0, 0, -7, -1, 2, 30]),
)
def test_moves_in_several_groups_add_up_to_epsilon(
    groups: list[dict[int, int]], moves: list[tuple[int, int]], fraction: Fraction, offset: int
) -> None:
    """A unit with k rows anywhere: the loss of every outcome is at most ε, and all lie within a range of ε."""
    more = [dict(group) for group in groups]
    for which, place in moves:
        group = more[which % len(more)]
        group[place] = group.get(place, 0) + 1
    mechanism = GroupedChoice(len(moves), "0.8", fraction=fraction, places=6, offset=offset)
    first, second = law(mechanism, groups), law(mechanism, more)
    losses = [math.log(first[outcome] / second[outcome]) for outcome in first]
    assert max(map(abs, losses)) <= 0.8 + 1e-9
    assert max(losses) - min(losses) <= 0.8 + 1e-9


def test_the_range_is_reached_so_a_larger_rate_would_not_do() -> None:
    """The control: one row to the right of everything makes a low place worse and a high one better."""
    mechanism = GroupedChoice(1, 1, fraction="1/2", places=4)
    for wrong, fits in ((1.0, True), (1.1, False)):
        first = law(mechanism, [{1: 9}], wrong=wrong)
        second = law(mechanism, [{1: 9, 3: 1}], wrong=wrong)
        losses = [math.log(first[outcome] / second[outcome]) for outcome in first]
        assert (max(losses) - min(losses) <= 1 + 1e-9) is fits
        assert max(losses) - min(losses) >= 1 - 1e-9


@pytest.mark.parametrize(("offset", "end"), [(-5, 0), (5, 9)])
def test_an_offset_takes_few_rows_to_the_end_of_the_places(offset: int, end: int, source: BitSource) -> None:
    """Nearly always at ε = 20: the target lies beyond the one row, where only the weight that is thought there is."""
    mechanism = GroupedChoice(1, 20, fraction="1/2", places=10, offset=offset)
    assert set(mechanism.sample([{4: 1}, {}] * 20, source).tolist()) == {end}
    with pytest.raises(InvalidParameter, match="offset"):
        GroupedChoice(1, 1, fraction="1/2", places=10, offset="2")  # type: ignore[arg-type] # that is the mistake
    assert "offset=5" in repr(GroupedChoice(1, 1, fraction="1/2", places=10, offset=5))
    assert "offset" not in repr(GroupedChoice(1, 1, fraction="1/2", places=10)), "ledgers hold these words"


def test_moves_are_compared_in_sum_not_one_by_one() -> None:
    mechanism = GroupedChoice(1, 1, fraction="1/2", places=4)
    assert mechanism.covers(Sensitivity(1))
    assert not mechanism.covers(Sensitivity(1, cells=2))


def test_it_is_the_exponential_mechanisms_curve() -> None:
    assert GroupedChoice(5, "0.1", fraction="1/2", places=10).loss == PrivacyLoss.of(ExponentialCurve("0.1"))


def test_many_rows_give_the_quantile(source: BitSource) -> None:
    mechanism = GroupedChoice(1, 1, fraction="1/4", places=4096)
    uniform = dict.fromkeys(range(4096), 100)
    answers = mechanism.sample([uniform] * 20, source)
    assert np.abs(answers - 1024).max() * 100 <= mechanism.rank_margin(1 - 1e-7) + 200
    assert mechanism.sample([], source).size == 0


@pytest.mark.parametrize(("fraction", "places"), [(-1, 3), (2, 3), ("1/2", 0), ("1/2", 2**34)])
def test_bad_parameters_are_refused(fraction: Any, places: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        GroupedChoice(1, 1, fraction=fraction, places=places)


def test_segments_follow_their_law(source: BitSource) -> None:
    widths = [2, 0, 3, 1]
    scores = [-3, 50, 0, -1]
    rate = Fraction(1, 2)
    weights = [math.exp(float(rate) * each) for width, each in zip(widths, scores, strict=True) for _ in range(width)]
    pmf = {place: weight / math.fsum(weights) for place, weight in enumerate(weights)}
    draws = SegmentLaw(widths, scores, rate=rate).many(source, 20_000).tolist()
    assert_follows(draws, pmf)
    assert_does_not_follow(draws, dict(enumerate(np.roll(list(pmf.values()), 1).tolist())))


@pytest.mark.parametrize(
    ("widths", "scores", "rate"), [([], [], 1), ([0], [1], 1), ([-1, 2], [0, 0], 1), ([1], [1, 2], 1), ([1], [0], 0)]
)
def test_segments_that_are_none_are_refused(widths: list[int], scores: list[int], rate: int) -> None:
    with pytest.raises(InvalidParameter):
        SegmentLaw(widths, scores, rate=rate)


def test_segments_of_arrays_are_those_of_lists() -> None:
    widths, scores = [3, 0, 1, 5], [-4, 9, 0, -2]
    lists, arrays = (SegmentLaw(each(widths), each(scores), rate=Fraction(1, 3)) for each in (list, np.array))
    drawn = [law_.many(seeded_entropy_for_tests(5), 200).tolist() for law_ in (lists, arrays)]
    assert drawn[0] == drawn[1]
    with pytest.raises(InvalidParameter, match="widths"):
        SegmentLaw(np.array([2**33, 1]), np.array([0, 0]))


@pytest.mark.parametrize("weight", [2**40, 2**61, 10**30])
def test_weights_of_any_size_are_added_up_exactly(weight: int) -> None:
    """Just one place is a median: beside it, a thousand more lie on one side, far more than the noise."""
    mechanism = GroupedChoice(1, 100, fraction="1/2", places=50)
    group = {3: weight, 20: 1_000, 40: weight}
    assert mechanism.sample([group, {}], seeded_entropy_for_tests(2))[0] == 20


@pytest.mark.parametrize("group", [{}, {7: 0}, {7: 1}, {7: 2**62}])
def test_whether_anybody_is_in_a_group_decides_no_failure(group: dict[int, int]) -> None:
    """A fraction so fine that its parts fit no int64, as a small float has."""
    mechanism = GroupedChoice(1, 1, fraction=1e-10, places=50)
    assert 0 <= mechanism.sample([group], seeded_entropy_for_tests(1))[0] < 50
