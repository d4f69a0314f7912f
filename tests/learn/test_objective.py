"""What a row says to a tree: every whole number that it can say, against what is declared."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import expit

from privet.learn.log_loss import UNIT, BinaryLogLoss, LogLoss
from privet.learn.objective import Objective
from privet.learn.squared_loss import SquaredLoss

WILD = [-1e6, -40.0, -3.0, -0.7, -1e-9, 0.0, 1e-9, 0.4, 2.0, 5.0, 40.0, 1e6]


def said(objective: Objective, scores: np.ndarray, target: np.ndarray) -> np.ndarray:
    found = objective.statements(scores, target)
    assert found.dtype == np.int64
    return found.astype(np.float64)


def declared(objective: Objective, *, replaces: bool = False) -> tuple[float, float, float]:
    found = objective.sensitivity(1, replaces=replaces)
    return float(found.linf), float(found.l1), float(found.l2)


def test_two_classes_at_every_probability() -> None:
    chances = np.arange(UNIT + 1) / UNIT
    with np.errstate(divide="ignore"):
        scores = (np.log(chances) - np.log1p(-chances))[None, :]
    objective = BinaryLogLoss()
    one, long, length = declared(objective)
    largest = 0.0
    for target in (0, 1):
        found = said(objective, scores, np.full(UNIT + 1, target))
        assert np.abs(found).max() <= one
        assert np.abs(found).sum(axis=0).max() <= long
        largest = max(largest, np.linalg.norm(found, axis=0).max())
    assert length * 0.999 <= largest <= length == UNIT
    assert expit(scores[0, 1]) == pytest.approx(1 / UNIT)


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_several_classes(classes: int) -> None:
    grid = np.array(list(itertools.product([-50.0, -1.0, 0.0, 0.3, 50.0], repeat=min(classes, 5)))).T
    scores = np.concatenate([grid, np.full((classes - len(grid), grid.shape[1]), -50.0)])
    objective = LogLoss(classes)
    one, long, length = declared(objective)
    largest = 0.0
    for target in range(classes):
        found = said(objective, scores, np.full(scores.shape[1], target))
        assert np.abs(found).max() <= one
        assert np.abs(found).sum(axis=0).max() <= long
        largest = max(largest, np.linalg.norm(found, axis=0).max())
    assert length * 0.99 <= largest <= length


def test_several_classes_at_the_tight_corner() -> None:
    """All probability on two wrong classes, half each: slopes and curvatures are as long as they can be."""
    found = said(LogLoss(3), np.array([[-60.0], [0.0], [0.0]]), np.array([0]))
    assert np.linalg.norm(found) == pytest.approx(math.sqrt(2) * UNIT, rel=1e-3)
    assert np.linalg.norm(found) <= declared(LogLoss(3))[2]


def test_a_number_at_every_score() -> None:
    targets = np.array([-UNIT, -1, 0, 7, UNIT])
    objective = SquaredLoss()
    one, long, length = declared(objective)
    for score in WILD:
        found = said(objective, np.full((1, 5), score), targets)
        assert np.abs(found).max() <= one
        assert np.abs(found).sum(axis=0).max() <= long
        assert np.linalg.norm(found, axis=0).max() <= length
    assert np.linalg.norm(said(objective, np.full((1, 1), 1.0), np.array([-UNIT]))) == pytest.approx(length)


@pytest.mark.parametrize(
    "objective", [BinaryLogLoss(), LogLoss(3), SquaredLoss()], ids=lambda each: type(each).__name__
)
def test_a_replaced_row_moves_no_further_than_declared(objective: Objective) -> None:
    one, long, length = declared(objective, replaces=True)
    pairs = list(itertools.product(WILD, repeat=min(objective.outputs, 2)))
    scores = np.array([[*pair, *[0.0] * (objective.outputs - len(pair))] for pair in pairs]).T
    targets = [-UNIT, 0, UNIT] if isinstance(objective, SquaredLoss) else range(max(objective.outputs, 2))
    rows = np.concatenate([said(objective, scores, np.full(scores.shape[1], each)) for each in targets], axis=1)
    for row in rows.T:
        same, apart = rows - row[:, None], np.concatenate([rows, np.broadcast_to(-row[:, None], rows.shape)])
        for move in (same, apart):  # in the same leaf, or in two
            assert np.abs(move).max() <= one
            assert np.abs(move).sum(axis=0).max() <= long * (1 + 1e-12)
            assert np.linalg.norm(move, axis=0).max() <= length * (1 + 1e-12)


def test_several_rows_of_a_unit() -> None:
    for objective in (BinaryLogLoss(), LogLoss(4), SquaredLoss()):
        one, three = objective.sensitivity(1, replaces=False), objective.sensitivity(3, replaces=False)
        assert three.l2 == pytest.approx(3 * one.l2)
        assert three.linf == 3 * one.linf
        assert 3 * one.l1 <= three.l1
