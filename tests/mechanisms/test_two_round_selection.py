"""TwoRoundSelection: the contract against integrals, what one unit can bring about, and how many groups are named."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms import PartitionSelection, TwoRoundSelection
from privet.mechanisms.two_round_selection import FIRST, STEPS
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract

SHARE = float(FIRST)


def weights_of(units: Mapping[int, Sequence[str]], most: int) -> Callable[[Collection[str]], dict[str, int]]:
    """What units give to groups, each to those of its first groups that are not left out."""

    def weights(left_out: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for groups in units.values():
            mine = [group for group in groups[:most] if group not in left_out]
            for group in mine:
                found[group] = found.get(group, 0) + TwoRoundSelection.weight(len(mine))
        return found

    return weights


def named(mechanism: TwoRoundSelection, weight: float) -> float:
    """How likely a group is named whose units are in no other: the first round, or both together, by integration."""
    mu = float(mechanism.mu)
    first, second = 1 / (mu * math.sqrt(SHARE)), 1 / (mu * math.sqrt(1 - SHARE))
    if not weight:
        return 0.0

    def later(seen: float) -> float:
        missing = (mechanism.threshold - SHARE * seen) / (1 - SHARE) - weight
        return float(norm.pdf(seen, weight, first) * norm.sf(missing / second))

    middle = quad(later, first, mechanism.first_threshold, epsabs=1e-13, limit=200)[0]
    return float(norm.sf((mechanism.first_threshold - weight) / first) + middle)


def example(mechanism: TwoRoundSelection, units: tuple[int, int]) -> Example:
    def law(value: Any, factor: float = 1.0) -> dict[int, float]:  # noqa: ANN401 - a function of weights
        kept = named(mechanism, value(()).get((0, "a"), 0) / STEPS) * factor
        return {1: kept, 0: 1 - kept}

    def value(count: int) -> Callable[[Collection[Any]], dict[Any, int]]:
        return lambda left_out: {(0, "a"): count * STEPS} if count and (0, "a") not in left_out else {}

    def draw(one: Any, source: BitSource, runs: int) -> list[int]:  # noqa: ANN401 - the same
        """Many copies of the group: they are drawn independently."""
        weight = one(()).get((0, "a"), 0)
        copies = {(run, "a"): weight for run in range(runs)} if weight else {}
        kept = mechanism.sample(lambda out: {key: w for key, w in copies.items() if key not in out}, source)
        outcomes = [0] * runs
        for run, _ in kept:
            outcomes[run] = 1
        return outcomes

    return Example(
        mechanism=mechanism,
        pair=(value(units[0]), value(units[1])),
        law=law,
        wrong_law=lambda one: law(one, 0.7),
        sensitivity=Sensitivity(1, cells=mechanism.groups_per_unit),
        outcome=len,
        draw=draw,
        too_far=Sensitivity(1, cells=mechanism.groups_per_unit + 1),
    )


LOUD = TwoRoundSelection.calibrated(epsilon=8, delta="1e-5", sensitivity=Sensitivity(1, cells=2))
USUAL = TwoRoundSelection.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(1, cells=10))


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [example(LOUD, (5, 4)), example(LOUD, (4, 3)), example(USUAL, (20, 19))]


def test_a_unit_in_many_groups_gives_them_at_most_one_in_all() -> None:
    for groups in (1, 2, 3, 7, 100, 65_536):
        weight = TwoRoundSelection.weight(groups)
        assert groups * weight**2 <= STEPS**2
        assert weight + 1 > STEPS / math.sqrt(groups) * (1 - 1e-9)


def brought_about(mechanism: TwoRoundSelection, groups: int, others: int) -> float:
    """How likely one of a unit's own groups is named, it being alone in so many: both rounds exactly.

    It is in others that are not its own, too, all of which are left out after the first round.

    A sum over how many remain, of integrals over the first round's noise: other means than the mechanism's bound.
    """
    mu = float(mechanism.mu)
    first, second = 1 / (mu * math.sqrt(SHARE)), 1 / (mu * math.sqrt(1 - SHARE))
    weight = 1 / math.sqrt(groups + others)
    sure = float(norm.sf((mechanism.first_threshold - weight) / first))
    remain = float(norm.sf((first - weight) / first)) - sure
    at_once = -math.expm1(groups * math.log1p(-sure))
    later = 0.0
    for left in range(1, groups + 1):
        again = 1 / math.sqrt(left)

        def unnamed(seen: float, again: float = again) -> float:
            missing = (mechanism.threshold - SHARE * seen) / (1 - SHARE) - again
            return float(norm.pdf(seen, weight, first) * norm.sf(missing / second))

        each = quad(unnamed, first, mechanism.first_threshold, epsabs=1e-16, limit=200)[0] / remain
        later += binom.pmf(left, groups, remain) * -math.expm1(left * math.log1p(-each))
    return at_once + later


@pytest.mark.parametrize("cells", [1, 2, 5, 12])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-5"), ("3", "0.01"), ("0.2", "1e-9")])
def test_what_only_one_unit_is_in_is_named_no_more_often_than_declared(cells: int, epsilon: str, delta: str) -> None:
    mechanism = TwoRoundSelection.calibrated(epsilon=epsilon, delta=delta, sensitivity=Sensitivity(1, cells=cells))
    sizes = [
        (groups, others) for groups in range(1, cells + 1) for others in {0, (cells - groups) // 2, cells - groups}
    ]
    worst = max(brought_about(mechanism, *each) for each in sizes)
    assert 0.3 * mechanism.delta < worst <= mechanism.delta


def test_places_of_groups_that_are_left_out_are_not_filled_with_others(source: BitSource) -> None:
    """Else one unit that was at "last" in the first round keeps the crowd from it, which turns to it in the second."""
    crowd = {"first": 2_000 * STEPS}

    def weights(left_out: Collection[str]) -> dict[str, int]:
        return {"last": 2_000 * STEPS} if "first" in left_out else crowd

    with pytest.raises(InvalidParameter, match="must not count groups in the second round"):
        USUAL.sample(weights, source)


def test_named_groups_and_hopeless_ones_are_left_out_of_the_second_round(source: BitSource) -> None:
    asked: list[set[str]] = []

    def weights(left_out: Collection[str]) -> dict[str, int]:
        asked.append(set(left_out))
        return {"large": 10_000 * STEPS, "small": 1, "middle": 20 * STEPS} if not left_out else {"middle": 30 * STEPS}

    found = {name for _ in range(40) for name in USUAL.sample(weights, source)}
    assert found == {"large", "middle"}
    assert asked[0] == set()
    assert all("large" in left_out for left_out in asked[1::2])
    assert any("small" in left_out for left_out in asked[1::2])


def test_what_is_left_out_is_not_named_again_and_what_weighs_nothing_never(source: BitSource) -> None:
    assert USUAL.sample(lambda _: {"b": 10_000 * STEPS, "a": 10_000 * STEPS, "no": 0, "neither": -5}, source) == (
        "a",
        "b",
    )
    assert USUAL.sample(lambda _: {}, source) == ()


def test_more_groups_are_named_than_by_equal_shares(source: BitSource) -> None:
    """2,000 units in ten of 400 groups, small numbers the likelier: two rounds name more than twice as many."""
    chances = 1 / np.arange(1, 401)
    places = np.cumsum(chances / chances.sum())
    uniform = (np.asarray(source.words(20_000) >> np.uint64(12), dtype=np.float64) * 2.0**-52).reshape(2_000, 10)
    units = {unit: [f"{place}" for place in set(np.searchsorted(places, row))] for unit, row in enumerate(uniform)}
    counts: dict[str, int] = {}
    for groups in units.values():
        for group in groups:
            counts[group] = counts.get(group, 0) + 1
    sensitivity = Sensitivity(1, cells=10)
    equal = PartitionSelection.calibrated(epsilon=1, delta="1e-5", sensitivity=sensitivity)
    one, two = len(equal.sample(counts, source)), len(USUAL.sample(weights_of(units, 10), source))
    assert two > 2 * one > 0


def test_it_holds_for_one_unit_more_or_less_alone() -> None:
    assert USUAL.loss.neighbors == {Neighbors.ADD_REMOVE}
    assert USUAL.loss.meets(Guarantee(1, "1e-5"))
    assert not USUAL.loss.meets(Guarantee("0.97", "1e-5"))
    replace = Unit("person", Neighbors.REPLACE)
    with pytest.raises(InvalidParameter, match="holds only for"):
        Ledger(Guarantee(5, "0.1"), unit=replace).release(
            Sensitive(lambda _: {}, Sensitivity(1, cells=10), replace), USUAL, purpose="groups"
        )


@pytest.mark.parametrize(
    "wrong", [{"mu": 0}, {"delta": 0}, {"delta": 1}, {"groups_per_unit": 0}, {"groups_per_unit": 70_000}]
)
def test_what_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        TwoRoundSelection(**{"mu": Fraction(1, 4), "delta": "1e-6", "groups_per_unit": 10, **wrong})
