"""Consistent counts: the nearest ones, and nothing else."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.postprocessing.simplex import nonnegative, whole_numbers, with_total

CELLS = st.lists(st.integers(-50, 50), min_size=1, max_size=12)


@given(CELLS, st.integers(0, 200))
def test_the_sum_is_the_total_and_nothing_is_negative(cells: list[int], total: int) -> None:
    found = with_total(cells, total)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total)
    shifts = {round(float(x - y), 6) for x, y in zip(found, cells, strict=True) if x > 0}
    assert len(shifts) <= 1, "cells above zero all move by the same amount, and no cell at zero would gain by moving"
    if shifts:
        assert all(cell + shifts.copy().pop() <= 1e-6 for x, cell in zip(found, cells, strict=True) if x == 0)


def test_no_other_consistent_counts_are_nearer() -> None:
    cells = np.array([3.0, -4.0, 1.5, 0.2, 9.0])
    best = float(((with_total(cells, 10) - cells) ** 2).sum())
    random = np.random.default_rng(1)
    others = np.vstack([random.dirichlet(np.full(5, power), 2000) * 10 for power in (0.1, 1.0)])
    near = 0.99 * with_total(cells, 10) + 0.01 * others
    for points in (others, near):
        assert (((points - cells) ** 2).sum(axis=1) >= best).all()


@given(CELLS, st.integers(0, 200))
def test_whole_numbers_add_up_and_are_near(cells: list[int], total: int) -> None:
    near = with_total(cells, total)
    found = whole_numbers(near, total)
    assert found.sum() == total
    assert found.min() >= 0
    assert np.abs(found - near).max() < 1 + 1e-6


def test_edge_cases() -> None:
    assert nonnegative([-3, 4]).tolist() == [0, 4]
    assert with_total([5, 5], 0).tolist() == [0, 0]
    assert with_total([5, 5], -3).tolist() == [0, 0]
    assert with_total([-5.0], 3).tolist() == [3]
    for bad in ([], [np.nan], [np.inf]):
        with pytest.raises(InvalidParameter):
            with_total(bad, 3)
    with pytest.raises(InvalidParameter):
        whole_numbers([1.0, 2.0], 9)


@pytest.mark.parametrize("cells", [[[1.0, -2.0], [3.0, 0.5]]])
def test_tables_keep_their_shape(cells: Any) -> None:  # noqa: ANN401 - a table
    assert whole_numbers(with_total(cells, 5), 5).shape == (2, 2)
