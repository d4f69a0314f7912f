"""PartitionCounts: the contract against the truncated geometric law, and how it stands to PartitionSelection."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, Guarantee, PrivacyLoss
from privet.mechanisms.partition_counts import PartitionCounts
from privet.mechanisms.partition_selection import PartitionSelection
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.statistics import assert_does_not_follow, assert_follows


def law(count: int, epsilon: float, bound: int) -> dict[int, float]:
    """Pr[count + x] ∝ e^(-ε|x|) for |x| <= bound; what does not exceed the bound is told as 0."""
    weights = {count + x: math.exp(-epsilon * abs(x)) for x in range(-bound, bound + 1)}
    total = math.fsum(weights.values())
    told = {number: weight / total for number, weight in weights.items() if number > bound}
    return {**told, 0: max(0.0, 1 - math.fsum(told.values()))}


def example(mechanism: PartitionCounts, count: int, bound: int) -> Example:
    epsilon = float(mechanism.epsilon)
    return Example(
        mechanism=mechanism,
        pair=([count], [count + 1]),
        law=lambda counts: law(counts[0], epsilon, bound),
        wrong_law=lambda counts: law(counts[0], 1.3 * epsilon, bound),
        sensitivity=Sensitivity(1),
        outcome=lambda told: int(told[0]),
        draw=lambda counts, source, count: np.asarray(mechanism.sample(counts * count, source)).tolist(),
        tightness=0.5,
        too_far=Sensitivity(1, cells=2),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(PartitionCounts(epsilon=1, delta="9e-6"), 13, 11),
        example(PartitionCounts(epsilon=1, delta="9e-6"), 30, 11),
        example(PartitionCounts(epsilon="0.3", delta="1e-6"), 42, 40),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[], [1.5], [-1], 3, [[1]], ["a"], None, {"a": -1}, {"a": 1.5}]


def test_one_unit_is_named_as_seldom_as_its_noise_reaches_the_bound(source: BitSource) -> None:
    """Where that is not rare: 20,000 groups of one unit, of which 2.4 % are told, and 3.6 % if noise were cut off."""
    mechanism = PartitionCounts(epsilon=1, delta="0.05")
    told = np.asarray(mechanism.sample([1] * 20_000, source)).tolist()
    assert mechanism.largest_error == 3
    assert_follows(told, law(1, 1.0, 3))
    cut = math.exp(-3) / (1 + math.exp(-1))
    assert_does_not_follow(told, {4: cut, 0: 1 - cut})


@settings(max_examples=60)
@given(st.fractions("1/20", 5, max_denominator=40), st.integers(1, 12))
def test_the_bound_is_the_least_that_keeps_delta(epsilon: Fraction, digits: int) -> None:
    mechanism = PartitionCounts(epsilon=epsilon, delta=Fraction(1, 10**digits))

    def edge(bound: int) -> float:
        return law(3 * bound, float(epsilon), bound)[4 * bound]

    assert edge(mechanism.largest_error) <= 10.0**-digits * (1 + 1e-12)
    if mechanism.largest_error > 1:
        assert edge(mechanism.largest_error - 1) > 10.0**-digits * (1 - 1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-5"), ("0.3", "1e-6"), ("2", "1e-8")])
def test_it_names_as_many_as_the_best_selection_can_up_to_one_more_unit(epsilon: str, delta: str) -> None:
    mechanism, best = PartitionCounts(epsilon, delta), PartitionSelection(epsilon, delta)
    for count in range(1, 3 * mechanism.largest_error):
        kept = 1 - law(count, float(epsilon), mechanism.largest_error)[0]
        assert float(best.probability(count - 1)) - 1e-9 <= kept <= float(best.probability(count)) + 1e-9


@pytest.mark.parametrize("delta", ["0.1", "0.01", "1e-5"])
def test_the_error_is_bounded_and_the_unnamed_stay_unnamed(delta: str, source: BitSource) -> None:
    """n = 50,000: at the first two δ a bound that is off by one would show hundreds of times."""
    mechanism = PartitionCounts(epsilon=1, delta=delta)
    told = np.asarray(mechanism.sample(np.full(50_000, 100), source))
    assert np.abs(told - 100).max() <= mechanism.largest_error
    assert not np.asarray(mechanism.sample(np.zeros(50_000, dtype=np.int64), source)).any()


def test_a_mapping_tells_what_was_kept_and_nothing_else(source: BitSource) -> None:
    mechanism = PartitionCounts(epsilon=1, delta="1e-9")
    told = mechanism.sample({"rome": 5000, "none": 0, "bern": 300}, source)
    assert isinstance(told, dict)
    assert list(told) == ["bern", "rome"]
    assert abs(told["bern"] - 300) <= mechanism.largest_error
    assert mechanism.sample({}, source) == {}


def test_price_and_calibration_are_those_of_the_selection() -> None:
    made = PartitionCounts.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(1, cells=2))
    assert made.promise == Guarantee(1, "1e-6")
    assert made.loss == PrivacyLoss.of(ApproximateCurve(made.epsilon, made.delta), 2)
    assert not made.covers(Sensitivity(1, cells=3))
    with pytest.raises(InvalidParameter):
        PartitionCounts(epsilon=0, delta="1e-6")
    with pytest.raises(InvalidParameter):
        PartitionCounts(epsilon="1e-30", delta="1e-6")


def test_counts_beyond_int64_are_told_as_very_large(source: BitSource) -> None:
    told = np.asarray(PartitionCounts(epsilon=1, delta="1e-5").sample(np.array([2**64 - 1], dtype=np.uint64), source))
    assert told[0] > 2**61
