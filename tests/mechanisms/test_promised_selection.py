"""PromisedSelection: the contract for one group and for several, and one price for all of them."""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms import PartitionSelection, PromisedSelection, TwoRoundSelection
from privet.mechanisms.two_round_selection import STEPS
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.mechanisms.test_partition_selection import closed_form
from tests.mechanisms.test_two_round_selection import named

Weights = Callable[[Collection[Any]], dict[Any, int]]
USUAL = Guarantee(1, "1e-5")


def units(count: int) -> Weights:
    """So many units in one group, and in no other."""
    return lambda left_out: {(0, "a"): count * STEPS} if count and (0, "a") not in left_out else {}


def example(promise: Guarantee, groups: int, pair: tuple[int, int]) -> Example:
    mechanism = PromisedSelection(promise, groups_per_unit=groups)
    rounds = TwoRoundSelection.calibrated(
        epsilon=promise.epsilon, delta=promise.delta, sensitivity=Sensitivity(1, cells=groups)
    )

    def law(value: Weights, factor: float = 1.0) -> dict[int, float]:
        count = value(()).get((0, "a"), 0) // STEPS
        alone = closed_form(count, float(promise.epsilon), float(promise.delta))
        kept = factor * (alone if groups == 1 else named(rounds, count))
        return {1: kept, 0: 1 - kept}

    def draw(one: Weights, source: BitSource, runs: int) -> list[int]:
        weight = one(()).get((0, "a"), 0)
        copies = {(run, "a"): weight for run in range(runs)} if weight else {}
        outcomes = [0] * runs
        for run, _ in mechanism.sample(lambda out: {key: w for key, w in copies.items() if key not in out}, source):
            outcomes[run] = 1
        return outcomes

    return Example(
        mechanism=mechanism,
        pair=(units(pair[0]), units(pair[1])),
        law=law,
        wrong_law=lambda one: law(one, 0.7),
        sensitivity=Sensitivity(1, cells=groups),
        outcome=len,
        draw=draw,
        too_far=Sensitivity(1, cells=groups + 1),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(USUAL, 1, (12, 11)),
        example(Guarantee(8, "1e-5"), 1, (3, 2)),
        example(Guarantee(8, "1e-5"), 2, (4, 3)),
    ]


def test_the_price_is_one_for_every_limit_and_kept_by_both_rules() -> None:
    """Each rule by its own curve: what is charged is never below it."""
    charged = PromisedSelection(USUAL, groups_per_unit=1).loss
    rounds = TwoRoundSelection.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(1, cells=7)).loss
    counts = PartitionSelection(1, "1e-5").loss
    assert charged.neighbors == {Neighbors.ADD_REMOVE}
    assert charged.meets(USUAL)
    assert not charged.meets(Guarantee("0.999", "1e-5"))
    for groups in (2, 7, 300):
        assert PromisedSelection(USUAL, groups_per_unit=groups).loss == charged
    for own in (rounds, counts):
        assert all(charged.delta(epsilon) >= own.delta(epsilon) - 1e-15 for epsilon in (0.0, 0.3, 0.9, 1.0))


def test_units_in_several_groups_are_not_counted_one_by_one(source: BitSource) -> None:
    """A unit alone in 400 groups: by counts some would be named in most runs, with probability 400 δ; δ is for all.

    Named is something with probability δ = 1e-3 at most. In 4 runs of 400 groups that is 0.004; by counts 0.8. Of 40
    such runs 8 or more have a name with probability C(40, 8) 0.001^8 < 1e-15.
    """
    mechanism = PromisedSelection(Guarantee(1, "1e-3"), groups_per_unit=400)
    weight = TwoRoundSelection.weight(400)
    found = sum(
        bool(mechanism.sample(lambda out: {key: weight for key in range(400) if key not in out}, source))
        for _ in range(40)
    )
    assert found < 8


def test_parts_of_a_unit_name_nothing(source: BitSource) -> None:
    """With ten units a group is named for certain at this ε, with 9.99 as with nine, and 0.99 of one never."""
    mechanism = PromisedSelection(Guarantee(1, "0.5"), groups_per_unit=1)
    assert mechanism.sample(lambda _: {"a": 10 * STEPS}, source) == ("a",)
    for _ in range(60):  # with one unit: one half each time
        assert not mechanism.sample(lambda _: {"a": STEPS - 1}, source)


def test_it_says_what_it_keeps_and_refuses_what_it_cannot() -> None:
    assert "ε=1" in repr(PromisedSelection(USUAL, groups_per_unit=1))
    assert math.isclose(
        float(PromisedSelection.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(1, cells=3)).kept.delta),
        1e-5,
    )
    with pytest.raises(InvalidParameter):
        PromisedSelection(Guarantee(1), groups_per_unit=2)
    with pytest.raises(InvalidParameter):
        PromisedSelection(USUAL, groups_per_unit=0)
