"""Sampling when a unit is replaced: against exact tables, integrated Gaussians, and all samples of a fixed size."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    DiscreteLaplaceCurve,
    FiniteCurve,
    GaussianCurve,
    LaplaceCurve,
    Neighbors,
    PrivacyLoss,
    WorstOfCurve,
)
from tests.support.exact_sums import hockey_stick, joint

of = PrivacyLoss.of


def gaussian_truth(mu: float, rate: float, epsilon: float) -> float:
    """The largest P'(x > t) - e^epsilon Q'(x > t): the ratio grows with x, so half-lines are the worst sets."""

    def gap(t: np.ndarray) -> np.ndarray:
        absent = (1 - rate) * norm.sf(t)
        result: np.ndarray = absent + rate * norm.sf(t - mu) - math.exp(epsilon) * (absent + rate * norm.sf(t + mu))
        return result

    low = -12.0
    high = 16.0
    for _ in range(8):
        t = np.linspace(low, high, 2001)
        peak = int(np.argmax(gap(t)))
        low = t[max(peak - 1, 0)]
        high = t[min(peak + 1, 2000)]
    return float(gap(t).max())


@pytest.mark.parametrize("mu", [0.3, 1, 3])
@pytest.mark.parametrize("rate", [0.001, 0.02, 0.3, 0.9])
def test_sampled_gaussians_are_exact(mu: float, rate: float) -> None:
    loss = of(GaussianCurve(mu)).sampled(rate, neighbors="replace")
    for epsilon in (0.0, 1e-3, 0.05, 0.4, 1.5, 4.0):
        truth = gaussian_truth(mu, rate, epsilon)
        assert truth * (1 - 1e-9) - 1e-14 <= loss.delta(epsilon) <= truth * 1.001 + 1e-14


def test_no_direction_of_two_vectors_is_worse_than_the_opposite_one() -> None:
    """The unit's vector and its replacement's in a plane, integrated over a grid."""
    rate, epsilon = 0.2, 0.5
    x, y = np.meshgrid(np.linspace(-8, 8, 1201), np.linspace(-8, 8, 1201), indexing="ij")
    cell = (x[1, 0] - x[0, 0]) ** 2

    def law(angle: float) -> np.ndarray:
        return np.exp(-((x - math.cos(angle)) ** 2 + (y - math.sin(angle)) ** 2) / 2) / (2 * math.pi)

    absent = np.exp(-(x**2 + y**2) / 2) / (2 * math.pi)
    curve = of(GaussianCurve(1)).sampled("0.2", neighbors="replace").delta("0.5")
    found = [
        float(
            np.maximum(
                (absent + rate * (law(0) - absent)) - math.exp(epsilon) * (absent + rate * (law(a) - absent)), 0
            ).sum()
        )
        * cell
        for a in (math.pi, 2.5, 1.5, 0.5)
    ]
    assert found == sorted(found, reverse=True)
    assert found[0] * (1 - 1e-4) <= curve <= found[0] * 1.001


laws = st.lists(st.integers(1, 20), min_size=3, max_size=3)


@settings(deadline=None, max_examples=60)
@given(st.tuples(laws, laws, laws), st.sampled_from(["0.05", "0.3", "0.8"]), st.integers(1, 3), st.floats(0, 2))
def test_never_below_any_three_laws(weights: tuple[list[int], ...], rate: str, times: int, epsilon: float) -> None:
    """P with the unit, Q with its replacement, R with neither: any laws of three outcomes, run up to three times."""
    p, q, r = ([Fraction(weight, sum(law)) for weight in law] for law in weights)
    inner = of(WorstOfCurve((of(FiniteCurve([p, r])), of(FiniteCurve([q, r])))))
    loss = inner.sampled(rate, neighbors="replace", replaced=of(FiniteCurve([p, q]))) * times
    share = float(rate)
    mixed = [[(1 - share) * float(c) + share * float(a) for a, c in zip(law, r, strict=True)] for law in (p, q)]
    first, second = joint([(mixed[0], mixed[1])] * times)
    exact = max(hockey_stick(first, second, epsilon), hockey_stick(second, first, epsilon))
    assert exact * (1 - 1e-9) - 1e-14 <= loss.delta(epsilon)


def test_a_replaced_unit_costs_more_than_one_that_leaves_and_less_than_two() -> None:
    """And the price of one that leaves, the control, is broken by the truth."""
    leaves = of(GaussianCurve(1)).sampled("0.1")
    replaced = of(GaussianCurve(1)).sampled("0.1", neighbors="replace")
    assert leaves.delta("0.5") < gaussian_truth(1, 0.1, 0.5) < replaced.delta("0.5")
    for times in (1, 100):
        assert (leaves * times).epsilon(1e-6) < (replaced * times).epsilon(1e-6)
        assert (replaced * times).epsilon(1e-6) < 0.9 * (leaves.group(2) * times).epsilon(1e-6)
    assert replaced.neighbors == frozenset({Neighbors.REPLACE})


def noisy_sum(values: tuple[int, ...], size: int, scale: float) -> np.ndarray:
    """Discrete Laplace noise on the sum of a sample of this size, all samples enumerated."""
    k = np.arange(-80, 81)
    law = np.zeros(len(k))
    samples = list(combinations(values, size))
    for sample in samples:
        law += np.exp(-np.abs(k - sum(sample)) / scale) / len(samples)
    result: np.ndarray = law / np.exp(-np.abs(k) / scale).sum()
    return result


def test_samples_of_fixed_size_against_all_samples() -> None:
    """Bits of four others: never below, and near for some; Poisson's curve for leaving, the control, is broken."""
    scale = 2.0
    size = 2
    population = 5
    inner = of(DiscreteLaplaceCurve(2))
    loss = inner.drawn(size, population)
    wrong = inner.sampled(Fraction(size, population)).reversed()
    worst = dict.fromkeys((0.0, 0.1, 0.2), 0.0)
    for ones in range(population):
        others = (1,) * ones + (0,) * (population - 1 - ones)
        p, q = (noisy_sum((*others, own), size, scale) for own in (1, 0))
        for epsilon in worst:
            worst[epsilon] = max(worst[epsilon], hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
    for epsilon, truth in worst.items():
        assert truth * (1 - 1e-9) <= loss.delta(epsilon)
    assert worst[0.0] > 0.99 * loss.delta(0)
    assert worst[0.1] > wrong.profile(np.array([0.1]))[0]


def test_a_sample_of_fixed_size_follows_the_published_rule() -> None:
    """δ'(log(1 + q (e^ε - 1))) = q δ(ε) (Balle, Barthe and Gaboardi 2018, Theorem 9)."""
    for inner in (of(GaussianCurve(2)), of(LaplaceCurve(1)), of(ApproximateCurve(1, "1e-6"))):
        for level in (0.0, 0.1, 0.7, 2.0):
            smaller = math.log1p(0.25 * math.expm1(level))
            assert inner.drawn(1, 4).delta(smaller) == pytest.approx(0.25 * inner.delta(level), rel=1e-9, abs=1e-15)


def test_pure_losses_stay_pure_and_whole_samples_are_not_amplified() -> None:
    for inner in (of(LaplaceCurve(1)), of(ApproximateCurve(1))):
        poisson = inner.sampled("0.1", neighbors="replace")
        fixed = inner.drawn(1, 10)
        present = 0.1 + 0.9 * math.exp(-1)
        assert poisson.epsilon(0) == pytest.approx(
            math.log(present / (0.1 * math.exp(-2) + 0.9 * math.exp(-1))), rel=1e-9
        )
        assert fixed.epsilon(0) == pytest.approx(math.log1p(0.1 * math.expm1(1)), rel=1e-9)
        for loss in (poisson, fixed):
            assert loss.delta(loss.largest_loss) == 0
            assert 0 < loss.renyi(3) < loss.epsilon(0)
    whole = of(GaussianCurve(1)).sampled(1, neighbors="replace")
    assert whole.delta(1) == pytest.approx(of(GaussianCurve(2)).delta(1), rel=1e-9)
    assert of(GaussianCurve(1)).drawn(4, 4).delta(1) == pytest.approx(of(GaussianCurve(1)).delta(1), rel=1e-9)
    assert of(GaussianCurve(1)).drawn(0, 4) == of(GaussianCurve(1)).sampled(0, neighbors="replace") == PrivacyLoss()


def test_renyi_of_sampled_gaussians_against_quadrature() -> None:
    rate, order, mu = 0.1, 3.0, 1.0
    x = np.linspace(-14, 16, 200_001)
    absent = (1 - rate) * norm.pdf(x)
    p = absent + rate * norm.pdf(x - mu)
    q = absent + rate * norm.pdf(x + mu)
    exact = math.log(np.trapezoid(p**order * q ** (1 - order), x)) / (order - 1)
    assert exact <= of(GaussianCurve(1)).sampled("0.1", neighbors="replace").renyi(order) < 10 * exact


def test_what_was_written_down_is_read_again() -> None:
    loss = of(GaussianCurve(1)).sampled("0.1", neighbors="replace") + of(LaplaceCurve(1)).drawn(1, 3)
    assert PrivacyLoss.from_json(loss.to_json()) == loss


def test_refuses_the_wrong_relation() -> None:
    poisson = of(GaussianCurve(1)).sampled("0.1")
    with pytest.raises(InvalidParameter, match="fixed size needs a loss under REPLACE"):
        poisson.drawn(1, 10)
    with pytest.raises(InvalidParameter, match="use drawn"):
        of(ApproximateCurve(1)).shuffled(100).sampled("0.1", neighbors="replace")
    with pytest.raises(InvalidParameter, match="replaced must be a loss under REPLACE"):
        of(GaussianCurve(1)).sampled("0.1", neighbors="replace", replaced=poisson)
    with pytest.raises(InvalidParameter, match="replaced is for"):
        of(GaussianCurve(1)).sampled("0.1", replaced=of(GaussianCurve(2)))
    with pytest.raises(InvalidParameter, match="at most the population"):
        of(GaussianCurve(1)).drawn(5, 4)
    with pytest.raises(InvalidParameter, match="ADD_REMOVE, not REPLACE"):
        poisson.under(Neighbors.REPLACE)
