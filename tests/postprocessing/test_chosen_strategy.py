"""The chosen strategy: all can be read off it, none loses, and it errs no more than the figures that are known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.postprocessing.chosen_strategy import chosen_strategy

SOURCE = np.random.default_rng(20)
PREFIXES = np.tril(np.ones((100, 100), dtype=np.int64))
RANGES = np.array(
    [[a <= cell < a + size for cell in range(100)] for a, size in zip(range(95), range(5, 100), strict=True)]
)
WORKLOADS: dict[str, tuple[NDArray[np.int64], float, float]] = {  # with errors that were measured at ε = 1 and σ = 1
    "disjoint": (np.eye(100, dtype=np.int64), 1.42, 1.01),
    "prefixes": (PREFIXES, 6.61, 2.26),
    "mixed": (np.concatenate([np.eye(100, dtype=np.int64)[::2], PREFIXES[::2]]), 5.15, 1.9),
    "all and parts": (np.concatenate([np.ones((1, 9), dtype=np.int64), np.eye(9, dtype=np.int64)]), 2, 1.35),
    "the same twice": (np.ones((2, 1), dtype=np.int64), 1.42, 1.01),
    "square, and not independent": (np.array([[1, 1, 0], [0, 0, 1], [1, 1, 1]]), 2, 1.42),
    "few of many": ((SOURCE.random((10, 60)) < 0.5).astype(np.int64), 9, 2.9),
}


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("name", WORKLOADS)
def test_it_errs_no_more_than_is_known(name: str, gaussian: bool) -> None:  # noqa: FBT001 - a parameter
    asked, laplace, normal = WORKLOADS[name]
    asked = asked[:, asked.any(axis=0)]
    found = chosen_strategy(asked, gaussian=gaussian)
    weights = found.strategy.readings(asked)
    np.testing.assert_allclose(weights @ found.strategy.asked, asked, atol=1e-6)
    moves = found.strategy.moves(rows=1, replaced=False)
    size = float(moves.l2 if gaussian else moves.l1) ** 2
    np.testing.assert_allclose(found.variances, size * (weights**2).sum(axis=1), rtol=1e-6)
    error = float(np.sqrt((1 if gaussian else 2) * found.variances.mean()))
    assert error <= (normal if gaussian else laplace)
    assert all(times >= 0.999 for _, times in found.others)


@pytest.mark.parametrize("gaussian", [False, True])
def test_no_question_loses_and_weights_count(gaussian: bool) -> None:  # noqa: FBT001 - a parameter
    asked = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]])
    given = np.array([8.0, 1.0, 1.0, 0.5])
    alone = given.sum() / given if gaussian else (given.sum() / given) ** 2
    found = chosen_strategy(asked, gaussian=gaussian, weights=given)
    assert (found.variances <= 1.01 * alone).all()
    even = chosen_strategy(asked, gaussian=gaussian)
    assert found.variances[0] <= even.variances[0]
    overlapping = np.ones((3, 1), dtype=np.int64)
    assert chosen_strategy(overlapping, gaussian=gaussian, weights=[1, 2, 3]).variances.max() <= 1.01
