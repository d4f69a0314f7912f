"""HalvingQuantiles: the contract with all splits enumerated, ties, and its price."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.mechanisms import halving_quantiles
from privet.mechanisms.halving_quantiles import HalvingQuantiles
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract

POINTS = 3
BASE = 10  # for outcomes: one digit a quantile


def one_law(positions: Sequence[int], low: int, high: int, quantile: Fraction, rate: float) -> dict[int, float]:
    target = quantile * len(positions)
    weights = {}
    for point in range(low, high + 1):
        below = sum(each < point for each in positions)
        upto = sum(each <= point for each in positions)
        weights[point] = math.exp(-rate * float(max(Fraction(0), below - target, target - upto)))
    total = math.fsum(weights.values())
    return {point: weight / total for point, weight in weights.items()}


def law(values: Sequence[float], mechanism: HalvingQuantiles, factor: float = 1) -> dict[int, float]:
    """Quartiles of values on three steps, by the definition; ties are told apart by one random bit."""
    masses: dict[int, float] = defaultdict(float)
    level = factor * float(mechanism.epsilon) / 2
    rate = level / (2 * mechanism.rows * 0.5)  # every one of the three is the median of its part
    top = 2 * POINTS + 1
    half = Fraction(1, 2)
    for bits in itertools.product([0, 1], repeat=len(values)):
        positions = [2 * round(value * POINTS) + bit for value, bit in zip(values, bits, strict=True)]
        for middle, p in one_law(positions, 0, top, half, rate).items():
            left = [x for x in positions if x <= middle]
            right = [x for x in positions if x > middle]
            lower = one_law(left, 0, middle, half, rate)
            upper = one_law(right, middle, top, half, rate)
            for (first, a), (last, b) in itertools.product(lower.items(), upper.items()):
                masses[(first // 2 * BASE + middle // 2) * BASE + last // 2] += p * a * b / 2 ** len(values)
    return masses


@pytest.fixture(autouse=True)
def one_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties told apart by one bit, so that all cases can be enumerated."""
    monkeypatch.setattr(halving_quantiles, "JITTER", 1)
    monkeypatch.setattr(
        halving_quantiles, "jitter", lambda source, count: (source.words(count) >> np.uint64(63)).astype(np.int64)
    )


def example(epsilon: int, rows: int, pair: tuple[Any, Any]) -> Example:
    mechanism = HalvingQuantiles(["1/4", "1/2", "3/4"], bounds=(0, 1), rows=rows, epsilon=epsilon, points=POINTS)
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda values: law(values, mechanism),
        wrong_law=lambda values: law(values, mechanism, 1.5),
        outcome=lambda answer: int(np.rint(np.asarray(answer) * POINTS) @ [BASE * BASE, BASE, 1]),
        sensitivity=Sensitivity(1, cells=rows),
        too_far=Sensitivity(1, cells=rows + 1),
        trials=2_000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(8, 1, ([0.0, 0.4, 0.4, 0.9], [0.0, 0.4, 0.4, 0.9, 1.0])),
        example(16, 2, ([0.0, 0.3, 0.7], [1.0, 0.3, 0.7])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [3.0, [[1.0]], ["a"], None]


def test_the_price_is_one_exponential_mechanism_a_level() -> None:
    nine = HalvingQuantiles([Fraction(k, 10) for k in range(1, 10)], bounds=(0, 1), rows=1, epsilon=4)
    assert nine.levels == 4
    assert nine.loss == PrivacyLoss.of(ExponentialCurve(1), 4)


def test_every_quantile_is_found_in_that_many_levels() -> None:
    """The halving as it runs: no quantile lies deeper than the price says."""

    def depth(first: int, after: int) -> int:
        middle = (first + after) // 2
        return 0 if first == after else 1 + max(depth(first, middle), depth(middle + 1, after))

    for number in range(1, 70):
        several = HalvingQuantiles([Fraction(k, 100) for k in range(1, number + 1)], bounds=(0, 1), rows=1, epsilon=1)
        assert depth(0, number) == several.levels


def test_answers_are_in_order_and_near(source: BitSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    values = np.linspace(0, 100, 20_001)
    wanted = [Fraction(k, 10) for k in range(11)]
    answers = HalvingQuantiles(wanted, bounds=(-50, 150), rows=1, epsilon=4).sample(values, source)
    assert (np.diff(answers) >= 0).all()
    assert np.abs(answers[1:-1] - np.arange(10, 100, 10)).max() < 2


def test_ties_do_not_pull_the_other_quantiles(source: BitSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty of a hundred values are zero: the median is, and the upper quartile is not moved to the 80th hundredth."""
    monkeypatch.undo()
    values = np.concatenate([np.zeros(60_000), np.linspace(0, 1, 40_000)])
    answers = HalvingQuantiles(["0.25", "0.5", "0.75"], bounds=(0, 1), rows=1, epsilon=4).sample(values, source)
    assert answers[:2].tolist() == [0, 0]
    assert answers[2] == pytest.approx(0.375, abs=0.01)


def test_jitter_is_uniform(source: BitSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    bits = halving_quantiles.jitter(source, 40_001)
    assert len(bits) == 40_001
    assert 0 <= bits.min() < 50
    assert 2**16 - 50 < bits.max() < 2**16
    assert abs(bits.mean() - 2**15) < 5 * 2**16 / math.sqrt(12 * 40_001)


@pytest.mark.parametrize("quantiles", [[], [0.5, 0.5], [0.7, 0.3], [-0.1], [1.1], "0.5", 0.5, [math.nan]], ids=str)
def test_bad_quantiles_are_refused(quantiles: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        HalvingQuantiles(quantiles, bounds=(0, 1), rows=1, epsilon=1)
    with pytest.raises(InvalidParameter):
        HalvingQuantiles([0.5], bounds=(0, 1), rows=0, epsilon=1)
    with pytest.raises(InvalidParameter):
        HalvingQuantiles([0.5], bounds=(0, 1), rows=1, epsilon=1, points=1 << 50)
