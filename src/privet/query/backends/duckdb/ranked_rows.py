"""Ranked rows: weights by group and place, taken apart in arrays. There may be thousands of places in each group."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.core.placed_weights import PlacedWeights


def ranked(table: pa.Table) -> Iterator[tuple[tuple[Any, ...], Mapping[int, int]]]:
    """The keys of each group, as Python has them, and its weights by place; rows in no place are left out.

    Args:
        table: any number of keys, then place and weight: whole numbers below 2^63. No two rows have the same keys and
            place.

    Example:
        >>> table = pa.table({"k1": ["a", "b", "a", "a"], "place": [3, 1, 0, None], "m1_1": [10, 20, 30, 40]})
        >>> [(keys, dict(weights)) for keys, weights in ranked(table)]
        [(('a',), {0: 30, 3: 10}), (('b',), {1: 20})]
    """
    table = table.filter(pc.is_valid(table.column(-2)))
    if not table.num_rows:
        return
    places, weights = (table.column(at).cast(pa.int64()).to_numpy() for at in (-2, -1))
    group = np.zeros(table.num_rows, dtype=np.int64)
    for column in table.columns[:-2]:
        group = _paired(group, _numbered(column))
    order = np.lexsort((places, group))
    group, places, weights = group[order], places[order], weights[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    keys = [column.take(pa.array(order[first])).to_pylist() for column in table.columns[:-2]]
    parts = zip(np.split(places, first[1:]), np.split(weights, first[1:]), strict=True)
    for number, part in enumerate(parts):
        yield tuple(column[number] for column in keys), PlacedWeights(*part)


def _numbered(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """A number for each value, NULL among them: the same for the same."""
    return np.asarray(pc.dictionary_encode(column.combine_chunks(), null_encoding="encode").indices, dtype=np.int64)


def _paired(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each pair of numbers, below how many rows there are."""
    return np.unique(one * (other.max() + 1) + other, return_inverse=True)[1].astype(np.int64)
