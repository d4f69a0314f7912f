"""How many right guesses a claim allows: published numbers, and the best that any law of right guesses can do."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privet.audit.right_guesses import (
    chance_of,
    claimed_least,
    epsilon_of,
    gaussian_least,
    mu_of,
    of_lines,
    too_many,
)
from privet.loss import ConcentratedGuarantee, GaussianCurve, Guarantee, PrivacyLoss


def test_delta_is_added_as_by_a_sum_written_out() -> None:
    m, r, v, epsilon, delta = 50, 20, 17, 0.8, 1e-3
    coin = 1 / (1 + math.exp(-epsilon))
    mass = [math.comb(r, k) * coin**k * (1 - coin) ** (r - k) for k in range(r + 1)]
    worst = max(sum(mass[v - i : v]) / i for i in range(1, v + 1))
    assert chance_of(m, r, v, epsilon, delta) == pytest.approx(sum(mass[v:]) + 2 * m * delta * worst)


def test_more_right_guesses_are_less_probable_and_delta_makes_them_more_so() -> None:
    chances = [chance_of(100, 100, right, 1.0, 1e-4) for right in range(0, 101, 10)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == 1
    deltas = [chance_of(100, 100, 90, 1.0, delta) for delta in (0, 1e-6, 1e-4, 1e-2)]
    assert deltas == sorted(deltas)
    assert epsilon_of(100, 100, 50, 0, 0.05) == 0


@pytest.mark.parametrize(("canaries", "guesses", "right"), [(6, 6, 5), (8, 5, 5), (9, 9, 6)])
@pytest.mark.parametrize("lines", [[(0.7, 0.0)], [(1.0, 0.05)], [(0.2, 0.1), (0.8, 0.02), (1.5, 0.001)]])
def test_the_recursion_is_the_best_law_of_right_guesses(
    canaries: int, guesses: int, right: int, lines: list[tuple[float, float]]
) -> None:
    """All laws of right guesses that keep every constraint, by linear programming: the largest chance is the same."""
    places = np.arange(guesses + 1)
    hit, missed = places / canaries, (guesses - places) / canaries
    rows, ends = [], []
    for place in range(guesses):
        above, here = np.where(places > place, hit, 0.0), np.where(places >= place, missed, 0.0)
        for epsilon, delta in lines:
            rows += [above - math.exp(epsilon) * here, math.exp(epsilon) * above - here]
            ends += [delta, delta - 1 + math.exp(epsilon)]
    total = np.ones((1, guesses + 1))
    best = linprog(-(places >= right).astype(float), A_ub=rows, b_ub=ends, A_eq=total, b_eq=[1.0], method="highs")
    chance, least = -float(best.fun or 0), of_lines(lines)
    assert too_many(canaries, guesses, right, least, chance * 1.001)
    assert not too_many(canaries, guesses, right, least, chance * 0.999)


def test_claims_are_read_as_trade_offs() -> None:
    """A Gaussian's curve by its lines is no better than the Gaussian itself, and nearly as good."""
    curve, exact = claimed_least(PrivacyLoss.of(GaussianCurve(1))), gaussian_least(1.0)
    for chance in (0.001, 0.1, 0.5, 0.9, 0.999):
        assert 0.9 * exact(chance) <= curve(chance) <= exact(chance) * (1 + 1e-6)
    assert claimed_least(ConcentratedGuarantee("0.5"))(0.5) <= exact(0.5)  # what a Gaussian with μ = 1 is
    assert claimed_least(Guarantee(1))(0.5) == pytest.approx(0.5 / math.e)
    assert mu_of(400, 400, 400, 0.05) > mu_of(400, 400, 380, 0.05) > mu_of(400, 400, 200, 0.05) == 0
