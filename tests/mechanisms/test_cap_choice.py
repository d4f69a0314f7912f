"""CapChoice: the contract, by other arithmetic; what scores move by; and how many have more than what was chosen."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import CapChoice
from privet.mechanisms.cap_choice import FINER, SLACK, caps_up_to
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.statistics import FALSE_ALARM

Above = Sequence[int]


def law(choice: CapChoice, above: Above, times: float = 1) -> dict[int, float]:
    """All orders, one by one, of scores that are worked out in real numbers."""
    rate = times * float(choice.epsilon / choice.units) / 2
    slack = SLACK * float(choice.units / choice.epsilon)
    losses = []
    for place, cap in enumerate(choice.caps):
        goal = _down(float(choice.rank) / (math.sqrt(cap) if choice.falling else 1) + slack)
        far = [0.0, above[place] - goal, *([goal - above[place - 1]] if place else [])]
        losses.append(max(far) + _down(slack * math.log(cap)))
    chances = [math.exp(rate * (min(losses) - each)) for each in losses]
    masses = dict.fromkeys(choice.caps, 0.0)
    for order in permutations(range(len(chances))):
        reached = 1 / math.factorial(len(chances))
        for place in order:
            masses[choice.caps[place]] += reached * chances[place]
            reached *= 1 - chances[place]
    return masses


def _down(number: float) -> float:
    return math.floor(number * FINER) / FINER


def example(choice: CapChoice, pair: tuple[Above, Above]) -> Example:
    return Example(
        mechanism=choice,
        pair=pair,
        law=lambda above: law(choice, above),
        wrong_law=lambda above: law(choice, above, 1.5),
        sensitivity=Sensitivity(choice.units, cells=len(choice.caps)),
        draw=lambda above, source, count: choice.many(above, source, count).tolist(),
        too_far=Sensitivity(choice.units + 1),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(CapChoice(1, 1, largest=4, rank=2), ([9, 7, 6, 0], [10, 8, 6, 0])),
        example(CapChoice(1, 3, largest=5, rank=3, falling=True), ([4, 3, 2, 2, 1], [5, 4, 3, 3, 2])),
        example(CapChoice(7, 2, largest=3, rank="0.5"), ([20, 13, 0], [27, 13, 7])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[], [1, 2], [1.5, 1.0, 0.0, 0.0], [[1, 1, 0, 0]], "abcd", None]


@given(
    st.lists(st.integers(0, 60), min_size=9, max_size=9),
    st.lists(st.integers(-1, 1), min_size=9, max_size=9),
    st.builds(CapChoice, st.just(1), st.just(1), largest=st.just(9), rank=st.floats(0, 40), falling=st.booleans()),
)
def test_no_score_moves_farther_than_a_number_does(above: list[int], moves: list[int], choice: CapChoice) -> None:
    other = [max(number + move, 0) for number, move in zip(above, moves, strict=True)]
    moved = [abs(a - b) for a, b in zip(choice.scores(above), choice.scores(other), strict=True)]
    assert max(moved) <= FINER
    assert choice.choice.score_sensitivity == FINER


@pytest.mark.parametrize("largest", [1, 2, 7, 30, 1000, 1 << 31])
def test_candidates_are_whole_and_close(largest: int) -> None:
    caps = caps_up_to(largest)
    assert caps[0] == 1
    assert caps[-1] == largest
    assert all(one < other <= max(one + 1, 1.25 * one) for one, other in pairwise(caps))


def test_so_many_have_more_at_most(source: BitSource) -> None:
    """400 choices on each of three populations; the control is that as many have more as were aimed at."""
    draw = np.random.default_rng(1)
    choice = CapChoice(1, Fraction("0.2"), largest=1 << 20, rank=30)
    for rows in (np.ceil(draw.pareto(1.2, 4000) + 1), np.full(4000, 40), np.where(draw.random(4000) < 0.02, 900, 2)):
        above = [int((rows > cap).sum()) for cap in choice.caps]
        known = dict(zip(choice.caps, above, strict=True))
        caps = choice.many(above, source, 400).tolist()
        kept = sum(known[cap] <= choice.units_above(cap, 0.9) for cap in caps)
        assert binom.cdf(kept, 400, 0.9) > FALSE_ALARM
    wrong = sum(known[cap] <= choice.goals[0] for cap in choice.many(above, source, 400).tolist())
    assert binom.cdf(wrong, 400, 0.9) < FALSE_ALARM


def test_what_cannot_be_is_refused() -> None:
    for wrong in ({"largest": 0}, {"largest": 1 << 32}, {"largest": 5, "rank": -1}):
        with pytest.raises(InvalidParameter):
            CapChoice(1, 1, **wrong)  # type: ignore[arg-type]
