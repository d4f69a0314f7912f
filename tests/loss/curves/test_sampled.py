import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, GaussianCurve, LaplaceCurve, PrivacyLoss
from tests.support.exact_sums import exact_epsilon, hockey_stick, joint

of = PrivacyLoss.of


@settings(deadline=None, max_examples=40)
@given(st.sampled_from([0.01, 0.1, 0.5, 0.9]), st.sampled_from([0.2, 1.0, 3.0]), st.floats(0, 2), st.integers(1, 6))
def test_sampled_response_is_exact(rate: float, epsilon0: float, epsilon: float, times: int) -> None:
    truth = 1 / (1 + math.exp(-epsilon0))
    absent = (1 - truth, truth)
    present = tuple((1 - rate) * a + rate * b for a, b in zip(absent, (truth, 1 - truth), strict=True))
    loss = of(ApproximateCurve(epsilon0)).sampled(rate) * times
    p, q = joint([(present, absent)] * times)
    exact = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
    assert exact * (1 - 1e-12) - 1e-15 <= loss.delta(epsilon) <= exact + 1e-3 * rate
    assert loss.epsilon(1e-3) >= max(exact_epsilon(p, q, 1e-3), exact_epsilon(q, p, 1e-3)) - 1e-9


def test_the_standard_example() -> None:
    """1,000 steps at rate 0.01 and sigma = 1: the best published value is 2.1245."""
    loss = of(GaussianCurve(1)).sampled(0.01) * 1000
    assert loss.lower_bound(1e-6) * 1.006 > 2.1240
    assert loss.epsilon(1e-6) == pytest.approx(2.1245, abs=2e-4)


def test_rate_one_changes_nothing_and_rate_zero_reveals_nothing() -> None:
    loss = of(LaplaceCurve(1)) + of(GaussianCurve(1))
    assert loss.sampled(1) == loss
    assert loss.sampled(0) == PrivacyLoss()


def test_refuses_replacement_and_bad_rates() -> None:
    with pytest.raises(InvalidParameter, match="ADD_REMOVE"):
        of(ApproximateCurve(1)).shuffled(100).sampled(0.1)
    with pytest.raises(InvalidParameter, match="rate must be in"):
        of(LaplaceCurve(1)).sampled(1.5)


def test_renyi_of_a_sampled_gaussian_against_quadrature() -> None:
    rate, order = 0.1, 4.0
    x = np.linspace(-12, 16, 200_001)
    q = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    ratio = 1 - rate + rate * np.exp(x - 0.5)
    exact = math.log(np.trapezoid(q * ratio**order, x)) / (order - 1)
    loss = of(GaussianCurve(1)).sampled(rate)
    assert loss.renyi(order) == pytest.approx(exact, rel=1e-6)
    between = math.log(np.trapezoid(q * ratio**2.5, x)) / 1.5
    assert between * (1 - 1e-9) <= loss.renyi(2.5) <= between * (1 + 1e-6)


def test_a_composition_can_be_sampled_as_a_whole() -> None:
    """One batch, two answers: cheaper than two batches, dearer than one answer."""
    one = of(LaplaceCurve(1))
    two = of(LaplaceCurve(1)) + of(GaussianCurve(1))
    assert one.sampled(0.1).epsilon(1e-6) < two.sampled(0.1).epsilon(1e-6) < two.epsilon(1e-6)
    exact = 0.1 * two.delta(math.log1p(math.expm1(0.5) / 0.1))
    assert two.sampled(0.1).delta(0.5) == pytest.approx(exact, rel=1e-3)


def test_sampling_a_sampled_loss_uses_the_bound_for_pairs_that_are_not_mirrored() -> None:
    once = of(GaussianCurve("0.5")).sampled("0.5")
    twice = once.sampled("0.2")
    direct = of(GaussianCurve("0.5")).sampled("0.1")
    assert twice.renyi(4) >= direct.renyi(4) * (1 - 1e-9)
    assert twice.delta(0.1) == pytest.approx(direct.delta(0.1), rel=1e-9)
    unknown = of(ApproximateCurve(1, "1e-9")).sampled("0.5")
    assert unknown.renyi(2) == unknown.sampled("0.5").renyi(2) == math.inf


def test_more_noise_fewer_steps_and_rarer_sampling_never_cost_more() -> None:
    def price(sigma: float, rate: str, steps: int) -> float:
        return (of(GaussianCurve(1 / sigma)).sampled(rate) * steps).epsilon(1e-5)

    for sigma in (0.7, 1.0, 2.0, 5.0):
        assert price(sigma * 1.05, "0.02", 100) < price(sigma, "0.02", 100) * (1 + 1e-5)
        assert price(sigma, "0.019", 100) < price(sigma, "0.02", 100) * (1 + 1e-5)
        assert price(sigma, "0.02", 97) < price(sigma, "0.02", 100) * (1 + 1e-5)
