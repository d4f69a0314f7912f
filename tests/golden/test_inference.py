"""Mission rows R032 to R036: what a test and what Bayes' rule can make of a release."""

import math

import numpy as np
import pytest

from privet.loss.divergences.inference import posterior, posterior_bounds, smallest_error_sum, smallest_miss, tradeoff
from tests.golden.printed import agrees

MATRIX = [[0.75, 0.25], [0.25, 0.75]]
EPSILON = math.log(3)


@pytest.mark.parametrize(
    ("epsilon", "printed"), [(0.0, "1.000000"), (0.1, "0.950042"), (1.0, "0.537883"), (2.0, "0.238406")]
)
def test_r032_smallest_sum_of_errors(epsilon: float, printed: str) -> None:
    assert agrees(smallest_error_sum(epsilon=epsilon), printed)
    truth = 1 / (1 + math.exp(-epsilon))
    attained = tradeoff([truth, 1 - truth], [1 - truth, truth])
    assert attained.smallest_error_sum == pytest.approx(smallest_error_sum(epsilon=epsilon), abs=1e-12)


def test_r032_best_advantage() -> None:
    assert agrees(1 - smallest_error_sum(epsilon=1), "0.462117")
    assert 1 - smallest_error_sum(epsilon=1) == pytest.approx(math.tanh(0.5), abs=1e-12)


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_r032_trade_off_region(delta: float) -> None:
    epsilon = 1.0
    for alarm in np.linspace(0, 1, 21):
        miss = smallest_miss(float(alarm), epsilon=epsilon, delta=delta)
        sides = (alarm + math.e * miss, math.e * alarm + miss)
        assert min(sides) >= 1 - delta - 1e-12
        assert miss == 0 or min(sides) == pytest.approx(1 - delta, abs=1e-12)


def test_r033_conditional_testing_bound_is_true_but_loose() -> None:
    """Given any event the two errors sum to at least e^{-2ε}; the tight value is 2/(1+e^ε) here too."""
    assert agrees(1 - math.exp(-0.2), "0.181269")
    attained = tradeoff(*MATRIX).smallest_error_sum
    assert attained == pytest.approx(0.5, abs=1e-12)
    assert attained >= math.exp(-2 * EPSILON) == pytest.approx(1 / 9)
    assert attained == pytest.approx(smallest_error_sum(epsilon=EPSILON), abs=1e-12)


@pytest.mark.parametrize(
    ("prior", "after_yes", "after_no"), [(0.1, "0.250000", "0.035714"), (0.9, "0.964286", "0.750000")]
)
def test_r034_and_r036_posterior_of_randomized_response(prior: float, after_yes: str, after_no: str) -> None:
    table = posterior(MATRIX, [prior, 1 - prior])
    assert agrees(table[0, 0], after_yes)
    assert agrees(table[1, 0], after_no)
    low, high = posterior_bounds(prior, epsilon=EPSILON)
    assert math.exp(-EPSILON) * prior <= low <= table[1, 0]
    assert table[0, 0] <= high <= min(1.0, math.exp(EPSILON) * prior) + 1e-12


def test_r034_crude_bounds_at_prior_one_tenth() -> None:
    assert agrees(math.exp(-EPSILON) * 0.1, "0.033333")
    assert agrees(math.exp(EPSILON) * 0.1, "0.300000")


@pytest.mark.parametrize("prior", [1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
def test_r035_odds_move_by_three_times_the_prior_odds(prior: float) -> None:
    """Without the prior odds the bound "posterior odds <= e^ε" is false: at prior 0.9 the odds are 27."""
    after = posterior(MATRIX, [prior, 1 - prior])[0]
    assert (after[0] / after[1]) / (prior / (1 - prior)) == pytest.approx(3, rel=1e-9)
    if prior == 0.9:
        assert after[0] / after[1] > math.exp(EPSILON) * 8


def test_r034_product_prior_is_essential() -> None:
    """Two people with one secret: each report is 3 to 1, together they are 9 to 1 against that secret."""
    both = [np.outer(MATRIX[bit], MATRIX[bit]).ravel() for bit in (0, 1)]
    after = posterior(np.array(both), [0.1, 0.9])
    assert after.max(axis=0)[0] > posterior_bounds(0.1, epsilon=EPSILON)[1]
