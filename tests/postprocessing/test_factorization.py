"""Strategies for Gaussian noise: near the least variance that any can have, in whole numbers."""

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.noise.lazy import Floats
from privet.postprocessing.factorization import gaussian_strategy, prefix_strategy, range_strategy
from privet.postprocessing.strategy import Strategy

NEAR = 1.01  # times the least error
STEPS = 100  # of the fixed point: after so many the bound is within a thousandth of what four times as many find
GENERATOR = np.random.default_rng(20)
PREFIXES = np.tril(np.ones((40, 40), dtype=np.int64))
WORKLOADS = {
    "prefixes": PREFIXES,
    "disjoint": np.eye(30, dtype=np.int64),
    "disjoint and total": np.vstack([np.eye(30), np.ones((1, 30))]).astype(np.int64),
    "fewer questions than cells": GENERATOR.integers(0, 2, (20, 50)),
    "more questions than cells": GENERATOR.integers(0, 2, (60, 20)),
    "one question often": np.ones((5, 1), dtype=np.int64),
    "a question twice": np.vstack([PREFIXES[::2], PREFIXES[::2], PREFIXES[-1:]]),
    "weights": GENERATOR.integers(-3, 4, (25, 25)),
}


def error(strategy: Strategy, questions: Floats | np.ndarray) -> float:
    """The root of the mean variance, where the noise is as long as one row's move."""
    return float(strategy.moves(rows=1, replaced=False).l2) * float(np.sqrt(strategy.variances(questions).mean()))


def least(questions: np.ndarray) -> float:
    """What no strategy errs by less than: the bound by singular values, which holds for every weighting of the cells.

    The weights are found here by plain steps of the fixed point, other than those of the search.
    """
    best, weights = 0.0, np.ones(questions.shape[1])
    for _ in range(STEPS):
        _, sizes, vectors = np.linalg.svd(questions * np.sqrt(weights), full_matrices=False)
        best = max(best, float(sizes.sum()) / np.sqrt(weights.sum() * len(questions)))
        weights = np.maximum((vectors.T**2) @ sizes, 1e-12)
    return best


@pytest.mark.parametrize("name", WORKLOADS)
def test_no_strategy_errs_less_by_a_percent(name: str) -> None:
    questions = WORKLOADS[name][:, WORKLOADS[name].any(axis=0)]
    found = error(gaussian_strategy(questions), questions)
    assert least(questions) * 0.9999 <= found <= NEAR * least(questions)


def test_cells_in_order_need_no_list_of_questions() -> None:
    size = 300  # more than the search begins with
    ranges = np.array(
        [[first <= place < after for place in range(24)] for after in range(25) for first in range(after)]
    )
    assert error(range_strategy(24), ranges) == pytest.approx(error(gaussian_strategy(ranges), ranges), rel=0.005)
    prefixes = np.tril(np.ones((size, size)))
    bound = least(prefixes)
    assert error(prefix_strategy(size), prefixes) <= NEAR * bound
    assert error(Strategy(np.eye(size, dtype=np.int64)), prefixes) > 4 * bound  # control


def test_the_known_optimum_is_met() -> None:
    assert error(prefix_strategy(256), np.tril(np.ones((256, 256)))) / np.sqrt(0.2) == pytest.approx(5.646, rel=0.005)


def test_one_workload_is_factorized_once() -> None:
    assert gaussian_strategy(PREFIXES) is gaussian_strategy(PREFIXES.copy())


def test_what_is_no_workload_is_refused() -> None:
    for questions in ([1, 2], [[0.5]], np.empty((0, 3))):
        with pytest.raises(InvalidParameter, match="a workload must be a table"):
            gaussian_strategy(questions)
    with pytest.raises(InvalidParameter, match="up to 1,024 cells"):
        gaussian_strategy(np.ones((1, 1025), dtype=np.int64))
    with pytest.raises(InvalidParameter, match="every cell"):
        gaussian_strategy([[1, 0]])
    with pytest.raises(InvalidParameter, match="1 to 1,024 cells"):
        prefix_strategy(0)
