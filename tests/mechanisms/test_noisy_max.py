"""NoisyMax: the contract on a fine and on a coarse lattice, ties, and why the value stays inside."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, DiscreteLaplaceCurve, ExponentialCurve, Guarantee, PrivacyLoss
from privet.mechanisms.additive import BINARY
from privet.mechanisms.noisy_max import NoisyMax
from privet.noise import BitSource, LaplaceLaw
from tests.contracts.mechanism import Example, MechanismContract, audited_epsilon
from tests.support.exact_sums import hockey_stick

Scores = Sequence[float]


def laplace_cdf(x: NDArray[np.float64]) -> Any:  # noqa: ANN401 - a float64 array
    return np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)


def continuous_law(scores: Scores, scale: float) -> dict[int, float]:
    """Pr[i] is the integral of its density times the others' distribution functions, panel by panel between kinks."""
    ends = sorted({*(float(s) for s in scores), min(scores) - 45 * scale, max(scores) + 45 * scale})
    edges = np.unique(np.concatenate([np.linspace(a, b, 60) for a, b in pairwise(ends)]))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2
    x = (edges[:-1, None] + half * (1 + nodes)).ravel()
    w = (half * weights).ravel()
    below = [laplace_cdf((x - score) / scale) for score in scores]
    return {
        i: float(
            (
                w * np.exp(-np.abs(x - score) / scale) / (2 * scale) * math.prod(below[:i]) * math.prod(below[i + 1 :])
            ).sum()
        )
        for i, score in enumerate(scores)
    }


def discrete_law(scores: Sequence[int], scale: float) -> dict[int, float]:
    """All noisy scores on the whole numbers, ties shared evenly; three candidates."""
    reach = range(-60 * math.ceil(scale), 60 * math.ceil(scale))
    ratio = math.exp(-1 / scale)
    mass = np.array([ratio ** abs(k) * (1 - ratio) / (1 + ratio) for k in reach])
    masses = dict.fromkeys(range(len(scores)), 0.0)
    top, low = max(scores), min(scores)
    size = len(mass) + top - low
    pmf = [np.concatenate([np.zeros(s - low), mass, np.zeros(size - len(mass) - (s - low))]) for s in scores]
    less = [np.concatenate([[0.0], np.cumsum(p)[:-1]]) for p in pmf]
    for tied in product([False, True], repeat=len(scores)):
        if any(tied):
            chance = np.prod([p if t else c for p, c, t in zip(pmf, less, tied, strict=True)], axis=0).sum()
            for i in np.flatnonzero(tied).tolist():
                masses[i] += float(chance) / sum(tied)
    return masses


class CoarseNoisyMax(NoisyMax):
    """Steps as large as the sensitivity, so that rounding and ties can be seen."""

    finer: ClassVar[int] = 0


def example(
    mechanism: NoisyMax, pair: tuple[Scores, Scores], law: Callable[[Any, float], dict[int, float]], scale: float
) -> Example:
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda scores: law(scores, scale),
        wrong_law=lambda scores: law(scores, scale / 1.3),
        sensitivity=Sensitivity(mechanism.score_sensitivity, cells=len(pair[0])),
        draw=lambda scores, source, count: mechanism.many(scores, source, count).tolist(),
        too_far=Sensitivity(mechanism.score_sensitivity * Fraction(1001, 1000)),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(NoisyMax(score_sensitivity=1, epsilon=1), ([4, 0, 0, 0], [3, 1, 1, 1]), continuous_law, 2.0),
        example(
            NoisyMax(score_sensitivity="0.25", epsilon=2), ([0.5, 0.0, 0.25], [0.25, 0.25, 0.0]), continuous_law, 0.25
        ),
        # one step is 1 and scores are taken to move a hair more than 1, hence 2 steps: scale 2 * 2 / 2
        example(CoarseNoisyMax(score_sensitivity=1, epsilon=2), ([1, 0, 0], [0, 1, 1]), discrete_law, 2.0),
        example(
            CoarseNoisyMax(score_sensitivity=3, epsilon=3),
            ([4, 0, -2], [2, 2, 0]),
            lambda s, b: discrete_law([x // 2 for x in s], b),
            4 / 3,
        ),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[], [1.0, float("nan")], [1.0, float("-inf")], 3.0, [[1.0]], ["a"], None]


def test_the_worst_pair_on_a_coarse_lattice_costs_the_claim() -> None:
    """Scores that rounding moves by two steps, far behind the leader: the ratio reaches e^ε and no more."""
    mechanism = CoarseNoisyMax(score_sensitivity=1, epsilon=2)
    scale = float(mechanism.law.scale)
    for gap in range(12):
        one = discrete_law([0, gap, gap], scale)
        other = discrete_law([2, gap - 2, gap - 2], scale)
        losses = [abs(math.log(one[i] / other[i])) for i in one]
        assert max(losses) <= 2 + 1e-9
    assert max(losses) > 1.95


def test_it_costs_no_more_than_laplace_noise() -> None:
    """All moves of three scores by two steps, ε = 2: never above the curve; the exponential one's is the control."""
    mechanism = CoarseNoisyMax(score_sensitivity=1, epsilon=2)
    rows = [(0, 0, gap) for gap in range(-8, 9)] + [(gap, 0, -99) for gap in range(-8, 9)]
    worst = dict.fromkeys((0.0, 0.5, 1.2), 0.0)
    for row, move in product(rows, product((-2, 0, 2), repeat=3)):
        one = discrete_law(row, 2.0)
        other = discrete_law(np.add(row, move).tolist(), 2.0)
        for level in worst:
            found = hockey_stick(np.array([*one.values()]), np.array([*other.values()]), level)
            worst[level] = max(worst[level], found)
    for level, delta in worst.items():
        assert 0.4 * mechanism.loss.delta(level) < delta <= mechanism.loss.delta(level)
        assert mechanism.loss.delta(level) < 0.99 * PrivacyLoss.of(ApproximateCurve(2)).delta(level)
    assert any(delta > PrivacyLoss.of(ExponentialCurve(2)).delta(level) for level, delta in worst.items())


def test_ties_are_broken_evenly(source: BitSource) -> None:
    """n = 30,000, equal scores on a coarse lattice, where many runs tie: each wins a third, within 5 deviations."""
    wins = np.bincount(CoarseNoisyMax(1, 1).many([0, 0, 0], source, 30_000), minlength=3)
    assert np.abs(wins / 30_000 - 1 / 3).max() < 5 * math.sqrt(2 / 9 / 30_000)


def test_only_an_index_leaves(source: BitSource) -> None:
    answer = NoisyMax(score_sensitivity=1, epsilon=1).sample([0.25, 7.5], source)
    assert type(answer) is int
    assert answer in {0, 1}


def test_the_scale_and_the_loss_are_the_textbooks() -> None:
    mechanism = NoisyMax(score_sensitivity=3, epsilon="0.5")
    assert mechanism.noise_scale == 12
    drawn = mechanism.law.scale * mechanism.lattice.step
    assert 12 < drawn < 12 * (1 + Fraction(1, 2**22))  # never less, and wider by a step at most
    steps = mechanism.lattice.widened(mechanism.score_sensitivity * BINARY)
    assert mechanism.loss == PrivacyLoss.of(DiscreteLaplaceCurve(2 * steps, steps))
    assert mechanism.loss.largest_loss == Fraction(1, 2)


@pytest.mark.parametrize("epsilon", ["1e-9", "0.001", "1", "50", "1000"])
def test_the_lattice_costs_little_at_any_epsilon(epsilon: str) -> None:
    mechanism = NoisyMax(score_sensitivity="0.1", epsilon=epsilon)
    drawn = mechanism.law.scale * mechanism.lattice.step
    assert mechanism.noise_scale < drawn < mechanism.noise_scale * (1 + Fraction(1, 2**22))


def test_large_and_wide_scores_are_chosen_from(source: BitSource) -> None:
    mechanism = NoisyMax(score_sensitivity=1, epsilon=1)
    assert mechanism.sample([1e300, 0.0, -1e300], source) == 0
    assert mechanism.sample(np.array([0, 2**64 - 1], dtype=np.uint64), source) == 1
    assert mechanism.sample(np.array([True]), source) == 0


def test_the_regret_is_kept(source: BitSource) -> None:
    """n = 20,000 with ten candidates: the bound at 30 % is never passed by more than 30 %."""
    mechanism = NoisyMax(score_sensitivity=1, epsilon=1)
    bound = mechanism.regret(10, tail=0.3)
    scores = np.array([0.0] + [-bound] * 9)
    assert float((mechanism.many(scores, source, 20_000) != 0).mean()) < 0.3
    assert mechanism.regret(10, tail=0.01) > bound > 4 * math.log(10)


def test_calibration_is_exact_and_bad_parameters_are_refused() -> None:
    mechanism = NoisyMax.calibrated(epsilon="0.1", sensitivity=Sensitivity("0.3", cells=7))
    assert mechanism.loss.meets(Guarantee("0.1"))
    assert not mechanism.loss.meets(Guarantee("0.0999999999"))
    for sensitivity, epsilon in ((0, 1), (1, 0), (1, "1e-70"), ("1e-310", 1)):
        with pytest.raises(InvalidParameter):
            NoisyMax(score_sensitivity=sensitivity, epsilon=epsilon)


def test_an_audit_sees_a_value_that_leaves(source: BitSource) -> None:
    """Attack B2: k = 5, all scores one higher; the maximum is below 0 e^2.5 times less often. n = 200,000."""
    mechanism = NoisyMax(score_sensitivity=1, epsilon=1)
    right = example(mechanism, ([0.0] * 5, [1.0] * 5), continuous_law, 2.0)

    def is_negative(scores: Scores, source: BitSource, count: int) -> list[int]:
        noise = LaplaceLaw(2 * 2**20).many(source, 5 * count).reshape(count, 5) / 2**20
        return ((noise + scores).max(axis=1) < 0).astype(int).tolist()  # type: ignore[no-any-return]

    wrong = Example(mechanism, right.pair, right.law, right.sensitivity, right.wrong_law, draw=is_negative)
    assert audited_epsilon(right, source, 200_000) <= 1
    assert audited_epsilon(wrong, source, 200_000) > 1.5
