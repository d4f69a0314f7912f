"""Bounds from counts: against the definition, published figures, and simulated coverage."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from privet.audit.bounds import Box, Seen, at_least, at_most, lower_epsilon, promising, wilson
from privet.noise import BitSource


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (1, 10), (10, 10), (3, 1000), (500_000, 10**6), (1, 10**9)])
@pytest.mark.parametrize("alpha", [0.05, 1e-6, 1e-12])
def test_bounds_are_where_the_binomial_tail_is_alpha(hits: int, trials: int, alpha: float) -> None:
    """The definition: at the lower bound, so many hits or more have probability alpha; likewise above."""
    low, high = at_least(hits, trials, alpha), at_most(hits, trials, alpha)
    assert 0 <= low <= hits / trials <= high <= 1
    if hits:
        assert binom.sf(hits - 1, trials, low) == pytest.approx(alpha, rel=1e-4)
        assert binom.sf(hits - 1, trials, low) <= alpha * (1 + 1e-12)  # rounded against us
    if hits < trials:
        assert binom.cdf(hits, trials, high) == pytest.approx(alpha, rel=1e-3)
        assert low == pytest.approx(float(beta.ppf(alpha, hits, trials - hits + 1)) if hits else 0.0, rel=1e-6)


@pytest.mark.parametrize(
    ("probabilities", "trials", "expected"),
    [
        ((0.5, 0.5 * math.exp(-1)), 10_000, 0.85),
        ((0.5, 0.5 * math.exp(-2)), 10_000, 1.77),
        ((0.875, 0.125), 10**5, 1.90),
    ],
)
def test_expected_counts_give_the_published_bounds(
    probabilities: tuple[float, float], trials: int, expected: float
) -> None:
    hits, others = (round(each * trials) for each in probabilities)
    assert Seen(hits, trials, others, trials).likely(1e-6).epsilon(0) == pytest.approx(expected, abs=0.011)


def test_coverage_is_at_least_what_is_stated(source: BitSource) -> None:
    """n = 4,000 experiments of 200 coins at alpha = 0.05: more than 310 errors would be a chance below 1e-6."""
    words = source.words(2 * 4000 * 200).reshape(2, 4000, 200) / 2.0**64
    rates = 0.3, 0.3 * math.exp(-1)
    counts = [(words[side] < rate).sum(axis=1) for side, rate in enumerate(rates)]
    found = [Seen(int(p), 200, int(q), 200).likely(0.05).epsilon(0) for p, q in zip(*counts, strict=True)]
    limit = float(binom.isf(1e-6, 4000, 0.05))
    assert sum(each > 1 for each in found) <= limit
    assert sum(each > 0.4 for each in found) > limit  # the control: a bound that is often above a smaller ε


def test_a_box_says_what_definitions_say() -> None:
    box = Box(0.5, 0.1)
    assert box.epsilon(0) == pytest.approx(math.log(5))
    assert box.epsilon(0.1) == pytest.approx(math.log(4))
    assert box.delta(1.0) == pytest.approx(0.5 - 0.1 * math.e)
    assert box.mu() == pytest.approx(norm.ppf(0.5) - norm.ppf(0.1))
    assert box.renyi(2) == pytest.approx(math.log(0.25 / 0.1 + 0.25 / 0.9))
    assert Box(1.0, 0.0).epsilon(0) == Box(1.0, 0.0).renyi(2) == math.inf
    assert Box(0.1, 0.5) == Box(0.1, 0.5)
    assert [Box(0.1, 0.5).epsilon(0), Box(0.1, 0.5).delta(0), Box(0.1, 0.5).mu(), Box(0.1, 0.5).renyi(2)] == [0.0] * 4
    assert Box(1.0, 0.5).renyi(2) == pytest.approx(math.log(2))


def test_a_gaussian_event_shows_its_mu_and_no_more() -> None:
    """For noise of deviation 1 and a move of 1 every threshold has the same μ: 1."""
    for cut in (-1.0, 0.0, 0.5, 3.0):
        assert Box(float(norm.sf(cut - 1)), float(norm.sf(cut))).mu() == pytest.approx(1, rel=1e-6)


def test_the_quick_bound_is_near_the_exact_one() -> None:
    rates = np.array([0.5, 0.1, 0.01])
    assert wilson(rates, 10_000, -4.9) == pytest.approx(
        [at_least(round(r * 10_000), 10_000, 5e-7) for r in rates], rel=0.1
    )
    guess = promising(np.array([5000]), np.array([1839]), (10_000, 10_000), delta=0, later=10_000, alpha=1e-6)
    assert float(guess[0]) == pytest.approx(lower_epsilon(5000, 1839, 10_000, 0, 5e-7), abs=0.05)
    assert promising(np.array([0]), np.array([5]), (10, 10), delta=0, later=100, alpha=0.1)[0] == -math.inf
