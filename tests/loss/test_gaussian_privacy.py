import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_scale,
    gaussian_scale_classical,
    pure_to_gaussian,
)
from tests.support import loss_oracle as oracle


@given(st.floats(0.001, 50), st.one_of(st.just(0.0), st.floats(1e-6, 200)))
def test_delta_is_a_tight_upper_bound(mu: float, epsilon: float) -> None:
    truth = oracle.gaussian_delta(mu, epsilon)
    result = gaussian_delta(mu, epsilon=epsilon)
    assert result == 1 or oracle.binary(result) >= truth
    if float(truth) > 1e-290:
        assert result <= float(truth) * (1 + 1e-8)


@given(st.floats(0.001, 50), st.floats(1e-300, 0.999))
def test_epsilon_is_private_and_tight(mu: float, delta: float) -> None:
    epsilon = gaussian_epsilon(mu, delta=delta)
    assert bool(oracle.gaussian_delta(mu, epsilon) <= oracle.binary(delta))
    if epsilon > 1e-6:
        assert gaussian_delta(mu, epsilon=epsilon * (1 - 1e-6)) > delta


@given(st.floats(0.001, 100), st.floats(1e-200, 0.5), st.floats(0.01, 100))
def test_scale_is_private_and_tight(epsilon: float, delta: float, sensitivity: float) -> None:
    scale = gaussian_scale(epsilon, delta=delta, l2_sensitivity=sensitivity)
    assert gaussian_delta(sensitivity / scale, epsilon=epsilon) <= delta
    assert gaussian_delta(sensitivity / (scale * (1 - 1e-6)), epsilon=epsilon) > delta


@given(st.floats(0.001, 1), st.floats(1e-12, 0.999))
def test_the_classical_scale_is_private_where_it_is_allowed(epsilon: float, delta: float) -> None:
    scale = gaussian_scale_classical(epsilon, delta=delta)
    assert gaussian_delta(1 / scale, epsilon=epsilon) <= delta
    assert gaussian_scale(epsilon, delta=delta) <= scale * (1 + 1e-12)


@given(st.floats(1e-9, 600))
def test_pure_to_gaussian_touches_the_corner_of_randomized_response(epsilon: float) -> None:
    """Φ(-μ/2) <= 1/(1+e^ε), and hardly less."""
    mu = pure_to_gaussian(epsilon)
    with oracle.digits(4000):
        corner = 1 / (1 + oracle.binary(epsilon).exp())
        assert oracle.normal_cdf(-oracle.binary(mu) / 2) <= corner
        assert oracle.normal_cdf(-oracle.binary(mu * (1 - 1e-12)) / 2) > corner


@pytest.mark.parametrize("mu", [0.0, 1e-300, 1e-9, 1.0, 1e9, 1e300, math.inf])
@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 1.0, 1000.0, 1e300, math.inf])
def test_delta_is_total(mu: float, epsilon: float) -> None:
    assert 0 <= gaussian_delta(mu, epsilon=epsilon) <= 1


def test_ends_of_the_ranges() -> None:
    assert gaussian_epsilon(0, delta=0) == pure_to_gaussian(0) == 0
    assert pure_to_gaussian(math.inf) == math.inf
    assert gaussian_epsilon(1, delta=0) == gaussian_scale(1, delta=0) == math.inf
    assert gaussian_epsilon(1, delta=1) == 0
    assert gaussian_epsilon(math.inf, delta=0.5) == math.inf
    assert gaussian_epsilon(1e15, delta=0.1) == pytest.approx(5e29, rel=1e-12)
    assert gaussian_scale(1, delta=0.1, l2_sensitivity=0) == 0
    assert gaussian_scale(0, delta=0.5) > 0
    assert gaussian_scale(1, delta=1) == 0


def test_bad_arguments_are_refused() -> None:
    calls: list[Callable[[], float]] = [
        lambda: gaussian_delta(-1, epsilon=1),
        lambda: gaussian_delta(1, epsilon=math.nan),
        lambda: gaussian_epsilon(1, delta=2),
        lambda: gaussian_epsilon(math.nan, delta=0.1),
        lambda: gaussian_scale_classical(0, delta=0.1),
        lambda: gaussian_scale_classical(0.5, delta=0),
        lambda: gaussian_scale_classical(0.5, delta=1),
    ]
    for call in calls:
        with pytest.raises(InvalidParameter):
            call()
