"""Mission rows R100 to R107: the composition theorems, and three printed forms that are not theorems."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from privet.explain.theorems import (
    advanced_composition,
    basic_composition,
    compare_composition,
    gaussian_curve,
    gaussian_epsilon,
    improved_composition,
    optimal_composition,
    renyi_composition,
    renyi_composition_standard,
    zcdp_composition_standard,
    zcdp_to_epsilon_standard,
)
from privet.loss.divergences.divergence import hockey_stick
from privet.loss.divergences.inference import smallest_error_sum, tradeoff
from tests.golden.printed import agrees

ROOT = math.sqrt(2 * 100 * math.log(100))  # k = 100, ε = 1, δ' = 0.01


def true_delta(epsilon: float, times: int, at: float) -> float:
    """The exact δ of `times` randomized responses, the worst ε-DP releases, by their binomial laws."""
    heads = np.arange(times + 1)
    p = binom.pmf(heads, times, 1 / (1 + math.exp(-epsilon)))
    return hockey_stick(p, p[::-1], epsilon=at)


def test_r100_advanced_composition_of_kairouz_oh_viswanath() -> None:
    assert agrees(improved_composition(0.1, times=100, delta="1e-5"), "5.298110")
    assert agrees(improved_composition(1, times=100, delta="0.01"), "76.560")


def test_r100_denominator_e_to_the_epsilon_plus_one_is_unsafe() -> None:
    spread = 0.1 * math.sqrt(200 * math.log(1e5))
    assert agrees(spread + 100 * 0.1 * math.expm1(0.1) / math.exp(1.1), "5.148609")
    claimed = ROOT + 100 * math.expm1(1) / math.exp(2)
    assert agrees(claimed, "53.603")
    assert agrees(true_delta(1, 100, claimed), "0.176")
    assert agrees(optimal_composition(1, times=100, delta="0.01"), "65.408")
    assert claimed < optimal_composition(1, times=100, delta="0.01") < improved_composition(1, times=100, delta="0.01")


def test_r101_bound_without_the_second_term_is_unsafe() -> None:
    assert agrees(10 * 0.1 * math.log(1e5), "11.512925")
    claimed = 10 * 1 * math.log(100)
    assert agrees(claimed, "46.052")
    assert agrees(true_delta(1, 100, claimed), "0.457")
    assert compare_composition(1, times=100, delta="0.01").best.epsilon > claimed


def test_r102_advanced_composition_of_dwork_and_roth() -> None:
    assert agrees(advanced_composition(0.1, times=100, delta="1e-5"), "5.850235")
    assert agrees(advanced_composition(1, times=100, delta="0.01"), "202.18")
    assert basic_composition(1, times=100) == 100


def test_r103_renyi_route_with_the_loose_constant() -> None:
    """3kε²/2 + ε√(6k ln(1/δ)) is the zCDP conversion at ρ = 3kε²/2; the printed form lacks an ε."""
    route = zcdp_to_epsilon_standard("1.5", delta="1e-5")
    assert agrees(route, "9.811291")
    misprint = 1.5 + math.sqrt(600 * math.log(1e5))
    assert agrees(misprint, "84.613")
    comparison = compare_composition(0.1, times=100, delta="1e-5")
    assert all(bound.epsilon <= 10 for bound in comparison.bounds)
    named = {bound.theorem: bound.epsilon for bound in comparison.bounds}
    assert agrees(named["Rényi, threefold bound (Ferrari)"], "9.811291")
    assert comparison.best.epsilon < route < misprint


@pytest.mark.parametrize(
    ("theorem", "printed"),
    [
        (zcdp_composition_standard, "5.298526"),
        (renyi_composition_standard, "5.158213"),
        (renyi_composition, "4.615230"),
        (optimal_composition, "4.306791"),
    ],
)
def test_r104_every_route(theorem: Callable[..., float], printed: str) -> None:
    assert agrees(theorem(0.1, times=100, delta="1e-5"), printed)


def test_r104_comparison_takes_the_smallest() -> None:
    hundred, ten = (compare_composition(0.1, times=times, delta="1e-5") for times in (100, 10))
    assert agrees(hundred.best.epsilon, "4.306791")
    assert hundred.best == hundred.exact
    assert basic_composition(0.1, times=100) == 10
    assert basic_composition(0.1, times=10) == 1
    assert agrees(improved_composition(0.1, times=10, delta="1e-5"), "1.567386")
    assert agrees(ten.best.epsilon, "0.993691")
    assert [bound.epsilon for bound in ten.bounds] == sorted(bound.epsilon for bound in ten.bounds)


@pytest.mark.parametrize("times", [1, 2, 5, 20])
def test_r105_advantage_in_the_composition_game(times: int) -> None:
    """The best strategy against k pure releases tests the number of heads; it never beats tanh(kε/2)."""
    heads = np.arange(times + 1)
    p = binom.pmf(heads, times, 1 / (1 + math.exp(-0.3)))
    advantage = tradeoff(p, p[::-1]).advantage
    assert advantage <= 1 - smallest_error_sum(epsilon=0.3 * times)
    assert advantage > 1 - smallest_error_sum(epsilon=0.29)


def test_r106_renyi_adds_at_equal_order() -> None:
    assert gaussian_curve(4, order=7) * 10 == pytest.approx(7 * 0.3125)
    assert agrees(gaussian_epsilon(math.sqrt(10) / 4, delta=1e-5), "3.341409")
