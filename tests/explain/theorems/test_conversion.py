import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import (
    gaussian_epsilon,
    pure_to_renyi,
    pure_to_zcdp,
    pure_to_zcdp_standard,
    renyi_to_delta,
    renyi_to_epsilon,
    renyi_to_epsilon_standard,
    zcdp_to_epsilon,
    zcdp_to_epsilon_standard,
)
from privet.loss.divergences.divergence import renyi_divergence
from tests.support import loss_oracle as oracle

ORDERS = st.one_of(st.floats(1.0001, 2), st.floats(2, 1000))


@given(st.floats(1e-6, 100), ORDERS)
def test_pure_to_renyi_is_rounded_up(epsilon: float, order: float) -> None:
    with oracle.digits():
        level, a = oracle.ball(epsilon), oracle.ball(order)
        truth = ((level * (a - 0.5)).cosh() / (level / 2).cosh()).log() / (a - 1)
        assert oracle.at_least(pure_to_renyi(epsilon, order=order), truth, within=5e-16)


@given(st.floats(0.001, 10), ORDERS)
def test_pure_to_renyi_is_randomized_response(epsilon: float, order: float) -> None:
    truth = 1 / (1 + math.exp(-epsilon))
    divergence = renyi_divergence([truth, 1 - truth], [1 - truth, truth], order=order)
    assert pure_to_renyi(epsilon, order=order) == pytest.approx(divergence, rel=1e-9)


@given(st.floats(1e-6, 1000))
def test_pure_to_zcdp_is_rounded_up_and_below_the_textbook(epsilon: float) -> None:
    with oracle.digits(4000):
        level = oracle.ball(epsilon)
        truth = level * (level.exp() - 1) / (level.exp() + 1)
        assert oracle.at_least(pure_to_zcdp(epsilon), truth, within=5e-16)
    assert pure_to_zcdp(epsilon) <= pure_to_zcdp_standard(epsilon)


@given(st.floats(0.001, 20))
def test_pure_to_zcdp_bounds_every_order_and_is_attained_at_one(epsilon: float) -> None:
    rho = pure_to_zcdp(epsilon)
    assert all(pure_to_renyi(epsilon, order=order) <= rho * order * (1 + 1e-15) for order in (1.001, 1.5, 2, 9, 500))
    assert pure_to_renyi(epsilon, order=1) == rho


@given(st.floats(0, 100), ORDERS, st.floats(1e-300, 1))
def test_renyi_conversions_are_rounded_up(bound: float, order: float, delta: float) -> None:
    with oracle.digits():
        r, a, d = oracle.ball(bound), oracle.ball(order), oracle.ball(delta)
        tight = r + ((a - 1) / a).log() - (d.log() + a.log()) / (a - 1)
        standard = r + (1 / d).log() / (a - 1)
        assert renyi_to_epsilon(bound, order=order, delta=delta) >= 0
        assert not oracle.binary(renyi_to_epsilon(bound, order=order, delta=delta)) < tight  # a tie is undecidable
        assert oracle.at_least(renyi_to_epsilon_standard(bound, order=order, delta=delta), standard, within=5e-16)


@given(st.floats(0, 20), ORDERS, st.floats(1e-12, 0.5))
def test_renyi_to_delta_undoes_renyi_to_epsilon(bound: float, order: float, delta: float) -> None:
    epsilon = renyi_to_epsilon(bound, order=order, delta=delta)
    back = renyi_to_delta(bound, order=order, epsilon=epsilon)
    assert back <= delta * (1 + 1e-9)
    if epsilon > 0:
        assert back == pytest.approx(delta, rel=1e-9)


@given(st.floats(1e-8, 50), st.floats(1e-12, 0.3))
def test_zcdp_conversion_is_sound_for_gaussians_and_close(rho: float, delta: float) -> None:
    """Gaussian noise of mu = √(2ρ) is exactly ρ-zCDP, so the conversion may not fall below its ε."""
    tight, standard = zcdp_to_epsilon(rho, delta=delta), zcdp_to_epsilon_standard(rho, delta=delta)
    exact = gaussian_epsilon(math.sqrt(2 * rho) * (1 - 1e-15), delta=delta)
    assert exact <= tight * (1 + 1e-12)
    assert tight <= standard * (1 + 1e-12)


@pytest.mark.parametrize(("rho", "delta"), [(0.5, 1e-5), (0.001, 1e-9), (20, 0.01)])
def test_zcdp_conversion_finds_the_best_order(rho: float, delta: float) -> None:
    best = min(renyi_to_epsilon(rho * order, order=order, delta=delta) for order in 1 + np.geomspace(1e-3, 1e4, 800))
    assert zcdp_to_epsilon(rho, delta=delta) <= best
    assert zcdp_to_epsilon(rho, delta=delta) == pytest.approx(best, rel=1e-4)


def test_ends_of_the_ranges() -> None:
    assert pure_to_renyi(2, order=math.inf) == 2
    assert renyi_to_epsilon(2, order=math.inf, delta=0) == 2
    assert renyi_to_epsilon(2, order=1, delta=0.1) == math.inf
    assert renyi_to_epsilon(2, order=5, delta=0) == math.inf
    assert renyi_to_delta(2, order=1, epsilon=5) == 1
    assert zcdp_to_epsilon(0, delta=0) == zcdp_to_epsilon_standard(0, delta=0) == 0
    assert zcdp_to_epsilon(1, delta=0) == zcdp_to_epsilon_standard(1, delta=0) == math.inf
    assert zcdp_to_epsilon(1, delta=1) == 0
    assert 37 < zcdp_to_epsilon("0.5", delta="1e-300") < 38
    assert zcdp_to_epsilon("1e-30", delta="1e-6") < 1e-12


def test_bad_arguments_are_refused() -> None:
    for order in (0.5, math.nan, -1, "x"):
        with pytest.raises(InvalidParameter, match="order"):
            pure_to_renyi(1, order=order)
    with pytest.raises(InvalidParameter, match="bound"):
        renyi_to_epsilon(math.nan, order=2, delta=0.1)
