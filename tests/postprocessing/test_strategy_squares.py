"""Cells that are read off a strategy: least squares, with or without a known total."""

import numpy as np
import pytest

from privet.postprocessing.factorization import range_strategy
from privet.postprocessing.strategy import Strategy
from privet.postprocessing.strategy_squares import StrategySquares
from privet.postprocessing.tree import Tree

TREE = Tree.regular(6, branching=2)
EXACT = np.array([5.0, 0, 7, 1, 2, 9])
STRATEGIES = [range_strategy(6), Strategy(np.vstack([np.eye(6), np.ones((2, 6))]).astype(np.int64))]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("known", [False, True])
def test_without_noise_every_cell_is_exact(strategy: Strategy, known: bool) -> None:  # noqa: FBT001 - a case
    squares = StrategySquares(TREE, strategy, known)
    levels = squares.estimate(strategy.asked @ EXACT, total=24.0 if known else 0.0)
    for found, wanted in zip(levels, TREE.counts(EXACT.astype(np.int64)), strict=True):
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_known_total_is_kept_and_makes_the_best_of_the_noise(strategy: Strategy) -> None:
    """Against least squares with the total as one more sum of hardly any noise."""
    noisy = strategy.asked @ EXACT + np.random.default_rng(3).normal(size=len(strategy.asked))
    squares = StrategySquares(TREE, strategy, known_total=True)
    levels = squares.estimate(noisy, total=24.0)
    assert levels[0].tolist() == [24.0]
    assert levels[-1].sum() == pytest.approx(24)
    sure = 1e7 * np.ones((1, 6))
    solved = np.linalg.lstsq(np.vstack([strategy.asked, sure]), np.append(noisy, 24e7), rcond=None)[0]
    assert levels[-1] == pytest.approx(solved, abs=1e-4)


@pytest.mark.parametrize("known", [False, True])
def test_weights_are_how_estimates_move(known: bool) -> None:  # noqa: FBT001 - a case
    squares = StrategySquares(TREE, STRATEGIES[1], known)
    sums = np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 2, -1, 0, 3]])
    (weights,) = squares.weights(sums)
    start = sums @ squares.estimate(np.zeros(8), total=10)[-1]
    for place in range(8):
        moved = sums @ squares.estimate(np.eye(8)[place], total=10)[-1]
        assert moved - start == pytest.approx(weights[:, place])
