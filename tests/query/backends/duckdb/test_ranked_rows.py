"""Ranked rows in arrays are what a loop over them would find."""

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.query.backends.duckdb.ranked_rows import ranked

KEYS = st.sampled_from([None, "", "a", "b", "NULL"])
DAYS = st.sampled_from([None, dt.date(1, 1, 1), dt.date(9999, 12, 31)])
PLACES = st.none() | st.integers(0, 5)


@given(rows=st.dictionaries(st.tuples(KEYS, DAYS, PLACES), st.integers(0, 2**62)), pieces=st.integers(1, 3))
def test_groups_are_those_of_a_loop(
    rows: dict[tuple[str | None, dt.date | None, int | None], int], pieces: int
) -> None:
    expected: dict[tuple[object, ...], dict[int, int]] = {}
    for (*keys, place), weight in rows.items():
        if place is not None:
            expected.setdefault(tuple(keys), {})[place] = weight
    names = ("k1", "k2", "place")
    types = (pa.string(), pa.date32(), pa.int32())
    columns = {name: pa.array([key[at] for key in rows], types[at]) for at, name in enumerate(names)}
    table = pa.table(columns | {"m1_1": pa.array(rows.values(), pa.decimal128(38, 0))})
    parts = [
        table.slice(start, max(1, len(rows) // pieces)) for start in range(0, len(rows), max(1, len(rows) // pieces))
    ]
    found = list(ranked(pa.concat_tables(parts) if parts else table))
    assert dict(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("kind", [pa.bool_(), pa.float64(), pa.int64(), pa.timestamp("us")])
def test_keys_of_every_type_are_told_apart(kind: pa.DataType) -> None:
    numbers = pa.array([1, None, 0], pa.int64())
    table = pa.table({"k1": numbers.cast(kind), "place": [0, 0, 0], "m1_1": [1, 2, 3]})
    assert sorted(weights[0] for _, weights in ranked(table)) == [1, 2, 3]


def test_without_keys_there_is_one_group() -> None:
    table = pa.table({"place": [4, None, 1], "m1_1": [1, 2, 3]})
    assert list(ranked(table)) == [((), {1: 3, 4: 1})]
    assert list(ranked(table.slice(1, 1))) == []
