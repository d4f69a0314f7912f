"""Shares add up to the central law: by convolution, by samples, and Rényi divergences beside the theorem's bound."""

import math

import numpy as np
import pytest
from scipy.stats import nbinom

from privet.errors import InvalidParameter
from privet.local.distributed_noise import GaussianShares, LaplaceShares, SimulatedSecureSum
from privet.loss import DiscreteLaplaceCurve, PrivacyLoss
from privet.noise import BitSource
from tests.support.statistics import assert_does_not_follow, assert_follows


def laplace(scale: float) -> dict[int, float]:
    t = math.exp(-1 / scale)
    return {k: (1 - t) / (1 + t) * t ** abs(k) for k in range(-60, 61)}


def test_honest_shares_add_up_to_discrete_laplace_noise(source: BitSource) -> None:
    """n = 40,000 sums of five shares, false alarm 1e-6; the control has a scale 30 % off."""
    shares = LaplaceShares(parties=8, honest=5, epsilon=1)
    sums = shares.shares(5 * 40_000, entropy=source).reshape(5, -1).sum(axis=0)
    assert_follows(sums, laplace(1.0))
    assert_does_not_follow(sums, laplace(0.7))
    assert shares.loss == PrivacyLoss.of(DiscreteLaplaceCurve(1))


def test_shares_of_a_geometric_number_by_convolution() -> None:
    part = nbinom.pmf(np.arange(80), 1 / 3, 1 - math.exp(-1))
    whole = np.convolve(np.convolve(part, part), part)[:80]
    assert whole == pytest.approx(nbinom.pmf(np.arange(80), 1, 1 - math.exp(-1)), abs=1e-15)


@pytest.mark.parametrize(("honest", "scale"), [(4, 1.0), (4, 2.0), (9, 3.0), (3, 0.9)])
def test_sums_of_discrete_gaussians_keep_the_bound(honest: int, scale: float) -> None:
    """Rényi divergences of the convolution and its shift by 1, at several orders, never above rho times the order."""
    shares = GaussianShares(parties=honest, honest=honest, scale=scale)
    k = np.arange(-60, 61)
    one = np.exp(-(k**2) / (2 * float(shares._share) ** 2))
    one /= one.sum()
    law = one
    for _ in range(honest - 1):
        law = np.convolve(law, one)
    p, q = law[1:], law[:-1]
    kept = (p > 1e-250) & (q > 1e-250)
    for order in (1.5, 2, 4, 8):
        divergence = math.log(np.sum(np.exp(order * np.log(p[kept]) - (order - 1) * np.log(q[kept])))) / (order - 1)
        assert divergence <= shares.rho * order


def test_large_shares_cost_what_a_central_gaussian_costs() -> None:
    shares = GaussianShares(parties=1000, honest=501, scale=100, sensitivity=3)
    assert shares.rho == pytest.approx(9 / (2 * 100**2), rel=1e-6)
    assert shares.loss.zcdp() >= 9 / (2 * 100**2)


def test_a_secure_sum_tells_the_sum_alone(source: BitSource) -> None:
    secure = SimulatedSecureSum(parties=4, modulus=1 << 20, entropy=source)
    assert secure.total(secure.masked([1, -2, 3, -40_000])) == -39_998
    sent = [secure.masked([7, 0, 0, 0])[0] >> 18 for _ in range(20_000)]
    assert_follows(sent, dict.fromkeys(range(4), 0.25))  # what a party sends is uniform
    assert_does_not_follow(sent, {0: 0.28, 1: 0.24, 2: 0.24, 3: 0.24})


def test_a_noisy_total_is_near_the_sum(source: BitSource) -> None:
    shares = LaplaceShares(parties=20, honest=10, epsilon=2)
    secure = SimulatedSecureSum(parties=20, entropy=source)
    found = shares.noisy_total([10] * 20, secure=secure, entropy=source)
    assert abs(found - 200) < 40  # twice the noise of scale 1/2: off by more once in 10^15


def test_shares_of_hardly_any_noise_are_drawn() -> None:
    assert LaplaceShares(parties=3, honest=2, epsilon=50).shares(1000).any() == np.False_  # a share of 1e-22 is not 0


def test_many_parties_are_priced_at_once_from_above() -> None:
    """All terms of the sum but 4,096 are counted as that one, which is larger; here they count."""
    shares = GaussianShares(parties=10**12, honest=10**12, scale=10**6)
    assert 1 / (2 * 10**12) < shares.rho < 10**6
    few = GaussianShares(parties=6_000, honest=6_000, scale=60)
    k = np.arange(1, 6_000)
    gap = 10 * np.exp(-2 * np.pi**2 * float(few._share) ** 2 * k / (k + 1)).sum()
    assert few.rho >= min(1 / 60**2 + gap / 2, (1 / 60 + gap) ** 2) / 2


def test_parties_add_up_whole_numbers_only() -> None:
    for numbers in ([1.5, 2, 3], [math.nan, 1, 2], ["1", 2, 3]):
        with pytest.raises(InvalidParameter, match="whole numbers"):
            SimulatedSecureSum(parties=3).masked(numbers)  # type: ignore[arg-type]
        with pytest.raises(InvalidParameter, match="whole numbers"):
            LaplaceShares(3, 2, 1).noisy_total(numbers, secure=SimulatedSecureSum(parties=3))  # type: ignore[arg-type]


def test_refuses_what_cannot_be_added() -> None:
    with pytest.raises(InvalidParameter, match="honest"):
        LaplaceShares(parties=3, honest=4, epsilon=1)
    with pytest.raises(InvalidParameter, match="at least sensitivity"):
        LaplaceShares(parties=3, honest=3, epsilon="1e-6")
    with pytest.raises(InvalidParameter, match="each of 3 parties"):
        SimulatedSecureSum(parties=3).total([1, 2])
    with pytest.raises(InvalidParameter, match="parties has a number"):
        GaussianShares(parties=3, honest=2, scale=1).noisy_total([1], secure=SimulatedSecureSum(parties=3))
