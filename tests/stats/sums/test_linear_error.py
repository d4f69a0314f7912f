"""Errors of combinations: closed forms against draws."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from privet.core import Uncertainty
from privet.mechanisms import Gaussian, Laplace, Staircase
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError
from privet.noise import BitSource
from privet.stats.sums.linear_error import LinearError, RatioError, RootError, SlopeError
from tests.support.statistics import FALSE_ALARM

DRAWS = 40_000
WEIGHTS = [(1.0,), (1.0, 0.0), (1.0, 2.0), (0.5, -0.5), (1.0, 1.0, 1.0), (3.0, -0.2, 0.2, 1e-9), (0.25,) * 9]


@pytest.mark.parametrize("noise", [Laplace(1, 2), Gaussian(1, 2)])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("tail", [0.3, 0.05, 0.01])
def test_tails_are_those_of_draws(
    noise: Laplace | Gaussian, weights: tuple[float, ...], tail: float, source: BitSource
) -> None:
    """n = 40,000: the share beyond the distance is the tail, at a false-alarm rate of 1e-6; control: 15 % nearer."""
    error = LinearError(noise.uncertainty, weights)
    draws = np.asarray(noise.sample(np.zeros((DRAWS, len(weights))), source)) @ np.array(weights)
    distance = error.distance(tail)
    beyond = int((np.abs(draws) > distance).sum())
    assert binom.cdf(beyond, DRAWS, tail) > FALSE_ALARM
    assert binom.sf(beyond - 1, DRAWS, tail) > FALSE_ALARM
    nearer = int((np.abs(draws) > 0.85 * distance).sum())
    assert binom.sf(nearer - 1, DRAWS, tail) < FALSE_ALARM
    assert error.tail(distance) == pytest.approx(tail, rel=1e-3)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_tail_is_never_below_the_truth(weights: tuple[float, ...]) -> None:
    """One Laplace alone is a lower bound for a sum with it, far out and near."""
    error = LinearError(LaplaceError(1.0), weights)
    largest = max(map(abs, weights))
    for distance in (0.0, 0.1, 1.0, 10.0, 50.0):
        assert error.tail(distance) >= math.exp(-distance / largest) * (1 - 1e-12)
    assert error.distance(1e-12) >= -largest * math.log(1e-12) * (1 - 1e-12)


def test_rounding_comes_on_top() -> None:
    for kind in (LaplaceError, GaussianError):
        exact = LinearError(kind(1.0), (1.0, 1.0))
        rounded = LinearError(kind(1.0, 0.5), (1.0, 1.0))
        assert rounded.distance(0.05) == pytest.approx(exact.distance(0.05) + 0.5)


def test_other_noise_is_not_combined() -> None:
    with pytest.raises(TypeError, match="Laplace and Gaussian"):
        LinearError(Staircase(1, 1).uncertainty, (1.0, 1.0)).distance(0.05)


LAWS: list[Uncertainty] = [
    RatioError(LaplaceError(1.0), (1.0, 0.0), 0.2, 50.0, 10.0),
    RatioError(GaussianError(1.0), (1.0, 0.5, 0.0), 0.9, 500.0, 10.0, 0.01),
    SlopeError(LaplaceError(1.0), (0.1, 0.2, -0.3), 100.0),
    SlopeError(LaplaceError(1.0), (), 100.0),
    RootError(LaplaceError(1.0), 4.0),
    RootError(LaplaceError(1.0), 0.0),
]


@pytest.mark.parametrize("law", LAWS)
def test_tail_and_distance_belong_together(law: Uncertainty) -> None:
    for tail in (0.5, 0.05, 1e-4):
        distance = law.distance(tail)
        assert law.tail(distance * (1 + 1e-9)) <= tail * 1.002
    assert law.distance(0.5) <= law.distance(0.05) <= law.distance(0.001)
    assert law.tail(0.0) == 1


def test_a_share_near_the_end_is_the_less_certain() -> None:
    middle, end = (RatioError(LaplaceError(1.0), (1.0, 0.0), share, 1000.0, 1.0) for share in (0.5, 0.0))
    assert middle.margin(0.95) < end.margin(0.95) == pytest.approx(math.log(20) / 1000, rel=1e-6)


def test_hardly_any_confidence_is_a_margin_too() -> None:
    """The search began at a distance of 0, which grew by shares of itself."""
    assert 0 <= LinearError(LaplaceError(scale=1.0), (1.0, 0.5)).margin(5e-324) < 1e-6
