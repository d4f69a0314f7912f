"""TopChoices: the contract with all orders enumerated, and what a common shift of the scores is worth."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, PrivacyLoss
from privet.mechanisms.top_choices import TopChoices
from tests.contracts.mechanism import Example, MechanismContract

BASE = 10


def law(scores: Sequence[float], choices: int, rate: float) -> dict[int, float]:
    """Every order of so many candidates, one choice after the other."""
    masses = {}
    for order in itertools.permutations(range(len(scores)), choices):
        mass = 1.0
        left = set(range(len(scores)))
        for index in order:
            top = max(scores[each] for each in left)
            mass *= math.exp(rate * (scores[index] - top))
            mass /= math.fsum(math.exp(rate * (scores[each] - top)) for each in left)
            left.remove(index)
        masses[outcome(order)] = mass
    return masses


def outcome(order: Sequence[int]) -> int:
    return sum(int(index) * BASE**place for place, index in enumerate(order))


def example(mechanism: TopChoices, pair: tuple[Any, Any], *, tightness: float = 0.0) -> Example:
    rate = float(mechanism.epsilon) / mechanism.choices / (2 * float(mechanism.score_sensitivity))
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda scores: law(scores, mechanism.choices, rate),
        wrong_law=lambda scores: law(scores, mechanism.choices, 1.4 * rate),
        outcome=outcome,
        sensitivity=Sensitivity(mechanism.score_sensitivity, cells=4),
        tightness=tightness,
        too_far=Sensitivity(mechanism.score_sensitivity * Fraction(1001, 1000)),
        trials=2_000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(TopChoices(2, score_sensitivity="0.5", epsilon=2), ([5, 4, 2, 1], [5, 4, 3, 1])),  # one row more
        example(TopChoices(1, score_sensitivity=1, epsilon=1), ([-1.24, 0.0], [-2.24, 1.0]), tightness=0.95),
        example(TopChoices(3, score_sensitivity=1, epsilon=6), ([5, 4, 2, 1], [5, 3, 2, 2])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[], [1.0], [1.0, float("nan"), 2.0], 3.0, ["a", "b"], None]


def test_the_price_is_shared_by_the_choices() -> None:
    assert TopChoices(5, score_sensitivity=1, epsilon=1).loss == PrivacyLoss.of(ExponentialCurve("0.2"), 5)


def test_choices_differ(source: Any) -> None:  # noqa: ANN401 - a bit source
    chosen = TopChoices(4, score_sensitivity=1, epsilon=1).sample([1, 2, 3, 4], source)
    assert sorted(chosen.tolist()) == [0, 1, 2, 3]
    best = TopChoices(2, score_sensitivity=1, epsilon=10_000).sample(np.array([1.0, 90.0, 3.0, 50.0]), source)
    assert best.tolist() == [1, 3]


@pytest.mark.parametrize("change", [{"choices": 0}, {"epsilon": 0}, {"score_sensitivity": 0}, {"epsilon": "1e-90"}])
def test_bad_parameters_are_refused(change: dict[str, Any]) -> None:
    fine: dict[str, Any] = {"choices": 2, "score_sensitivity": 1, "epsilon": 1}
    with pytest.raises(InvalidParameter):
        TopChoices(**(fine | change))
