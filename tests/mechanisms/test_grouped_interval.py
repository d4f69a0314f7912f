"""GroupedInterval: the contract with all three choices enumerated, and its confidence for whatever data there are."""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import pytest
from scipy.stats import binom

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.mechanisms.grouped_interval import SHARES, GroupedInterval
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.mechanisms.test_grouped_choice import score
from tests.support.statistics import FALSE_ALARM

Group = Mapping[int, int]
BASE = 10


def law(mechanism: GroupedInterval, group: Group, factor: float = 1) -> dict[int, float]:
    """Three choices drawn independently, the ends put in order, and the first held between them."""
    larger = max(mechanism.fraction, 1 - mechanism.fraction)
    each = []
    for share, offset in zip(SHARES, (0, -mechanism.reach, mechanism.reach), strict=True):
        rate = factor * float(mechanism.epsilon * share / (2 * larger * mechanism.l1_sensitivity))
        marks = [score(group, place, mechanism.fraction, offset, mechanism.places) for place in range(mechanism.places)]
        weights = [math.exp(rate * float(mark - max(marks))) for mark in marks]
        each.append([weight / math.fsum(weights) for weight in weights])
    masses: dict[int, float] = defaultdict(float)
    for places in itertools.product(range(mechanism.places), repeat=3):
        low, high = sorted(places[1:])
        chance = math.prod(chances[place] for chances, place in zip(each, places, strict=True))
        masses[_number(min(max(places[0], low), high), low, high)] += chance
    return masses


def _number(near: int, low: int, high: int) -> int:
    return (near * BASE + low) * BASE + high


def example(mechanism: GroupedInterval, pair: tuple[list[Group], list[Group]]) -> Example:
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda groups: law(mechanism, groups[0]),
        wrong_law=lambda groups: law(mechanism, groups[0], 2),
        outcome=lambda answer: _number(*map(int, answer[0])),
        sensitivity=Sensitivity(mechanism.l1_sensitivity),
        too_far=Sensitivity(mechanism.l1_sensitivity + 1),
        trials=4_000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(
            GroupedInterval(1, 4, fraction="1/2", places=4, confidence=0.5),
            ([{0: 3, 1: 2, 3: 4}], [{0: 4, 1: 2, 3: 4}]),
        ),
        example(GroupedInterval(2, 6, fraction="1/4", places=3, confidence=0.3, part=2), ([{1: 2}], [{1: 2, 2: 2}])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [None, 3, [3], [{0: -1}], [{4: 1}], [{0: 0.5}]]


LUMPS: Mapping[str, Group] = {
    "whole numbers": {place: place % 2 for place in range(101)},
    "two heaps": {**dict.fromkeys(range(5, 10), 80), **dict.fromkeys(range(90, 95), 81)},
    "one value": {37: 900},
    "one value at a bound": {100: 900},
    "all but one at a bound": {0: 899, 100: 1},
    "few rows": {20: 2, 21: 1, 60: 3},
    "one row": {50: 1},
    "no row": {},
}


def held(mechanism: GroupedInterval, group: Group, answers: Any) -> int:  # noqa: ANN401 - an array
    """How often all places that a quantile may be said to be at lie between the ends: from the order of all rows."""
    rows = sorted(place for place, weight in group.items() for _ in range(weight))
    if not rows:
        return len(answers)
    first, last = (math.floor(mechanism.fraction * (len(rows) - 1)), math.ceil(mechanism.fraction * (len(rows) - 1)))
    near = min(max(math.ceil(mechanism.fraction * len(rows)) - 1, 0), len(rows) - 1)
    low, high = rows[min(first, near)], rows[max(last, near)]
    return int(np.sum((answers[:, 1] <= low) & (high <= answers[:, 2])))


RUNS = 300
AT_LEAST = int(binom.ppf(FALSE_ALARM, RUNS, 0.9))  # of intervals at 90 %, but for one time in a million


@pytest.mark.parametrize("fraction", ["1/100", "1/2", "9/10"])
@pytest.mark.parametrize("name", LUMPS)
def test_the_quantile_lies_between_whatever_the_data(name: str, fraction: str, source: BitSource) -> None:
    """300 runs at 90 %; it is a bound, so that nearly all hold."""
    mechanism = GroupedInterval(1, 1, fraction=fraction, places=101, confidence=0.9)
    answers = mechanism.sample([LUMPS[name]] * RUNS, source)
    assert held(mechanism, LUMPS[name], answers) >= AT_LEAST
    assert (answers[:, 1] <= answers[:, 0]).all()
    assert (answers[:, 0] <= answers[:, 2]).all()


@pytest.mark.parametrize("name", ["whole numbers", "few rows"])
def test_control_ends_that_aim_at_the_quantile_itself_hold_too_seldom(name: str, source: BitSource) -> None:
    with patch.object(GroupedInterval, "reach", 0):
        mechanism = GroupedInterval(1, 1, fraction="1/2", places=101, confidence=0.9)
        assert held(mechanism, LUMPS[name], mechanism.sample([LUMPS[name]] * RUNS, source)) < AT_LEAST


def test_rows_that_weigh_a_part_are_told_by_their_weight(source: BitSource) -> None:
    """A row is 8 parts, and most rows weigh 1: the ends reach out by weight, so nothing else changes."""
    mechanism = GroupedInterval(8, 1, fraction="1/2", places=101, confidence=0.9, part=8)
    same = GroupedInterval(1, 1, fraction="1/2", places=101, confidence=0.9)
    assert mechanism.reach == pytest.approx(8 * same.reach, abs=8)
    group = {place: 24 * (100 - abs(50 - place)) // (1 + place % 8) for place in range(101)}
    assert held(mechanism, group, mechanism.sample([group] * RUNS, source)) >= AT_LEAST


def test_it_costs_what_its_three_choices_cost() -> None:
    mechanism = GroupedInterval(3, 1, fraction="1/2", places=9, confidence=0.95)
    assert mechanism.loss == PrivacyLoss.of(ExponentialCurve("1/5")) + PrivacyLoss.of(ExponentialCurve("2/5"), 2)
    assert sum(SHARES) == 1
    assert [choice.offset for choice in mechanism.choices] == [0, -mechanism.reach, mechanism.reach]
    assert mechanism.rank_margin(0.95) > mechanism.choices[0].rank_margin(0.95)
    assert not mechanism.covers(Sensitivity(3, cells=2))


def test_surer_ends_lie_farther_out_and_certainty_is_refused() -> None:
    sure, surer = (GroupedInterval(1, 1, fraction="1/2", places=9, confidence=each) for each in (0.9, 0.99))
    assert sure.reach < surer.reach
    with pytest.raises(InvalidParameter, match="confidence"):
        GroupedInterval(1, 1, fraction="1/2", places=9, confidence=1)
    assert (
        GroupedInterval.calibrated(
            epsilon=1, sensitivity=Sensitivity(1), fraction=Fraction(1, 2), places=9, confidence=0.9
        )
        == sure
    )
