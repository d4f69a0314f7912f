"""WeightedNoiseError: against closed forms, exact convolutions and draws."""

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from privet.core import Uncertainty
from privet.errors import InvalidParameter
from privet.mechanisms.discrete_gaussian import DiscreteGaussianError
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError
from privet.postprocessing.weighted_noise import WeightedNoiseError, variance_of


def pmf(noise: Uncertainty, reach: int = 400) -> NDArray[np.float64]:
    scale, k = noise.scale, np.arange(-reach, reach + 1)  # type: ignore[attr-defined] # all of these have one
    weights = np.exp(-np.abs(k) / scale) if isinstance(noise, DiscreteLaplaceError) else np.exp(-0.5 * (k / scale) ** 2)
    law: NDArray[np.float64] = weights / weights.sum()
    return law


@pytest.mark.parametrize("noise", [DiscreteLaplaceError(2.0), DiscreteGaussianError(3.0), DiscreteLaplaceError(0.5)])
@pytest.mark.parametrize("weights", [(1,), (1, -1), (2, 1, 1), (3, 1, -2, 1, 1)])
def test_tails_bracket_the_exact_convolution(noise: Uncertainty, weights: tuple[int, ...]) -> None:
    """Whole weights: the law is a convolution. The bound is above it, and below what 2 % farther in would be."""
    law = np.ones(1)
    for weight in weights:
        spread = np.zeros(800 * abs(weight) + 1)
        spread[:: abs(weight)] = pmf(noise)
        law = np.convolve(law, spread)
    outside = np.abs(np.arange(len(law)) - len(law) // 2)
    found = WeightedNoiseError.of(noise, weights)
    for distance in (0.5, 2.5, 5.5, 10.5):
        exact = float(law[outside > distance].sum())
        inner = float(law[outside > distance - 0.05 * found.deviation - 0.5].sum())
        assert exact <= found.tail(distance) <= inner + 1e-3 * inner + 1e-6


def test_normal_noise_is_normal() -> None:
    found = WeightedNoiseError.of(GaussianError(2.0), [3.0, 4.0])
    for confidence in (0.5, 0.9, 0.99):
        exact = 10 * stats.norm.isf((1 - confidence) / 2)
        assert exact <= found.margin(confidence) <= exact + 0.02 * 10
    assert found.deviation == pytest.approx(10, rel=1e-3)


def test_one_laplace_noise_is_laplace() -> None:
    found = WeightedNoiseError.of(LaplaceError(3.0), [0.5])
    for confidence in (0.5, 0.95, 0.999):
        exact = -1.5 * math.log(1 - confidence)
        assert exact <= found.margin(confidence) <= exact + 0.05


@pytest.mark.parametrize("noise", [LaplaceError(1.0), DiscreteLaplaceError(4.0), DiscreteGaussianError(2.5)])
def test_variances(noise: Uncertainty) -> None:
    if isinstance(noise, LaplaceError):
        assert variance_of(noise) == 2
    else:
        k = np.arange(-400, 401)
        assert variance_of(noise) == pytest.approx(float((pmf(noise) * k**2).sum()), rel=1e-6)


def test_tails_fall_and_margins_grow() -> None:
    found = WeightedNoiseError.of(DiscreteLaplaceError(5.0), np.linspace(0.1, 1, 40))
    tails = [found.tail(distance) for distance in np.linspace(0, 200, 60)]
    assert all(one >= other - 1e-9 for one, other in pairwise(tails))
    assert found.tail(0) == 1.0
    assert found.margin(0.99) > found.margin(0.9)
    assert found.margin(1 - 1e-12) == math.inf, "the numeric law does not reach so far, and says so"


def test_equal_weights_are_treated_once_and_zeros_not_at_all() -> None:
    found = WeightedNoiseError.of(LaplaceError(1.0), [1, -1, 1, 0, 0, 0.5])
    assert found.times == (1, 3)
    assert found.weights == pytest.approx((0.5, 1.0), rel=1.1e-3)
    assert all(kept >= exact for kept, exact in zip(found.weights, (0.5, 1.0), strict=True))
    with pytest.raises(InvalidParameter):
        WeightedNoiseError.of(LaplaceError(1.0), [0, 0])
    with pytest.raises(InvalidParameter, match="Laplace or Gaussian"):
        WeightedNoiseError.of(found, [1.0]).margin(0.5)
