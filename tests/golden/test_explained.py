"""Mission rows R014, R130, R179: a mechanism with an end, mean-concentrated privacy, elastic sensitivity."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from privet.errors import InvalidParameter
from privet.explain import elastic_count, truncated_laplace
from privet.explain.theorems import (
    gaussian_curve,
    gaussian_epsilon,
    gaussian_to_mcdp,
    mcdp_to_epsilon,
    mcdp_to_renyi,
    pure_to_mcdp,
    response_curve,
)
from tests.golden.printed import agrees


def test_r014_both_numbers_of_truncated_noise() -> None:
    found = truncated_laplace(scale=1, limit=1000)
    assert found.pure_epsilon == math.inf
    assert found.epsilon == 1
    assert Decimal("2.537979E-435") < found.beyond <= Decimal("2.53798E-435")
    assert Decimal("4.360965E-435") <= found.delta <= Decimal("4.36097E-435")


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_r014_delta_is_the_mass_beyond_the_other_neighbors_end(limit: int) -> None:
    """By integration: answers in (limit, limit + 1] come only from the neighbor whose exact answer is 1."""
    whole = 1 - stats.laplace.sf(limit)
    alone, _ = integrate.quad(lambda z: stats.laplace.pdf(z - 1) / whole, limit, limit + 1)
    found = truncated_laplace(scale=1, limit=limit)
    assert float(found.delta) == pytest.approx(alone, rel=1e-5)
    assert float(found.delta) >= alone * (1 - 1e-12)


def test_r014_what_has_no_end_is_refused() -> None:
    for words in ({"scale": 0, "limit": 1}, {"scale": 1, "limit": "0.5"}, {"scale": 1, "limit": 2, "sensitivity": 0}):
        with pytest.raises(InvalidParameter):
            truncated_laplace(**words)


def test_r130_gaussian_noise_is_mcdp_exactly() -> None:
    mean, spread = gaussian_to_mcdp(2)
    for order in (2, 16):
        assert mcdp_to_renyi(mean=mean, spread=spread, order=order) == gaussian_curve("0.5", order=order)
    assert agrees(mcdp_to_epsilon(mean="0.5", spread=1, delta="1e-5"), "5.298526")
    assert mcdp_to_epsilon(mean="0.5", spread=1, delta="1e-5") > gaussian_epsilon(1, delta=1e-5)
    assert mcdp_to_epsilon(mean=1, spread=1, delta=0) == math.inf


@pytest.mark.parametrize("truth", ["0.6", "0.75", "0.99"])
def test_r130_pure_privacy_is_mcdp(truth: str) -> None:
    epsilon = math.log(float(truth) / (1 - float(truth)))
    mean, spread = pure_to_mcdp(epsilon)
    assert mean == pytest.approx(response_curve(truth, order=1))  # the mean loss of randomized response
    for order in (1.5, 2, 8, 64):
        assert mcdp_to_renyi(mean=mean, spread=spread, order=order) >= response_curve(truth, order=order)


def test_r179_flex_scale_of_a_join() -> None:
    found = elastic_count([250], epsilon="0.1", delta="1e-8", cap=20)
    assert agrees(found.scale, "5409.181856")
    assert found.at_distance == 132
    assert found.capped_scale == 200


@pytest.mark.parametrize("frequencies", [[1], [3, 40], [250, 250, 250]])
def test_r179_the_largest_is_found(frequencies: list[int]) -> None:
    found = elastic_count(frequencies, epsilon=1, delta="1e-6")
    beta = 1 / (2 * math.log(2e6))
    distances = np.arange(2000.0)
    every = np.exp(-beta * distances) * np.prod([count + distances for count in frequencies], axis=0)
    assert found.smooth_sensitivity == pytest.approx(float(every.max()), rel=1e-12)
    assert found.at_distance == int(every.argmax())


def test_r179_wrong_joins_are_refused() -> None:
    for frequencies in ([], [0], [1] * 7):
        with pytest.raises(InvalidParameter):
            elastic_count(frequencies, epsilon=1, delta="1e-6")
    assert Fraction(elastic_count([1], epsilon=1, delta="1e-6", cap=3).cap) == 3
