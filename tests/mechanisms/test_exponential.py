"""Exponential: the contract, its probabilities, and what it is good for."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import ExponentialCurve, Guarantee, PrivacyLoss
from privet.mechanisms.additive import Numbers
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.noisy_max import NoisyMax
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.noise import BitSource, CategoricalLaw
from tests.contracts.mechanism import Example, MechanismContract, audited_epsilon

Scores = Sequence[float]


def law(scores: Scores, rate: float) -> dict[int, float]:
    """The definition, term by term."""
    weights = [math.exp(rate * (score - max(scores))) for score in scores]
    return {index: weight / math.fsum(weights) for index, weight in enumerate(weights)}


def example(mechanism: Exponential, pair: tuple[Scores, Scores], *, tightness: float = 0.0) -> Example:
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
        example(Exponential(score_sensitivity=1, epsilon=1), ([-1.24, 0.0], [-2.24, 1.0]), tightness=0.95),
        example(Exponential(score_sensitivity=4, epsilon=3), ([3, 2, 3, 0], [-1, 6, -1, 4])),
        example(Exponential(score_sensitivity="0.1", epsilon=2), ([0.0, 0.1, 0.2], [0.1, 0.0, 0.3])),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        [],
        [1.0, float("nan")],
        [1.0, float("-inf")],
        [1.0, float("inf")],
        3.0,
        [[1.0, 2.0]],
        ["a", "b"],
        None,
        [1 + 2j],
        [10**30],
        np.array([1.0], dtype=np.longdouble),
    ]


@pytest.mark.parametrize(
    ("sensitivity", "epsilon"), [(0, 1), (-1, 1), (1, 0), (1, -2), ("nan", 1), (1, "inf"), (None, 1), (1, "1e-80")]
)
def test_bad_parameters_are_refused(sensitivity: Any, epsilon: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        Exponential(score_sensitivity=sensitivity, epsilon=epsilon)


def test_calibration_is_exact_and_takes_the_largest_move_of_one_score() -> None:
    mechanism = Exponential.calibrated(epsilon="0.1", sensitivity=Sensitivity("0.3", cells=7))
    assert mechanism.score_sensitivity == Fraction(3, 10)
    assert mechanism.loss.meets(Guarantee("0.1"))
    assert not mechanism.loss.meets(Guarantee("0.0999999999"))
    assert mechanism.loss == PrivacyLoss.of(ExponentialCurve("0.1"))


@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=8))
def test_probabilities_are_a_law_whatever_the_scores(scores: list[float]) -> None:
    shares = Exponential(score_sensitivity=1, epsilon=1).probabilities(scores)
    assert abs(math.fsum(shares) - 1) < 1e-12
    assert shares[int(np.argmax(scores))] == shares.max()


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(-1, 1)), min_size=1, max_size=6),
    st.sampled_from(["0.1", "1", "5"]),
)
def test_every_ratio_of_neighbors_is_at_most_e_to_the_epsilon(moves: list[tuple[float, float]], epsilon: str) -> None:
    mechanism = Exponential(score_sensitivity=1, epsilon=epsilon)
    one = mechanism.probabilities([score for score, _ in moves])
    other = mechanism.probabilities([score + move for score, move in moves])
    losses = np.log(one) - np.log(other)
    assert np.abs(losses).max() <= float(epsilon) + 1e-9
    assert losses.max() - losses.min() <= float(epsilon) + 1e-9  # what the curve rests on


def test_scores_that_would_underflow_are_drawn(source: BitSource) -> None:
    scores = np.array([-8e5] * 4 + [0.0])
    assert set(Exponential(score_sensitivity=1, epsilon="0.3").many(scores, source, 100).tolist()) == {4}
    assert set(Exponential(1, 1).many(np.full(3, -1e300), source, 100).tolist()) == {0, 1, 2}


def test_ints_and_floats_have_one_law() -> None:
    """A score's type may depend on the data, so it must not change the noise."""
    mechanism = Exponential(score_sensitivity="0.1", epsilon=1)
    assert mechanism.rate < 5
    assert mechanism.rate * (1 + Fraction(1, 2**52)) == 5
    one = mechanism.probabilities([1, 2, 4])
    other = mechanism.probabilities([1.0, 2.0, 4.0])
    assert one.tolist() == other.tolist()
    assert mechanism.probabilities(np.array([True, False])).tolist() == mechanism.probabilities([1, 0]).tolist()
    wide = np.array([2**63 + 3, 2**63], dtype=np.uint64)
    assert mechanism.probabilities(wide).tolist() == mechanism.probabilities([3, 0]).tolist()


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_a_float_among_scores_rounds_no_whole_number(kind: Any, source: BitSource) -> None:  # noqa: ANN401 - a class
    """Whole numbers beyond 2^53 would all be one if a single score that is a float made floats of them."""
    top = 2**60
    for lowest in (0, 0.5, -(2**63)):
        scores = [top + 1, top + 101, lowest]
        assert set(kind(score_sensitivity=1, epsilon=9).many(scores, source, 50).tolist()) == {1}
        assert kind(score_sensitivity=1, epsilon=1).probabilities(scores)[0] < 1e-20
    row = [top + 1, top + 101, 0.5]
    assert set(NoisyMax(score_sensitivity=1, epsilon=9).many(row, source, 50).tolist()) == {1}
    noisy = np.asarray(Laplace(1, "0.01").sample([2**53 + 1, 0.5], source))
    assert abs(float(noisy[1]) - 0.5) < 1
    assert Laplace(1, 1).lattice.to_steps(np.array([2**60 + 1, 0.5], dtype=object)).tolist()[0] == (2**60 + 1) << 24
    with pytest.raises(InvalidParameter, match="64 bits"):
        kind(score_sensitivity=1, epsilon=1).check([10**30, 0.5])


def test_it_works_under_both_neighbor_relations() -> None:
    for neighbors in ("add_remove", "replace"):
        person = Unit("person", neighbors=neighbors)
        ledger = Ledger(Guarantee(1), unit=person)
        secret = Sensitive[Numbers]([3, 2, 3, 0], Sensitivity(4, cells=4), person)
        release = ledger.release(secret, Exponential(score_sensitivity=4, epsilon=1), purpose="a price")
        assert release.value in range(4)
        assert ledger.remaining.epsilon == 0


def test_the_regret_is_kept(source: BitSource) -> None:
    """n = 20,000: at most the stated share lies that far below the best, and more than a tenth of it does."""
    mechanism = Exponential(score_sensitivity=1, epsilon=2)
    scores = np.array([0.0] + [-mechanism.regret(50, tail=0.5)] * 49)
    missed = float((mechanism.many(scores, source, 20_000) != 0).mean())
    assert 0.05 < missed <= 0.51
    assert mechanism.regret(50, best=50, tail=0.5) < mechanism.regret(50, tail=0.5)


@pytest.mark.parametrize(("candidates", "best", "tail"), [(0, 1, 0.5), (3, 4, 0.5), (3, 1, 0), (3, 1, 1), (3, 0, 0.5)])
def test_bad_questions_about_regret_are_refused(candidates: int, best: int, tail: float) -> None:
    with pytest.raises(InvalidParameter):
        Exponential(1, 1).regret(candidates, best=best, tail=tail)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 50))
def test_influence_bounds_the_distance_from_a_blind_draw(scores: list[float], epsilon: float) -> None:
    mechanism = Exponential(score_sensitivity=1, epsilon=epsilon)
    shares = mechanism.probabilities(scores)
    distance = float(np.abs(shares - 1 / len(scores)).sum()) / 2
    assert distance <= mechanism.influence(spread=1) + 1e-12


def test_influence_is_reached() -> None:
    mechanism = Exponential(score_sensitivity=1, epsilon=4 * math.log(2))  # at r = 4 ln 2 a fifth of the best decide
    shares = mechanism.probabilities([2.0] + [0.0] * 4)
    assert float(shares[0]) - 0.2 == pytest.approx(mechanism.influence(spread=2), rel=1e-12)


def without_the_half(scores: Scores, source: BitSource, count: int) -> list[int]:
    return [int(index) for index in CategoricalLaw(scores, rate=1).many(source, count)]


def test_an_audit_sees_a_missing_half(source: BitSource) -> None:
    """Attack B4: without the factor 1/2 the true ε is nearly 2. n = 20,000."""
    mechanism = Exponential(score_sensitivity=1, epsilon=1)
    pair = ([0.0] * 10, [1.0] + [-1.0] * 9)
    right = example(mechanism, pair)
    wrong = Example(mechanism, pair, right.law, right.sensitivity, right.wrong_law, draw=without_the_half)
    assert audited_epsilon(right, source, 20_000) <= 1
    assert audited_epsilon(wrong, source, 20_000) > 1.2
