"""Mission rows R138 to R140: kernel regression, the sensitivity sampler, and what its result may claim."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Ledger, Sensitive, Unit
from privet.errors import BudgetExceeded
from privet.loss import Guarantee
from privet.mechanisms import Bernstein, Laplace
from privet.stats.functions.priestley_chao import PriestleyChao
from privet.stats.functions.sampled_sensitivity import sampled_sensitivity
from privet.stats.functions.sampling_plan import SamplingPlan
from tests.golden.printed import agrees

XS = np.linspace(0, 1, 50)


def noisy_waves(seed: int, n: int) -> NDArray[np.float64]:
    """The data of the row: x uniform on [0, 1], y = x sin(10 x) and a normal error of 0.2."""
    generator = np.random.default_rng(seed)
    x = generator.random(n)
    return np.stack((x, x * np.sin(10 * x) + generator.normal(0, 0.2, n)), axis=1)


def as_the_code_has_it(rows: NDArray[np.float64], at: float) -> float:
    """The regression in plain loops: sorted, the first point without a gap, kernel exp(-u²/2), bandwidth 0.1."""
    ordered = sorted((float(x), float(y)) for x, y in rows)
    terms = [
        (ordered[i][0] - ordered[i - 1][0]) * ordered[i][1] * math.exp(-(((at - ordered[i][0]) / 0.1) ** 2) / 2)
        for i in range(1, len(ordered))
    ]
    return math.fsum(terms) / 0.1


@pytest.mark.parametrize("n", [2, 100, 1000])
def test_r138_the_unnormalized_regression_is_reproduced(n: int) -> None:
    rows = noisy_waves(n, n)
    curve = PriestleyChao("0.1", normalized=False)(rows)
    for at in XS[::7]:
        assert curve(at) == pytest.approx(as_the_code_has_it(rows, float(at)), rel=1e-12, abs=1e-12)


def test_r138_it_is_too_large_by_the_root_of_two_pi() -> None:
    rows = noisy_waves(1, 5000)
    wrong = PriestleyChao("0.1", normalized=False)(rows)
    right = PriestleyChao("0.1")(rows)
    assert all(agrees(ratio, "2.5066") for ratio in wrong(XS) / right(XS))
    middle = XS[(XS > 0.25) & (XS < 0.75)]  # a kernel of 0.1 leaves e^(-1/2) of such waves; the ends hang over
    smoothed = np.exp(-0.5) * (middle * np.sin(10 * middle) + 0.1 * np.cos(10 * middle))
    assert np.abs(right(middle) - smoothed).max() < 0.06
    assert np.abs(wrong(middle) - smoothed).max() > 0.3


def test_r138_constant_spacing_is_offered_too() -> None:
    """The printed formula has (b - a)/n, the code the gaps; on even points they are the same but for the first."""
    x = np.arange(1, 1001) / 1000
    rows = np.stack((x, x * np.sin(10 * x)), axis=1)
    gaps = PriestleyChao("0.1")(rows)
    even = PriestleyChao("0.1", spacing="even")(rows)
    assert np.abs(gaps(XS) - even(XS)).max() < 1e-4
    rough = noisy_waves(2, 1000)
    assert np.abs(PriestleyChao("0.1")(rough)(XS) - PriestleyChao("0.1", spacing="even")(rough)(XS)).max() > 1e-3


def test_r139_sensitivity_sampler() -> None:
    both = SamplingPlan.of(m=500, gamma=0.2)
    assert agrees(float(both.rho), "0.0071093")
    assert both.k == 439
    tenth = SamplingPlan.of(gamma=0.1)
    assert (tenth.m, tenth.k) == (285, 285)
    assert SamplingPlan.of(gamma=0.05).m == 1305
    assert agrees(float(SamplingPlan.of(m=100).gamma), "0.159724")


def test_r139_the_last_step_returns_the_order_statistic() -> None:
    """The printed algorithm forgets to return the k-th smallest move; it is not the largest, nor the mean."""
    draws = iter(np.random.default_rng(9).random((500, 2)))
    found = sampled_sensitivity(lambda rows: float(rows[0]), lambda _: next(draws), 1, m=500, gamma=0.2)
    moves = np.sort(np.abs(np.diff(np.random.default_rng(9).random((500, 2)), axis=1)).ravel())
    assert float(found.l1) == pytest.approx(moves[438], rel=1e-12)


def curves_at_random(generator: np.random.Generator, count: int) -> NDArray[np.float64]:
    """The source of records that goes with the package: each call draws from another curve."""
    x = generator.random(count)
    y = np.zeros(count)
    if generator.random() < 0.95:
        y = y + x
    for wave in (np.sin, np.cos):
        if generator.random() < 0.5:
            y = y * wave(x)
    return np.stack((x, y + generator.normal(0, 0.2, count)), axis=1)


@pytest.mark.parametrize(("n", "printed"), [(100, 0.09207), (500, 0.01843), (5000, 0.001859)])
def test_r139_sensitivities_of_the_regression(n: int, printed: float) -> None:
    """One order statistic of 500 varies by about 8 %; so that the printed one is met, the source is called as there.

    Three calls for each pair: for the n - 1 shared rows, and for each of the two that differ. Records that are all
    drawn alike give about a fifth less.
    """
    generator = np.random.default_rng(n)

    def three_calls(count: int) -> NDArray[np.float64]:
        return np.concatenate([curves_at_random(generator, each) for each in (count - 2, 1, 1)])

    f = PriestleyChao("0.1", normalized=False).on(np.arange(26) / 25)
    found = [float(sampled_sensitivity(f, three_calls, n, m=500, gamma=0.2, norm="linf").linf) for _ in range(4)]
    assert abs(np.mean(found) / printed - 1) < 0.15
    seeds = iter(range(10**6))
    alike = sampled_sensitivity(f, lambda count: noisy_waves(next(seeds), count), n, m=500, gamma=0.2, norm="linf")
    assert 0.6 < float(alike.linf) / printed < 1


def test_r140_the_result_is_labelled_random_dp() -> None:
    """A thesis claims pure ε-DP with gamma = 0.2."""
    person = Unit("person", "replace")
    seeds = iter(range(10**6))
    mechanism_points = np.arange(26) / 25
    f = PriestleyChao("0.1", normalized=False).on(mechanism_points)
    sampled = sampled_sensitivity(
        f, lambda count: noisy_waves(next(seeds), count), 100, m=500, gamma="0.2", norm="linf"
    )
    assert sampled.gamma == Fraction(1, 5)
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=sampled.linf, degree=25)
    rows = noisy_waves(0, 100)
    secret: Sensitive[Any] = Sensitive.later(lambda: f(rows), sampled, person)
    with pytest.raises(BudgetExceeded, match="not random DP"):
        Ledger(Guarantee(1), unit=person).release(secret, mechanism, purpose="a curve")
    release = Ledger(Guarantee(1, gamma="0.2"), unit=person).release(secret, mechanism, purpose="a curve")
    assert "spent (ε=1, γ=0.2) random DP per person" in repr(release)


def test_r140_pure_dp_would_be_false() -> None:
    """Of the mean of normal records, sampled with gamma = 0.2: a neighbor with one large record is told apart.

    The loss of Laplace noise between answers 1 apart is 1 / scale, here far above the ε that a proven bound would keep.
    """
    generator = np.random.default_rng(5)
    sampled = sampled_sensitivity(np.mean, lambda count: generator.normal(size=count), 100, m=500, gamma="0.2")
    noise = Laplace.calibrated(epsilon=1, sensitivity=sampled)
    usual = np.zeros(100)
    outlier = np.r_[np.zeros(99), 100.0]
    assert abs(usual.mean() - outlier.mean()) / float(noise.scale) > 30
