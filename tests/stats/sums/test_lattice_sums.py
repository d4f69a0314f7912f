"""Lattice sums: exact, whatever the rows hold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.asking.bounds import Bounds
from privet.stats.sums.lattice_sums import (
    BITS,
    CHUNK,
    COARSE,
    SQUARES,
    Floats,
    RowMap,
    lattice_sums,
    signed_map,
    unit_map,
)

ANY = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
ONE = 2**BITS


def weigh(steps: Floats) -> tuple[float, ...]:
    return float(steps.sum()), float(len(steps)) if steps.sum() == steps.sum() else np.nan


def one_by_one(values: list[float], row_map: RowMap) -> tuple[int, int]:
    rows = [lattice_sums((np.array([value]),), (row_map,), weigh) for value in values]
    return sum(row[0] for row in rows), sum(row[1] for row in rows)


@given(st.lists(ANY, max_size=30), st.sampled_from([None, Fraction(0), Fraction(10**6)]))
def test_sums_are_those_of_the_rows_one_by_one(values: list[float], fill: Fraction | None) -> None:
    row_map = unit_map(Bounds.of((-1, 3)), fill)
    assert lattice_sums((np.array(values, dtype=float),), (row_map,), weigh) == one_by_one(values, row_map)


@given(ANY)
def test_each_row_lies_on_the_lattice_within_its_range(value: float) -> None:
    for bounds in ((-1, 3), (0, 1e-150), (-1e150, 1e150), (1e6, 1e6 + 1e-9), ("-1/3", "1/7")):
        if isinstance(bounds[0], str):
            declared = Bounds.of((Fraction(bounds[0]), Fraction(str(bounds[1]))))
        else:
            declared = Bounds.of(bounds)
        for row_map in (unit_map(declared, None), signed_map(declared, None, reach=declared.largest)):
            (steps, _) = lattice_sums((np.array([value]),), (row_map,), weigh)
            assert row_map.lowest <= steps <= row_map.highest or np.isnan(value)
            assert row_map.highest - row_map.lowest <= 2 * ONE


@pytest.mark.parametrize(
    "bounds", [(-1, 3), (2, 3), (-3, -2), (0, 1), ("-1/3", "2/3"), ("-3/33554432", 1), ("-5/33554432", 1)]
)
def test_where_units_are_replaced_rows_and_zero_are_one_reach_apart(bounds: tuple[float, float]) -> None:
    low, high = (Fraction(bound) for bound in bounds)
    reach = max(high, Fraction(0)) - min(low, Fraction(0))
    row_map = signed_map(Bounds(low, high), None, reach=reach)
    assert max(row_map.highest, 0) - min(row_map.lowest, 0) <= ONE
    assert abs(row_map.highest - high / reach * ONE) <= 1
    assert abs(row_map.lowest - low / reach * ONE) <= 1


def test_long_columns_are_added_up_in_threads_and_chunks_without_an_error() -> None:
    """700,001 rows, one of them missing in the last chunk and one infinite in the first."""
    values = (np.arange(700_001) * 7919 % 1000) / 999
    values[-1] = np.nan
    values[5] = np.inf
    row_map = unit_map(Bounds.of((0, 1)), None)
    steps = np.clip(np.rint(np.delete(values, -1) * row_map.factor), 0, ONE)
    assert lattice_sums((values,), (row_map,), weigh) == (sum(map(int, steps.tolist())), 700_000)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, np.float16, np.float32, np.bool_])
def test_any_type_of_number(dtype: type) -> None:
    values: NDArray[Any] = np.array([0, 1, 1, 0, 1], dtype=dtype)
    assert lattice_sums((values,), (unit_map(Bounds.of((0, 1)), None),), weigh) == (3 * ONE, 5)


def test_chunks_keep_partial_sums_exact() -> None:
    assert CHUNK * ONE <= 2**53
    assert SQUARES * (2**COARSE) ** 2 <= 2**53
