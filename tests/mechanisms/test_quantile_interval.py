"""QuantileInterval: the contract with both ends enumerated, and its confidence."""

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
from privet.mechanisms.quantile_interval import QuantileInterval
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.mechanisms.test_interval_quantile import scores

BASE = 100


def law(values: Sequence[float], mechanism: QuantileInterval, factor: float = 1) -> dict[int, float]:
    """Both ends drawn independently, then put in order."""
    rate = factor * float(mechanism.epsilon / 2 / (2 * mechanism.score_sensitivity))
    ends = []
    for offset in (-mechanism.reach, mechanism.reach):
        marks = scores(values, mechanism.quantile, mechanism.points, Fraction(offset))
        weights = [math.exp(rate * float(mark - max(marks))) for mark in marks]
        ends.append([weight / math.fsum(weights) for weight in weights])
    masses: dict[int, float] = defaultdict(float)
    for (one, p), (other, q) in itertools.product(enumerate(ends[0]), enumerate(ends[1])):
        masses[min(one, other) * BASE + max(one, other)] += p * q
    return masses


def example(epsilon: int, pair: tuple[Any, Any]) -> Example:
    mechanism = QuantileInterval(
        "0.5", bounds=(0, 1), score_sensitivity="0.5", epsilon=epsilon, confidence=0.5, points=6, on_points=True
    )
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda values: law(values, mechanism),
        wrong_law=lambda values: law(values, mechanism, 2),
        outcome=lambda answer: round(answer[0] * 6) * BASE + round(answer[1] * 6),
        sensitivity=Sensitivity("0.5"),
        too_far=Sensitivity("0.51"),
        trials=2_000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(4, ([0.1, 0.4, 0.4, 0.9], [0.1, 0.4, 0.4, 0.9, 1.0])),
        example(2, ([0.0, 0.2, 0.5, 0.5, 0.7], [0.0, 0.2, 0.5, 0.7])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [3.0, [[1.0]], ["a"], None]


def test_the_quantile_lies_between_more_often_than_promised(source: BitSource) -> None:
    """A heap of equal values is the hardest case; at 60 % confidence, 300 of 400 would miss with chance below 1e-6."""
    values = np.concatenate([np.linspace(0, 0.4, 300), np.full(100, 0.4), np.linspace(0.4, 1, 300)])
    mechanism = QuantileInterval("0.3", bounds=(-5, 5), score_sensitivity="0.7", epsilon=1, confidence=0.6)
    truth = float(np.quantile(values, 0.3))
    assert mechanism.reach < 300 * 0.7
    covered = sum(low <= truth <= high for low, high in (mechanism.sample(values, source) for _ in range(400)))
    assert covered >= 190  # Binomial(400, 0.6) falls below with probability below 1e-6
    assert (
        mechanism.reach
        < QuantileInterval("0.3", bounds=(-5, 5), score_sensitivity="0.7", epsilon=1, confidence=0.99).reach
    )


def test_it_is_as_it_was_typed() -> None:
    made = QuantileInterval("0.5", bounds=(0, 1), score_sensitivity="0.5", epsilon=1, confidence=0.9)
    words = "QuantileInterval(0.5, bounds=(0, 1), points=65536, score_sensitivity=0.5, epsilon=1, confidence=0.9)"
    assert repr(made) == words
    assert made.loss == PrivacyLoss.of(ExponentialCurve("0.5"), 2)
    with pytest.raises(InvalidParameter):
        QuantileInterval("0.5", bounds=(0, 1), score_sensitivity="0.5", epsilon=1, confidence=1)
