"""Bins are counted exactly as numpy counts them."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from privet.errors import InvalidParameter
from privet.stats.cells import binning
from privet.stats.cells.binning import bin_counts, bin_labels, bin_numbers, increasing_edges

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
EDGES = st.lists(st.floats(-1e308, 1e308), min_size=2, max_size=9, unique=True).map(sorted)


@given(st.lists(FLOATS, max_size=40), EDGES, st.data())
def test_counts_are_numpys(values: list[float], edges: list[float], data: st.DataObject) -> None:
    near = [math.nextafter(edge, side) for edge in edges for side in (-math.inf, math.inf)]
    chosen = data.draw(st.lists(st.sampled_from([*edges, *near]), max_size=20))
    column = np.array([*values, *chosen])
    expected = np.histogram(column[~np.isnan(column)], bins=edges)[0]
    assert bin_counts(column, np.array(edges)).tolist() == expected.tolist()
    numbers = bin_numbers(column, np.array(edges))
    assert np.bincount(numbers[numbers >= 0], minlength=len(edges) - 1).tolist() == expected.tolist()


@given(
    arrays.arrays(np.int64, st.integers(0, 50)), st.lists(st.integers(-100, 100), min_size=2, max_size=9, unique=True)
)
def test_whole_numbers_are_counted_like_numpy(values: Any, edges: list[int]) -> None:  # noqa: ANN401 - an array
    known = increasing_edges(sorted(edges))
    assert bin_counts(values, known).tolist() == np.histogram(values, bins=known)[0].tolist()


@given(st.lists(FLOATS, max_size=60), EDGES)
def test_clipped_values_all_count_but_nan(values: list[float], edges: list[float]) -> None:
    column = np.array(values, dtype=np.float64)
    known = np.array(edges)
    counts = bin_counts(column, known, clip=True)
    assert counts.sum() == np.count_nonzero(~np.isnan(column))
    inside = np.clip(column[~np.isnan(column)], known[0], known[-1])
    assert counts.tolist() == np.histogram(inside, bins=known)[0].tolist()
    numbers = bin_numbers(column, known, clip=True)
    assert np.bincount(numbers[numbers >= 0], minlength=len(counts)).tolist() == counts.tolist()


def test_many_values_and_many_edges_take_other_ways_to_the_same_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.sin(np.arange(200_000)) * 3
    values[::1000] = np.nan
    for number in (3, 100, 20_000):
        edges = np.linspace(-2, 2, number)
        expected = np.histogram(values[~np.isnan(values)], bins=edges)[0]
        assert (bin_counts(values, edges) == expected).all()
        clipped = bin_counts(values, edges, clip=True)
        assert clipped.sum() == np.count_nonzero(~np.isnan(values))
        monkeypatch.setattr(binning, "FEW", 2)
        assert (bin_counts(values, edges, clip=True) == clipped).all()
        monkeypatch.undo()


@pytest.mark.parametrize(
    "edges", [[], [1], [1, 1], [2, 1], [1, math.nan], "ab", 3, None, [[1, 2]], ["a", "b"], [1, None]]
)
def test_bad_edges_are_refused(edges: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="edges must"):
        increasing_edges(edges)


def test_labels_say_which_end_is_closed() -> None:
    assert bin_labels(np.array([0, 0.5, math.inf])) == ("[0, 0.5)", "[0.5, inf]")
    assert bin_labels(np.array([0.1 + 0.2, 1234567.0])) == ("[0.30000000000000004, 1234567.0]",)
