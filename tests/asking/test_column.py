"""ArrayColumn: every kind of column is read the same way, and only when asked."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.asking.column import NUMBERS, TIMES, ArrayColumn
from privet.errors import InvalidParameter
from privet.stats import count, total

PLAIN = [1.0, 2.5, -3.0]
FLOATS: list[Any] = [np.array(PLAIN), PLAIN, tuple(PLAIN), pd.Series(PLAIN), pl.Series(PLAIN), pa.array(PLAIN)]
FLOATS += [pa.chunked_array([PLAIN[:1], PLAIN[1:]]), np.array(PLAIN, dtype=np.float32), np.array(PLAIN, np.longdouble)]
GAPS: list[Any] = [
    np.array([1.0, np.nan, 3.0]),
    [1, None, 3],
    [1, float("nan"), 3],
    [1, "two", 3],
    [1, [2], Fraction(3)],
    [Decimal(1), Decimal("nan"), np.float64(3)],
    pd.Series([1, None, 3]),
    pd.Series([1, None, 3], dtype="Int64"),
    pd.Series([1, None, 3], dtype="Float64"),
    pd.Series([1, None, 3], dtype="int64[pyarrow]"),
    pd.Series([1, None, 3], dtype=object),
    pl.Series([1, None, 3]),
    pl.Series([1.0, None, 3.0]),
    pa.array([1, None, 3]),
    pa.array([1.0, None, 3.0]),
    pa.chunked_array([[1], [None, 3]]),
    pa.array([Decimal(1), None, Decimal(3)]),
    np.ma.masked_array([1, 2, 3], [False, True, False]),
    np.ma.masked_array([1.0, np.nan, 3.0], [False, False, False]),
]
WHOLE: list[Any] = [np.array([1, 2, 3]), pd.Series([1, 2, 3]), pl.Series([1, 2, 3]), pa.array([1, 2, 3])]


@pytest.mark.parametrize("values", FLOATS, ids=lambda x: f"{type(x).__module__}.{type(x).__name__}")
def test_numbers(values: Any) -> None:  # noqa: ANN401 - any column
    column = ArrayColumn.of(values)
    assert column.length == 3
    assert column.numbers().tolist() == PLAIN


@pytest.mark.parametrize("values", GAPS, ids=lambda x: f"{type(x).__module__}.{type(x).__name__}")
def test_missing_values_are_nan(values: Any) -> None:  # noqa: ANN401 - any column
    column = ArrayColumn.of(values)
    assert column.nullable
    read = column.numbers()
    assert np.isnan(read[1])
    assert read[[0, 2]].tolist() == [1, 3]


def test_what_counts_as_there_when_rows_are_counted() -> None:
    texts = ArrayColumn.of(["a", None, float("nan"), "b", 0, pd.NaT, pd.NA]).presence()
    assert np.array_equal(texts.numbers(), [1, np.nan, np.nan, 1, 1, np.nan, np.nan], equal_nan=True)
    assert ArrayColumn.of(np.array([1, 2])).presence().numbers().tolist() == [True, True]
    for dates in (np.array(["2026-01-01", "NaT"], "M8[D]"), pa.array([dt.date(2026, 1, 1), None])):
        assert np.isnan(ArrayColumn.of(dates).presence().numbers()).tolist() == [False, True]
    assert np.isnan(ArrayColumn.of(pd.Series(["a", None])).presence().numbers()).tolist() == [False, True]
    assert np.isnan(ArrayColumn.of(pl.Series(["a", None])).presence().numbers()).tolist() == [False, True]


def test_nothing_is_copied_where_it_need_not_be() -> None:
    array = np.arange(5.0)
    for values in (array, pd.Series(array), pa.array(array), pl.Series(array)):
        assert np.shares_memory(ArrayColumn.of(values).numbers(), ArrayColumn.of(values).numbers())
    assert np.shares_memory(ArrayColumn.of(array).numbers(), array)


def test_nothing_is_read_before_it_is_asked_for() -> None:
    class Trap(list[int]):
        def __iter__(self) -> Any:  # noqa: ANN401 - raises
            raise AssertionError("read too early")

    assert ArrayColumn.of(Trap([1, 2])).length == 2


@pytest.mark.parametrize(
    "values",
    [np.array(["a"]), pd.Series(["a"]), pd.Series(["a"], dtype="string"), pl.Series(["a"]), pa.array(["a"])],
    ids=lambda x: type(x).__module__,
)
def test_texts_are_refused_where_numbers_are_needed_by_their_type_alone(values: Any) -> None:  # noqa: ANN401 - any column
    with pytest.raises(
        InvalidParameter, match=r"values must hold numbers, got a column of (text|str|string|large_string)"
    ):
        total(values, bounds=(0, 1), epsilon=1)
    assert count(values, epsilon=1).value is not None
    with pytest.raises(InvalidParameter, match="must hold numbers"):
        count(values, of="true", epsilon=1)


@pytest.mark.parametrize(
    "values",
    [
        5,
        "text",
        {"a": 1},
        np.zeros((2, 2)),
        np.array(1.0),
        np.array([1j]),
        pd.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}),
        pa.table({"a": [1]}),
        (x for x in (1, 2)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_column_is_refused(values: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=r"column|dimension"):
        ArrayColumn.of(values)


@pytest.mark.parametrize("values", WHOLE, ids=lambda x: type(x).__module__)
def test_whole_numbers_have_their_kind(values: Any) -> None:  # noqa: ANN401 - any column
    assert ArrayColumn.of(values).kind == ("any" if isinstance(values, pd.Series) else "whole")
    assert ArrayColumn.of(values).nullable is not isinstance(values, np.ndarray)


BIG = 2**60
IDS: list[Any] = [
    [BIG, BIG + 1, BIG, None],
    np.array([BIG, BIG + 1, BIG, "x"], dtype=object),
    pd.Series([BIG, BIG + 1, BIG, None], dtype="Int64"),
    pl.Series([BIG, BIG + 1, BIG, None]),
    pa.array([BIG, BIG + 1, BIG, None]),
    ["a", "b", "a", None],
    ["a", 1, "a", [3]],
    pd.Series(["a", "b", "a", None]),
    pd.Series(["a", "b", "a", None], dtype="category"),
    pl.Series(["a", "b", "a", None]),
    pl.Series(["a", "b", "a", None], dtype=pl.Categorical),
    pa.array(["a", "b", "a", None]),
    np.array([1.5, 2.5, 1.5, np.nan]),
    np.ma.masked_array([2**63, 0, 2**63, 5], [False, False, False, True], dtype=np.uint64),
    np.ma.masked_array([-(2**63), 2**63 - 1, -(2**63), 5], [False, False, False, True]),
    np.ma.masked_array([BIG, BIG + 1, BIG, BIG + 2], [False, False, False, True]),
    np.array(["2026-01-01", "2026-01-02", "2026-01-01", "NaT"], "M8[s]"),
]


@pytest.mark.parametrize("values", IDS, ids=lambda x: f"{type(x).__module__}.{type(x).__name__}")
def test_owners_are_told_apart_exactly(values: Any) -> None:  # noqa: ANN401 - any column
    """Two owners who were read as one would decide about each other's rows."""
    codes = ArrayColumn.of(values).owners()
    assert codes[0] == codes[2] != codes[1]
    assert codes[3] == -1 or values is IDS[1]
    assert (codes[:3] >= 0).all()


DAYS = [dt.date(2026, 3, 1), dt.date(2026, 3, 2), None]
TIMED: list[Any] = [
    [4, 5, None],
    DAYS,
    [dt.datetime(2026, 3, 1, 23), dt.datetime(2026, 3, 2, 1), "later"],  # noqa: DTZ001 - a local clock
    np.array(["2026-03-01T22", "2026-03-02T23", "NaT"], "M8[h]"),
    pd.Series(pd.to_datetime(DAYS)),
    pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("Europe/Lisbon"),
    pd.Series([4, 5, None], dtype="Int64"),
    pl.Series(DAYS),
    pl.Series([4, 5, None]),
    pa.array(DAYS),
    np.ma.masked_array([4, 5, 6], [False, False, True]),
]


@pytest.mark.parametrize("values", TIMED, ids=lambda x: f"{type(x).__module__}.{type(x).__name__}")
def test_times_are_whole_numbers_or_days(values: Any) -> None:  # noqa: ANN401 - any column
    column = ArrayColumn.of(values)
    column.refuse_other_than(TIMES, "times")
    times, known = column.times()
    assert times[1] - times[0] == 1
    assert known.tolist() == [True, True, False]


def test_times_that_are_not_whole_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="whole numbers or dates"):
        ArrayColumn.of(np.array([0.5])).refuse_other_than(TIMES, "times")


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=2), st.fractions(), st.binary(max_size=1)
)


@given(st.lists(ANYTHING, max_size=6), ANYTHING)
def test_no_row_decides_how_another_is_read(values: list[Any], more: Any) -> None:  # noqa: ANN401 - anything
    alone = ArrayColumn.of(values).numbers()
    together = ArrayColumn.of([*values, more]).numbers()
    assert np.array_equal(alone, together[:-1], equal_nan=True)
    before = ArrayColumn.of(values).owners()
    after = ArrayColumn.of([*values, more]).owners()
    assert np.array_equal(before[:, None] == before, after[:-1, None] == after[:-1])
    ArrayColumn.of([*values, 1]).refuse_other_than(NUMBERS, "values")
    assert ArrayColumn.of(values).presence().length == len(values)
