"""PermuteAndFlip: the contract, its probabilities by enumeration, and its place above the exponential mechanism."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, ExponentialCurve, Guarantee, PermuteAndFlipCurve, PrivacyLoss
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.exact_sums import hockey_stick, joint

Scores = Sequence[float]


def law(scores: Scores, rate: float) -> dict[int, float]:
    """All orders, one by one."""
    chances = [math.exp(rate * (score - max(scores))) for score in scores]
    masses = dict.fromkeys(range(len(scores)), 0.0)
    for order in permutations(range(len(scores))):
        reached = 1 / math.factorial(len(scores))
        for index in order:
            masses[index] += reached * chances[index]
            reached *= 1 - chances[index]
    return masses


def example(mechanism: PermuteAndFlip, pair: tuple[Scores, Scores], *, tightness: float = 0.0) -> Example:
    sensitivity = mechanism.score_sensitivity
    rate = float(mechanism.epsilon) / (2 * float(sensitivity))
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda scores: law(scores, rate),
        wrong_law=lambda scores: law(scores, 1.3 * rate),
        sensitivity=Sensitivity(sensitivity, cells=len(pair[0])),
        draw=lambda scores, source, count: mechanism.many(scores, source, count).tolist(),
        tightness=tightness,
        too_far=Sensitivity(sensitivity * Fraction(1001, 1000)),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(PermuteAndFlip(score_sensitivity=1, epsilon=1), ([1, 0], [0, 1]), tightness=0.3),
        example(PermuteAndFlip(score_sensitivity=4, epsilon=3), ([3, 2, 3, 0], [-1, 6, -1, 4])),
        example(PermuteAndFlip(score_sensitivity="0.5", epsilon=1), ([0.5, 0.25, 1.0], [0.0, 0.75, 0.5])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[], [1.0, float("nan")], [1.0, float("-inf")], 3.0, [[1.0]], ["a"], None]


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=6))
def test_probabilities_are_those_of_all_orders(scores: list[float]) -> None:
    found = PermuteAndFlip(score_sensitivity=1, epsilon=1).probabilities(scores)
    assert found == pytest.approx(list(law(scores, 0.5).values()), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("size", [1, 2, 30, 500, 20_000])
def test_probabilities_of_many_candidates_add_up_to_one(size: int) -> None:
    mechanism = PermuteAndFlip(score_sensitivity=1, epsilon=1)
    for scores in (np.zeros(size), np.linspace(0, 30, size), -np.arange(size) % 7):
        shares = mechanism.probabilities(scores)
        assert abs(math.fsum(shares) - 1) < 1e-11
    assert mechanism.probabilities(np.zeros(size))[0] == pytest.approx(1 / size, rel=1e-11)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=40), st.floats(0.01, 10))
def test_every_regret_is_at_most_as_likely_as_with_the_exponential_mechanism(
    scores: list[float], epsilon: float
) -> None:
    order = np.argsort(scores)
    flip = PermuteAndFlip(score_sensitivity=1, epsilon=epsilon).probabilities(scores)
    exponential = Exponential(score_sensitivity=1, epsilon=epsilon).probabilities(scores)
    assert (np.cumsum(flip[order]) <= np.cumsum(exponential[order]) + 1e-12).all()
    assert flip @ np.array(scores) >= exponential @ np.array(scores) - 1e-9


@given(st.lists(st.tuples(st.floats(-20, 20), st.floats(-1, 1)), min_size=1, max_size=5))
def test_every_ratio_of_neighbors_is_at_most_e_to_the_epsilon(moves: list[tuple[float, float]]) -> None:
    mechanism = PermuteAndFlip(score_sensitivity=1, epsilon=2)
    one = mechanism.probabilities([score for score, _ in moves])
    other = mechanism.probabilities([score + move for score, move in moves])
    assert np.abs(np.log(one) - np.log(other)).max() <= 2 + 1e-9


def test_it_is_not_priced_as_the_exponential_mechanism() -> None:
    """Attack B6: D_2 of scores (0, 0) against (1, -1) is 1.377, above the 1.0 that ρ = ε²/8 allows."""
    mechanism = PermuteAndFlip(score_sensitivity=1, epsilon=2)
    one = law([0, 0], 1)
    other = law([1, -1], 1)
    truth = math.log(sum(one[i] ** 2 / other[i] for i in one))
    assert truth == pytest.approx(1.377, abs=5e-4)
    assert truth > 2 * 2**2 / 8
    assert truth > PrivacyLoss.of(ExponentialCurve(2)).renyi(2)
    assert truth <= mechanism.loss.renyi(2)
    assert mechanism.loss == PrivacyLoss.of(PermuteAndFlipCurve(2))


def worst_of(epsilon: float, *, runs: int = 1) -> dict[float, float]:
    """The largest hockey sticks of all moves of up to three scores by a sensitivity of 1, all orders enumerated."""
    found = dict.fromkeys((0.0, 0.4 * epsilon, 0.8 * epsilon), 0.0)
    pairs: list[tuple[Scores, Scores]] = [((gap, 0.0), (gap - 1, 1.0)) for gap in np.linspace(-3, 4, 29)]
    for row in product((0.0, 1.0, 2.5), repeat=3):
        pairs += [(row, tuple(np.add(row, move))) for move in product((-1, 0, 1), repeat=3)]
    for one, other in pairs:
        p, q = (list(law(scores, epsilon / 2).values()) for scores in (one, other))
        many = joint([(p, q)] * runs)
        for level in found:
            found[level] = max(found[level], hockey_stick(*many, level), hockey_stick(*many[::-1], level))
    return found


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
def test_it_costs_what_laplace_noise_costs_and_no_less(epsilon: float) -> None:
    """Never above the curve, and at it for two scores; the exponential mechanism's curve, the control, is broken."""
    mechanism = PermuteAndFlip(score_sensitivity=1, epsilon=epsilon)
    pure = PrivacyLoss.of(ApproximateCurve(epsilon))
    worst = worst_of(epsilon)
    for level, delta in worst.items():
        assert delta <= mechanism.loss.delta(level) < 0.97 * pure.delta(level)
        assert delta > 0.98 * mechanism.loss.delta(level)
    assert any(delta > PrivacyLoss.of(ExponentialCurve(epsilon)).delta(level) for level, delta in worst.items())


def test_three_choices_cost_no_more_than_three_laplace_releases() -> None:
    mechanism = PermuteAndFlip(score_sensitivity=1, epsilon=1)
    for level, delta in worst_of(1, runs=3).items():
        assert 0.9 * (mechanism.loss * 3).delta(level) < delta <= (mechanism.loss * 3).delta(level)
    assert (mechanism.loss * 100).epsilon(1e-6) < 0.9 * PrivacyLoss.of(ApproximateCurve(1), 100).epsilon(1e-6)


def test_extreme_scores_are_drawn(source: BitSource) -> None:
    mechanism = PermuteAndFlip(score_sensitivity=1, epsilon=1)
    assert set(mechanism.many([1e308, -1e308], source, 20).tolist()) == {0}
    assert set(mechanism.many(np.array([2**64 - 1, 0], dtype=np.uint64), source, 20).tolist()) == {0}
    assert set(mechanism.many(np.array([-(2**63), 2**63 - 1]), source, 20).tolist()) == {1}
    assert set(mechanism.many([5.0], source, 20).tolist()) == {0}


def test_calibration_is_exact_and_bad_parameters_are_refused() -> None:
    mechanism = PermuteAndFlip.calibrated(epsilon="0.1", sensitivity=Sensitivity("0.3", cells=7))
    assert mechanism.loss.meets(Guarantee("0.1"))
    assert not mechanism.loss.meets(Guarantee("0.0999999999"))
    with pytest.raises(InvalidParameter):
        PermuteAndFlip(score_sensitivity=0, epsilon=1)
    with pytest.raises(InvalidParameter):
        PermuteAndFlip(score_sensitivity=1, epsilon=-1)
