import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import gaussian_curve, group_delta, group_epsilon, group_renyi, group_zcdp
from privet.loss.divergences.divergence import hockey_stick
from tests.support import loss_oracle as oracle


@given(st.floats(1e-6, 20), st.floats(1e-300, 1), st.integers(2, 1000))
def test_group_delta_is_rounded_up(epsilon: float, delta: float, size: int) -> None:
    with oracle.digits():
        level = oracle.ball(epsilon)
        truth = oracle.ball(delta) * ((size * level).exp() - 1) / (level.exp() - 1)
        result = group_delta(epsilon, delta=delta, size=size)
        assert result == 1 or oracle.at_least(result, truth, within=5e-16)


def test_a_group_of_one_is_the_unit_itself() -> None:
    assert group_delta(0.7, delta="1e-6", size=1) == 1e-6
    assert group_epsilon(0.7, size=1) == 0.7
    assert group_zcdp(0.7, size=1) == 0.7
    assert group_renyi(0.7, order=2, doublings=0) == (2.0, 0.7)


def test_group_delta_is_attained() -> None:
    """A chain of neighbours, each as far from the next as (ε, δ)-DP allows, reaches the bound."""
    epsilon, delta = 0.5, 0.01
    chain = [np.array([0.2, 0.8])]
    for _ in range(3):
        low = (chain[-1][0] - delta) / math.exp(epsilon)
        chain.append(np.array([low, 1 - low]))
    for p, q in itertools.pairwise(chain):
        assert hockey_stick(p, q, epsilon=epsilon) == pytest.approx(delta)
    whole = hockey_stick(chain[0], chain[3], epsilon=3 * epsilon)
    assert whole == pytest.approx(group_delta(epsilon, delta=delta, size=3), rel=1e-9)
    assert whole > 3 * delta


@pytest.mark.parametrize("doublings", [0, 1, 2, 3, 4])
def test_group_renyi_holds_for_gaussians(doublings: int) -> None:
    order, bound = group_renyi(gaussian_curve(1, order=64), order=64, doublings=doublings)
    assert gaussian_curve(1 / 2**doublings, order=order) <= bound


def test_group_zcdp_is_exact_for_gaussians() -> None:
    assert group_zcdp(gaussian_curve(4, order=1), size=3) == pytest.approx(gaussian_curve(4 / 3, order=1))


def test_ends_of_the_ranges() -> None:
    assert group_delta(0, delta="0.1", size=3) == 0.3
    assert group_delta(0, delta="0.5", size=3) == 1
    assert group_delta(1000, delta="1e-6", size=1000) == 1
    assert group_delta(1000, delta=0, size=1000) == 0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"at least 2\^\(doublings \+ 1\) = 8"):
        group_renyi(1, order=7, doublings=2)
    with pytest.raises(InvalidParameter, match="size"):
        group_delta(1, delta=0, size=0)
