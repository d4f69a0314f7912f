"""Mission rows R012 to R019 and R023: the definitions, on distributions small enough to check by hand."""

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy.stats import norm

from privet.explain.theorems import gaussian_delta, gaussian_scale, gaussian_scale_classical, group_delta
from privet.loss.divergences.divergence import approximate_max_divergence, hockey_stick, max_divergence
from privet.loss.divergences.f_divergence import LogDensity, hockey_stick_at
from privet.loss.outward import float_up
from tests.golden.printed import agrees

TRUTH, LIE = [0.75, 0.25], [0.25, 0.75]  # randomized response that tells the truth three times in four
JOINT_TRUTH, JOINT_LIE = np.outer(TRUTH, TRUTH).ravel(), np.outer(LIE, LIE).ravel()


def laplace(centre: float, scale: float = 1.0) -> LogDensity:
    return lambda x: -abs(x - centre) / scale - math.log(2 * scale)


def test_r012_delta_of_laplace() -> None:
    delta = hockey_stick_at(0.5).between_densities(laplace(0), laplace(1), support=(-60, 61), breaks=[0, 0.25, 1])
    assert agrees(delta, "0.221199")
    assert agrees(1 - math.exp(-0.25), "0.221199")


@pytest.mark.parametrize(("size", "printed"), [(10, "1.35e-6"), (20, "2.27e-5"), (50, "7.70e-3"), (100, "0.586")])
def test_r013_delta_of_a_group_under_gaussian_noise(size: int, printed: str) -> None:
    """The row's Gaussian is calibrated by the classical formula."""
    scale = gaussian_scale_classical(0.5, delta="1e-5")
    assert agrees(gaussian_delta(size / scale, epsilon=size * 0.5), printed)


def test_r013_delta_does_not_stay_fixed_for_groups() -> None:
    """One δ for every distance is violated from 17 units on; from 2 on with exact calibration."""
    classical = gaussian_scale_classical(0.5, delta="1e-5")
    exact = gaussian_scale(0.5, delta=1e-5)

    def broken(scale: float) -> int:
        return next(k for k in range(1, 100) if gaussian_delta(k / scale, epsilon=k * 0.5) > 1e-5)

    assert broken(classical) == 17
    assert broken(exact) == 2
    for size in (2, 10, 17, 50):
        grown = group_delta(0.5, delta="1e-5", size=size)
        assert grown > 1e-5
        assert gaussian_delta(size / exact, epsilon=size * 0.5) <= grown


def test_r014_truncated_laplace_has_infinite_epsilon_and_tiny_delta() -> None:
    """Noise cut off at 20: the top unit of its range, of mass (e^-19 - e^-20)/2, tells neighbours apart.

    The row cuts at 1,000, where δ = 4.361e-435 is below the smallest float64; there Privet says 5e-324.
    """
    starts = range(-60, 20)
    mass = [(math.exp(-j) - math.exp(-j - 1) if j >= 0 else math.exp(j + 1) - math.exp(j)) / 2 for j in starts]
    stays = np.array([*mass, 0.0]) / sum(mass)
    moved = np.array([0.0, *mass]) / sum(mass)
    expected = (math.exp(-19) - math.exp(-20)) / 2 / (1 - math.exp(-20) / 2)
    assert max_divergence(moved, stays) == math.inf
    assert hockey_stick(moved, stays, epsilon=1 + 1e-9) == pytest.approx(expected, rel=1e-9)
    assert approximate_max_divergence(moved, stays, delta=1.000001 * expected) <= 1 + 1e-12
    assert float_up(Decimal("4.361e-435")) == 5e-324


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 100.0, 1000.0, math.inf])
def test_r015_printing_the_data_once_in_a_thousand_is_delta(epsilon: float) -> None:
    private = 0.999
    data = [0.001, 0.0]
    neighbour = [0.0, 0.001]
    p, q = [private, *data], [private, *neighbour]
    assert hockey_stick(p, q, epsilon=epsilon) >= 1e-3
    assert approximate_max_divergence(p, q, delta=0.0009) == math.inf
    assert approximate_max_divergence(p, q, delta=0.001) < 1e-12


def test_r016_delta_is_an_expectation_of_the_privacy_loss() -> None:
    """L is normal with mean 1/2 and variance 1; its tail P(L > ε) alone is only an upper bound."""
    assert agrees(gaussian_delta(1, epsilon=1), "0.126937")
    losses = norm(0.5, 1)
    expectation = losses.expect(lambda loss: -math.expm1(1 - loss), lb=1, ub=40)
    assert gaussian_delta(1, epsilon=1) == pytest.approx(float(expectation), abs=1e-7)
    tail = float(losses.sf(1))
    assert agrees(tail, "0.308538")
    assert gaussian_delta(1, epsilon=1) < tail


def test_r016_outside_the_support_the_loss_is_infinite_and_counted() -> None:
    assert max_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert hockey_stick([0.5, 0.5], [1.0, 0.0], epsilon=50) == 0.5


def test_r017_max_divergence() -> None:
    assert agrees(max_divergence(TRUTH, LIE), "1.098612")
    assert agrees(approximate_max_divergence(TRUTH, LIE, delta=0.1), "0.955511")


def test_r018_max_divergence_adds_up_for_delta_zero() -> None:
    assert agrees(max_divergence(JOINT_TRUTH, JOINT_LIE), "2.197225")


def test_r018_approximate_max_divergence_does_not_add_up_at_one_delta() -> None:
    joint = approximate_max_divergence(JOINT_TRUTH, JOINT_LIE, delta=0.1)
    claimed = 2 * approximate_max_divergence(TRUTH, LIE, delta=0.1)
    assert agrees(joint, "2.001480")
    assert agrees(claimed, "1.911023")
    assert joint > claimed  # so "the parts add up at the same δ" is unsafe
    assert approximate_max_divergence(JOINT_TRUTH, JOINT_LIE, delta=0.2) <= claimed  # at Σδ they do


@pytest.mark.parametrize(("delta", "printed"), [(0, "2.197225"), (0.1, "2.001480"), (0.2, "1.757858")])
def test_r019_approximate_max_divergence_falls_with_delta(delta: float, printed: str) -> None:
    assert agrees(approximate_max_divergence(JOINT_TRUTH, JOINT_LIE, delta=delta), printed)


def test_r023_small_epsilon_is_nearly_a_percentage_and_symmetric() -> None:
    truth = math.exp(0.1) / (1 + math.exp(0.1))
    p = [truth, 1 - truth]
    q = [1 - truth, truth]
    assert agrees(math.exp(max_divergence(p, q)), "1.105171")
    assert max_divergence(p, q) == max_divergence(q, p)
