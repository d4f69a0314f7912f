"""Posteriors: parameters drawn from the prior lie anywhere in them with equal chance, which is what covering means."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from privet.learn import BetaBernoulli
from privet.learn.counted_posteriors import rate_posterior, share_posterior, share_posteriors
from privet.learn.noise_odds import NoiseOdds, spread_over
from privet.learn.normal_mean import clipped_moments
from privet.learn.posterior import Curve, Mixture
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privet.noise import BitSource
from tests.support.statistics import assert_does_not_follow, assert_follows

TENTHS = dict.fromkeys(range(10), 0.1)


def tenths(chances: list[float]) -> list[int]:
    """In which tenth of its posterior each parameter lies."""
    return [min(int(10 * chance), 9) for chance in chances]


def dice(source: BitSource) -> np.random.Generator:
    return np.random.default_rng(int(source.words(1)[0]))


@pytest.mark.parametrize("noise", [DiscreteLaplace(1, 4), DiscreteGaussian(1, 5)])
def test_shares_with_a_public_number_of_rows_cover(noise: Any, source: BitSource) -> None:  # noqa: ANN401 - a mechanism
    """n = 3,000 shares from the prior; 30 rows each. The control believes the noisy count."""
    draw = dice(source)
    shares = draw.beta(2, 1, size=3000)
    noisy = np.asarray(noise.sample(draw.binomial(30, shares), source), dtype=float)
    odds = NoiseOdds.of(noise)
    found = [share_posterior(ones, 30, odds, (2, 1)).cdf(share) for ones, share in zip(noisy, shares, strict=True)]
    assert_follows(tenths(found), TENTHS)
    believed = noisy.clip(0, 30)
    assert_does_not_follow(tenths(np.asarray(stats.beta.cdf(shares, 2 + believed, 31 - believed)).tolist()), TENTHS)


@pytest.mark.parametrize("public", [True, False])
def test_shares_of_categories_cover(public: bool, source: BitSource) -> None:  # noqa: FBT001 - a parameter
    """n = 1,000 triples of shares from the prior, and up to 40 rows. The control believes the noisy counts."""
    draw, noise = dice(source), DiscreteLaplace(1, 3)
    odds, prior = NoiseOdds.of(noise), np.array([1.0, 0.5, 2.0])
    found, believed = [], []
    for _ in range(1000):
        shares = draw.dirichlet(prior)
        rows = int(draw.integers(0, 41))
        noisy = np.asarray(noise.sample(draw.multinomial(rows, shares), source), dtype=float)
        posterior = share_posteriors(noisy, odds, prior, (0, 40), public=rows if public else None)[1]
        found.append(posterior.cdf(shares[1]))
        counts = noisy.clip(0)
        believed.append(float(stats.beta.cdf(shares[1], 0.5 + counts[1], 3 + counts[0] + counts[2])))
    assert_follows(tenths(found), TENTHS)
    assert_does_not_follow(tenths(believed), TENTHS)


def test_rates_cover(source: BitSource) -> None:
    """n = 1,000 rates from the prior, and up to 30 rows, counted with noise. The control believes the noisy numbers."""
    draw, many, total = dice(source), DiscreteLaplace(1, 3), DiscreteLaplace(1, 12)
    found, believed = [], []
    for _ in range(1000):
        rate, rows = draw.gamma(2, 1.5), int(draw.integers(0, 31))
        exact = int(draw.poisson(rate, rows).sum())
        number, noisy = (float(one.sample(each, source)) for one, each in ((many, rows), (total, exact)))
        numbers = spread_over(*NoiseOdds.of(many).window(number, 0, 30))
        logs = NoiseOdds.of(many).logs(number - numbers)
        found.append(rate_posterior(noisy, NoiseOdds.of(total), numbers, logs, (2, 1 / 1.5)).cdf(rate))
        believed.append(float(stats.gamma.cdf(rate, 2 + max(noisy, 0), scale=1 / (1 / 1.5 + max(number, 0)))))
    assert_follows(tenths(found), TENTHS)
    assert_does_not_follow(tenths(believed), TENTHS)


def brute_force(ones: float, zeros: float, scale: float, rows: int) -> tuple[float, float]:
    """Mean and deviation of a share by integration, with every pair of counts summed."""

    def density(share: float, power: int) -> float:
        total = 0.0
        for number in range(rows + 1):
            hits = np.arange(number + 1)
            odds = np.exp(-np.abs(ones - hits) / scale - np.abs(zeros - (number - hits)) / scale)
            total += float((odds * stats.binom.pmf(hits, number, share)).sum())
        return total * share**power

    weight, first, second = (
        integrate.quad(density, 0, 1, args=(power,), epsabs=0, epsrel=1e-10)[0] for power in (0, 1, 2)
    )
    return first / weight, math.sqrt(second / weight - (first / weight) ** 2)


@pytest.mark.parametrize(("ones", "zeros"), [(8.0, -2.0), (3.0, 5.0), (0.0, 0.0), (-9.0, -9.0)])
def test_sums_are_those_of_brute_force(ones: float, zeros: float) -> None:
    found = share_posteriors(np.array([zeros, ones]), NoiseOdds(2.0, laplace=True), np.ones(2), (0, 12))[1]
    mean, sd = brute_force(ones, zeros, 2.0, 12)
    assert found.mean == pytest.approx(mean, abs=1e-9)
    assert found.sd == pytest.approx(sd, abs=1e-9)


def test_coarse_steps_lie_near_fine_ones() -> None:
    odds = NoiseOdds(100.0, laplace=True)
    coarse = share_posterior(700.0, 100_000, odds, (1, 1))
    exact = stats.beta(1 + np.arange(10_000), 1 + 100_000 - np.arange(10_000))
    weights = np.exp(-np.abs(700 - np.arange(10_000)) / 100)
    assert coarse.mean == pytest.approx(float(weights @ exact.mean() / weights.sum()), rel=1e-6)
    two = share_posteriors(np.array([99_300.0, 700.0]), odds, np.ones(2), (0, 2**50), public=100_000)[1]
    assert two.mean == pytest.approx(coarse.mean, rel=0.2)


def test_many_categories_are_summed_as_few_are() -> None:
    """Long sums by transforms, short ones plainly: the same shares where all categories look alike."""
    odds, noisy = NoiseOdds(12.0, laplace=True), np.full(12, 50.0)
    found = share_posteriors(noisy, odds, np.ones(12), (0, 2**50))
    assert [each.mean for each in found] == pytest.approx([1 / 12] * 12, abs=1e-6)
    assert found[0].sd > stats.beta(51, 561).std()


def test_known_numbers() -> None:
    """1,000 rows of which 300 have it, with an even prior: the mean is 301/1002, and Laplace noise of ε = 1 moves it by
    √2/1002 = .001411; that on whole numbers, which is what is added, by less."""
    quiet = share_posterior(300.0, 1000, NoiseOdds(1e-3, laplace=True), (1, 1))
    assert quiet.mean == pytest.approx(0.300399, abs=1e-6)
    assert math.sqrt(2) / 1002 == pytest.approx(0.001411, abs=1e-6)
    assert math.sqrt(DiscreteLaplace(1, 1).variance) / 1002 == pytest.approx(0.001354, abs=1e-6)
    noisy = share_posterior(300.0, 1000, NoiseOdds(1.0, laplace=True), (1, 1))
    assert noisy.sd > quiet.sd
    wide = share_posterior(300.0, 1000, NoiseOdds(10.0, laplace=True), (1, 1))
    assert wide.sd**2 - quiet.sd**2 == pytest.approx(
        2 * 10**2 / 1002**2, rel=0.15
    )  # the variance of the noise comes on top


def test_a_public_number_of_rows_counts_ones_alone() -> None:
    model = BetaBernoulli(epsilon=1, neighbors="replace").fit([[1.0]] * 300 + [[0.0]] * 700)
    assert len(model.counts_) == 1
    assert model._odds == NoiseOdds(1.0, laplace=True)


@pytest.mark.parametrize("odds", [NoiseOdds(3.0, laplace=True), NoiseOdds(3.0, laplace=False)])
def test_noise_plus_normal_is_what_integration_says(odds: NoiseOdds) -> None:
    places, variances = np.array([-20.0, -1.0, 0.0, 4.0, 12.0]), np.array([1e-4, 1.0, 25.0])

    def joined(place: float, variance: float) -> float:
        sd = math.sqrt(variance)

        def density(x: float) -> float:
            return math.exp(float(odds.logs(np.array(place - x)))) * math.exp(-x * x / variance / 2) / sd

        ends = sorted({-12 * sd, 12 * sd, min(max(place, -12 * sd), 12 * sd)})
        return sum(integrate.quad(density, *pair, epsabs=0)[0] for pair in itertools.pairwise(ends))

    found = odds.logs_with_normal(places[:, None], variances[None, :])
    expected = np.log([[joined(place, variance) for variance in variances] for place in places])
    assert np.ptp(found - expected) < 1e-3


def test_moments_of_clipped_numbers() -> None:
    draw = np.random.default_rng(3)
    for mean, sd in ((0.0, 0.3), (0.9, 0.3), (0.5, 2.0)):
        clipped = draw.normal(mean, sd, 400_000).clip(-1, 1)
        expected, variance = clipped_moments(np.array([mean]), sd)
        assert expected[0] == pytest.approx(clipped.mean(), abs=6 / math.sqrt(400_000))
        assert variance[0] == pytest.approx(clipped.var(), abs=6 / math.sqrt(400_000))


def test_what_a_posterior_says_of_itself() -> None:
    mixture = Mixture.of(np.zeros(1), np.array([3.0]), np.array([2.0]), beta=False)
    assert mixture.interval(0.9) == pytest.approx(stats.gamma(3, scale=0.5).interval(0.9))
    assert mixture.sd == pytest.approx(math.sqrt(3) / 2)
    curve = Curve(np.linspace(-8, 8, 801), -(np.linspace(-8, 8, 801) ** 2) / 2)
    assert curve.interval() == pytest.approx((-1.95996, 1.95996), abs=1e-3)
    assert curve.cdf(curve.quantile(0.3)) == pytest.approx(0.3)
    assert curve.sd == pytest.approx(1, abs=1e-3)


def test_the_noise_of_a_mechanism() -> None:
    assert NoiseOdds.of(Laplace(1, 4), unit=2) == NoiseOdds(2.0, laplace=True)
    assert NoiseOdds.of(Gaussian(1, 4)) == NoiseOdds(4.0, laplace=False)
    assert NoiseOdds(2.0, laplace=True).window(-500, 0, 100) == (0, 100)
    assert NoiseOdds(2.0, laplace=True).window(500, 0, 100) == (0, 100)
    assert NoiseOdds(2.0, laplace=True).window(500, 0, 400) == (278, 400)
