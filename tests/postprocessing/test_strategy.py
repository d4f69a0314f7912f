"""Strategies: how far a unit moves their sums, and what is read off them."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.postprocessing.strategy import Strategy

TABLES = (
    [[1, 1, 1], [1, 1, 0], [1, 0, 0]],
    [[3, -2, 0], [1, 4, -5]],
    [[2, 0], [0, 2], [1, 1]],
    [[1]],
    [[1, 1, 1, 1]],
)


def moves(table: list[list[int]], *, rows: int, replaced: bool) -> np.ndarray:
    """By what one unit can move the sums, each way once: rows come, or go to other cells, or to none."""
    asked = np.array(table)
    columns = [*asked.T, np.zeros(len(asked), dtype=np.int64)]  # the last is for a row in no cell
    held = [sum(each) for each in combinations_with_replacement(columns, rows)]
    return np.array([before - after for before, after in product(held, held)] if replaced else held)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("replaced", [False, True])
def test_no_unit_moves_the_sums_farther_than_it_says(table: list[list[int]], rows: int, replaced: bool) -> None:  # noqa: FBT001 - a case
    said, moved = Strategy(table).moves(rows=rows, replaced=replaced), moves(table, rows=rows, replaced=replaced)
    assert np.abs(moved).max() <= said.per_cell
    assert np.abs(moved).sum(axis=1).max() <= said.l1
    assert (moved**2).sum(axis=1).max() <= said.l2**2
    assert np.count_nonzero(moved, axis=1).max() <= said.cells


def test_the_farthest_move_is_reached() -> None:
    apart = Strategy([[3, -2, 0], [1, 4, -5]])
    assert apart.moves(rows=1, replaced=False).l2 == 5
    assert apart.moves(rows=2, replaced=False).l2 == 10
    assert apart.moves(rows=1, replaced=True).l2 ** 2 == pytest.approx(85)  # from the second cell to the third
    assert Strategy([[1]]).moves(rows=1, replaced=True) == Sensitivity(1)  # from the only cell to none


def test_questions_are_read_without_bias_and_with_the_least_variance() -> None:
    strategy = Strategy([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    questions = np.array([[1, 1, 1, 0], [0, 1, 0, 0], [2, -1, 0, 3]])
    readings = strategy.readings(questions)
    assert readings @ strategy.asked == pytest.approx(questions)
    spread = np.linalg.inv(strategy.asked.T @ strategy.asked)  # Gauss and Markov
    assert strategy.variances(questions) == pytest.approx(np.diag(questions @ spread @ questions.T))


def test_what_was_not_asked_is_not_read() -> None:
    with pytest.raises(InvalidParameter, match="cannot be read off"):
        Strategy([[1, 1, 0], [0, 0, 1]]).readings([[1, 0, 0]])
    with pytest.raises(InvalidParameter, match="cannot be read off"):
        Strategy([[1, 1], [2, 2], [3, 3]]).readings([1.0, 0.0])


@pytest.mark.parametrize("table", [[], [1, 2], [[0.5]], [[0, 0]], [[2**30]], [[True]]])
def test_what_is_no_strategy_is_refused(table: object) -> None:
    with pytest.raises(InvalidParameter, match="strategy must"):
        Strategy(table)  # type: ignore[arg-type] # refused in words
