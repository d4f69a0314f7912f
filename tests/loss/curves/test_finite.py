import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import FiniteCurve, KaryResponseCurve, PrivacyLoss, RandomizedResponseCurve


def test_ten_randomized_responses_cost_ten_times_as_much() -> None:
    """One popular accountant forgets the count and says 1.0986 for all ten."""
    loss = PrivacyLoss.of(RandomizedResponseCurve.truthful(0.75)) * 10
    assert loss.epsilon(0) == pytest.approx(10 * math.log(3), rel=1e-12)
    assert loss.epsilon(0) >= 10 * math.log(3)


def test_published_max_divergences() -> None:
    one = PrivacyLoss.of(RandomizedResponseCurve.truthful("3/4"))
    assert one.max_divergence() == pytest.approx(1.098612, abs=5e-7)
    assert one.max_divergence(0.1) == pytest.approx(0.955511, abs=5e-7)
    assert (one * 2).max_divergence(0.1) == pytest.approx(2.001480, abs=5e-7)
    assert (one * 2).max_divergence(0.2) == pytest.approx(1.757858, abs=5e-7)


def test_kary_response_is_its_matrix() -> None:
    k, big = 4, math.exp(1)
    matrix = (np.ones((k, k)) + (big - 1) * np.eye(k)) / (big + k - 1)
    table, closed = FiniteCurve(matrix.tolist()), KaryResponseCurve(k, 1)
    epsilon = np.linspace(0, 1.2, 13)
    np.testing.assert_allclose(table.removing(epsilon), closed.removing(epsilon), rtol=1e-9, atol=1e-14)
    assert table.renyi(3.0)[0] == pytest.approx(closed.renyi(3.0)[0], rel=1e-9)


def test_an_output_that_only_one_input_can_give_has_infinite_loss() -> None:
    loss = PrivacyLoss.of(FiniteCurve([["0.9", "0.1"], [1, 0]]), 2)
    assert loss.epsilon(0) == math.inf
    assert loss.delta(math.inf) == pytest.approx(1 - 0.9**2)
    assert loss.renyi(2) == math.inf
    assert loss.epsilon(0.2) < math.inf


def test_asymmetric_response_takes_the_worse_direction() -> None:
    loss = PrivacyLoss.of(RandomizedResponseCurve(flip_zero=0.1, flip_one=0.3))
    assert loss.epsilon(0) == pytest.approx(math.log(0.7 / 0.1))
    assert loss.delta(0) == pytest.approx(0.6)


def test_identical_rows_cost_nothing_and_unequal_sums_are_refused() -> None:
    assert PrivacyLoss.of(FiniteCurve([["0.5", "0.5"]] * 3), 4).epsilon(0) == pytest.approx(0, abs=1e-12)
    with pytest.raises(InvalidParameter, match="add up to 1"):
        FiniteCurve([[0.5, 0.4], [0.5, 0.5]])
    with pytest.raises(InvalidParameter, match="equal length"):
        FiniteCurve([[1], [0.5, 0.5]])
