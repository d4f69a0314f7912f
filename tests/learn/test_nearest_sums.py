"""NearestSums: what one unit moves, by brute force at the corners; that no row decides about another; the noise."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.learn.features import Box
from privet.learn.nearest_sums import STEPS, NearestSums, nearest_by
from privet.mechanisms import CubeNoise
from privet.noise import BitSource

CORNERS = [-math.inf, -1.0, -0.5, -0.0, 0.0, 1e-9, 0.3, 1.0, math.inf, math.nan]
CENTERS = np.array([[-1.0, -1.0], [0.0, 0.0], [0.0, 0.25], [1.0, 1.0]])
BOX = Box.of((-1, 1), width=2)
NEAREST = nearest_by(np.ones(2))
row = st.tuples(*[st.sampled_from(CORNERS) | st.floats(-1, 1)] * 2)


def made(kind: str, *, columns: int = 2, rows: int = 1, replaces: bool = False) -> NearestSums:
    make = NearestSums.pure if kind == "pure" else NearestSums.gaussian
    return make(Fraction(1), columns=columns, rows=rows, replaces=replaces)


def sums(plan: NearestSums, rows: Any, reach: float) -> Any:  # noqa: ANN401 - rows of numbers
    unit = BOX.unit(np.asarray(rows, dtype=np.float64).reshape(-1, 2))
    return plan.sums(unit, CENTERS, np.full(2, reach), NEAREST).astype(object)


def taken(plan: NearestSums, move: Any) -> float:  # noqa: ANN401 - whole numbers
    """The share of what the noise is made for, in its norm."""
    if isinstance(plan.mechanism, CubeNoise):
        return float(sum(max(abs(each) for each in row) for row in move) / plan.mechanism.reach)
    square = sum(each**2 for row in move for each in row)
    return math.sqrt(square) / float(plan.mechanism.l2_sensitivity)


@pytest.mark.parametrize("kind", ["pure", "gaussian"])
@given(old=st.lists(row, min_size=2, max_size=2), new=st.lists(row, min_size=2, max_size=2), reach=st.floats(0.01, 2))
def test_no_unit_moves_more_than_noise_is_made_for(kind: str, old: Any, new: Any, reach: float) -> None:  # noqa: ANN401
    for rows in (1, 2):
        changed = sums(made(kind), new[:rows], reach) - sums(made(kind), old[:rows], reach)
        assert taken(made(kind, rows=rows), sums(made(kind), new[:rows], reach)) <= 1
        assert taken(made(kind, rows=rows, replaces=True), changed) <= 1


@pytest.mark.parametrize("kind", ["pure", "gaussian"])
def test_some_unit_moves_as_much(kind: str) -> None:
    near, far = [[0.1, 0.1]], [[-0.1, -0.1]]  # both at the same centre, beyond its reach, on both sides
    assert taken(made(kind), sums(made(kind), near, 0.01)) > 0.999
    change = sums(made(kind), near, 0.01) - sums(made(kind), far, 0.01)
    assert taken(made(kind, replaces=True), change) > 0.999
    assert taken(made(kind), change) > 1.5  # what is made for added units does not do for replaced ones
    assert taken(made(kind), 2 * sums(made(kind), near, 0.01)) > 1.5  # nor what is made for one row for two


def test_a_row_counts_at_its_nearest_centre() -> None:
    counts = made("pure").read(sums(made("pure"), [[-0.9, -0.6], [0.1, 0.0], [0.0, 0.2], [math.nan, 0.2]], 1.0))[1]
    assert counts.tolist() == [1, 1, 2, 0]
    moves, _, squares = made("gaussian").read(sums(made("gaussian"), [[0.5, 0.1]], 1.0))
    assert np.allclose(moves[1], [0.5, 0.1], atol=1e-5)
    assert squares[1] == pytest.approx((0.5**2 + 0.1**2) / 2, abs=1e-5)


@pytest.mark.parametrize("replaces", [False, True])
def test_a_round_keeps_its_price(replaces: bool) -> None:  # noqa: FBT001 - a case
    assert made("pure", rows=3, replaces=replaces).mechanism.loss.epsilon(0) == 1
    assert 0.999 < made("gaussian", rows=3, replaces=replaces).mechanism.loss.zcdp() <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["pure", "gaussian"])
def test_rows_are_read_one_by_one(kind: str) -> None:
    plan, drawn = made(kind, columns=9), np.random.default_rng(1)
    centers = Box.of((-1, 1), width=9).unit(drawn.integers(-4, 5, size=(7, 9)) / 4)
    rows = Box.of((-1, 1), width=9).unit(drawn.integers(-4, 5, size=(20_000, 9)) / 4)  # many ties

    def of(part: Any) -> Any:  # noqa: ANN401 - rows of numbers
        return plan.sums(part, centers, np.full(9, 0.7), nearest_by(np.full(9, 0.3)))

    assert (of(rows) == of(rows[::-1])).all()
    assert (of(rows) == sum(of(part) for part in (rows[:1], rows[1:9_000], rows[9_000:]))).all()


def test_ties_are_exact() -> None:
    drawn = np.random.default_rng(4)  # rows whose columns are equal are as far from a centre as from its permutations
    center = drawn.uniform(-1, 1, size=11)
    centers = np.array([drawn.permutation(center) for _ in range(20)])
    rows = np.repeat(drawn.uniform(-1, 1, size=(50, 1)), 11, axis=1)
    assert set(nearest_by(np.full(11, 0.7))(rows, centers).tolist()) == {0}


def test_far_from_zero_rows_move_no_further() -> None:  # where diffprivlib's noise is made for the width alone
    shifted = Box.of((1024, 1028), width=2)
    rows = np.array([[1024.0, 1028.0], [1025.0, 1027.5]])
    plan = made("pure")
    there = plan.sums(shifted.unit(rows), CENTERS, np.ones(2), NEAREST)
    assert (there == sums(plan, (rows - 1026) / 2, 1.0)).all()
    assert np.abs(there).max() == 2 * STEPS  # the count of two rows


@pytest.mark.parametrize("kind", ["pure", "gaussian"])
def test_the_noise_is_as_told_at_empty_centres_too(kind: str, source: BitSource) -> None:
    # n = 4000 rounds. The kurtosis is at most 6, so the mean square errs by √(5/n) = 3.5%, at 1e-6 by 4.9 times that.
    plan = made(kind)
    empty = np.zeros((4000, 4), dtype=np.int64)
    moves, counts, squares = plan.read(plan.mechanism.sample(empty, source))
    told = plan.deviation**2
    beside = told if kind == "pure" else 16 * told / 2  # a weight of 1/4, and columns by √2
    for found, variance in ((moves[:, 0], told), (moves[:, 1], told), (counts, beside)):
        assert abs((found**2).mean() / variance - 1) < 0.18
        assert not abs((found**2).mean() / (variance / 4) - 1) < 0.18  # the control: half the noise
    assert ((2 * squares - counts) ** 2).mean() > beside / 2


def test_next_to_no_noise_is_still_drawn() -> None:
    plan = NearestSums.pure(Fraction(10**9), columns=60, rows=1, replaces=False)
    unit = Box.of((-1, 1), width=60).unit(np.full((3, 60), 0.5))
    exact = plan.sums(unit, np.zeros((1, 60)), np.ones(60), nearest_by(np.ones(60)))
    assert plan.factor > 1
    assert plan.read(exact)[0].tolist() == [[1.5] * 60]
    assert plan.mechanism.loss.epsilon(0) == 10**9
