"""What one row, one function or one window could do to a statistic of arrays, item by item."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privet
from privet import Guarantee, Ledger, Sensitivity, Unit
from privet.asking.column import ArrayColumn
from privet.asking.table import Table
from privet.core import Release
from privet.errors import InvalidParameter
from privet.mechanisms import SmoothValue
from privet.stats import PriestleyChao
from tests.stats.neighbor_columns import observed
from tests.support.recording_ledger import recorded

PERSON = Unit("person")


def secret_of(ask: Callable[[Ledger], object]) -> list[Any]:
    return list(recorded(ask, PERSON)[0])


BIG = 2**60


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([BIG + 1, None]),
        pa.array([BIG + 1, None]),
        pa.array([BIG + 1, None]).dictionary_encode(),
        pa.chunked_array([[BIG + 1], [None]]),
        pd.Series([BIG + 1, None], dtype="Int64"),
        pd.Series([BIG + 1, None], dtype="int64[pyarrow]"),
        np.ma.masked_array([BIG + 1, 0], [False, True]),
    ],
    ids=lambda values: f"{type(values).__module__} {getattr(values, 'dtype', None) or values.type}",
)
def test_a_null_makes_no_floats_of_whole_numbers(values: Any) -> None:  # noqa: ANN401 - any column
    found, missing = ArrayColumn.of(values).typed()
    assert (found.dtype, int(found[0]), missing.tolist()) == (np.dtype(np.int64), BIG + 1, [False, True])
    edges = [BIG, BIG + 1, BIG + 2]
    secret, _ = recorded(lambda ledger: privet.histogram(values, edges=edges, epsilon=1, ledger=ledger), PERSON)
    assert list(map(int, secret)) == [0, 1]


def test_pandas_decides_nothing_by_a_missing_value() -> None:
    """Whole numbers with a missing one are floats there, truths are objects: both are read as if one were missing."""
    for with_none, without in (([1, 2, None], [1, 2]), ([True, False, None], [True, False]), ([1, 10**400], [1, 2])):
        these, those = ArrayColumn.of(pd.Series(with_none)), ArrayColumn.of(pd.Series(without))
        assert (these.kind, these.nullable, these.mixed) == (those.kind, those.nullable, those.mixed)
        assert these.numbers()[:1].tolist() == those.numbers()[:1].tolist()
    for truths in ([True] + [False] * 9, [True, None] + [False] * 9):
        column = pd.Series(truths)
        assert secret_of(lambda ledger, column=column: privet.count(column, epsilon=1, ledger=ledger)) == [1]  # type: ignore[misc]
    ids = [BIG + n for n in range(100)]
    for rows in (ids, [*ids, None]):
        assert set(ArrayColumn.of(pd.Series(rows)).owners().tolist()) == {-1}
        assert len(set(ArrayColumn.of(pd.Series(rows, dtype="Int64")).owners().tolist()) - {-1}) == 100
    for kind in (None, "category", object):
        with pytest.raises(InvalidParameter, match=r"below 2\^53.*Int64"):
            privet.histogram(pd.Series(ids, dtype=kind), categories=ids[:2], epsilon=1)


def test_a_broken_text_is_a_text_of_its_own() -> None:
    held = pa.array([b"a", b"\xff", b"\xfe", None], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), 4, held.buffers())
    codes = ArrayColumn.of(broken).owners()
    assert len(set(codes[:3].tolist())) == 3
    assert codes[3] == -1
    assert secret_of(lambda ledger: privet.histogram(broken, categories=["a"], epsilon=1, ledger=ledger)) == [1]


def test_texts_are_refused_where_numbers_are_needed_but_one_text_is_a_missing_row() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    for texts in (["a"], ("a", None), np.array(["a"], dtype=object), pd.Series(["a"], dtype="category"), [b"a"]):
        with pytest.raises(InvalidParameter, match="values must hold numbers"):
            privet.mean(texts, bounds=(0, 1), epsilon=1, ledger=ledger)
    with pytest.raises(InvalidParameter, match="data must hold numbers"):
        privet.smooth_median(["a"], bounds=(0, 1), step="0.01", epsilon=1, neighbors="replace")
    with pytest.raises(InvalidParameter, match="list of lists"):
        privet.sample_and_aggregate(np.mean, [[1, 2], [3, 4]], blocks=2, bounds=(0, 1), epsilon=1)
    assert ledger.spent.epsilon == 0
    assert secret_of(lambda ledger: privet.count(["a", 1], of="true", epsilon=1, ledger=ledger)) == [1]
    assert ArrayColumn.of([None, math.nan]).numbers().shape == (2,)


@pytest.mark.parametrize("times", [list(range(9)), pd.Series(pd.date_range("2026-01-01", periods=9))])
@pytest.mark.parametrize("named", [{}, {"unit": "person"}, {"unit": PERSON}])
def test_a_window_is_not_charged_to_persons(times: Any, named: dict[str, Any]) -> None:  # noqa: ANN401 - a column
    how = {"unit_ids": [7] * 9, "times": times, "window": 2, "rows_per_time": 1, "epsilon": 1}
    ledger = Ledger(Guarantee(1), unit=PERSON)
    with pytest.raises(InvalidParameter, match=r"protects Unit\('person'.*person's 2 consecutive"):
        privet.count(np.ones(9), **how, **named, ledger=ledger)
    assert ledger.spent.epsilon == 0
    days = "times" if isinstance(times, list) else "days"
    weeks = Ledger(Guarantee(1), unit=Unit(f"person's 2 consecutive {days}"))
    assert privet.count(np.ones(9), **how, ledger=weeks).unit == weeks.unit
    assert privet.count(np.ones(9), **how, **named).unit == weeks.unit


ROWS = np.arange(6.0)


def failing(_: object) -> Any:  # noqa: ANN401 - never returns
    raise ValueError


def leaving(_: object) -> Any:  # noqa: ANN401 - never returns
    raise SystemExit


@pytest.mark.parametrize(
    "f", [failing, leaving, lambda _: math.nan, lambda _: "x", lambda _: 10**400, lambda _: [1, 2]]
)
def test_a_function_that_fails_is_answered(f: Callable[[Any], Any]) -> None:
    """With 0 where it says nothing, and the global sensitivity where it says nothing about that."""

    def smooth(ledger: Ledger, function: Callable[[Any], Any]) -> Release[Any]:
        return privet.smooth_sensitivity(
            function, ROWS, local_sensitivities=failing, global_sensitivity=5, step="0.01", epsilon=1, ledger=ledger
        )

    def curve(ledger: Ledger, function: Callable[[Any], Any]) -> Release[Any]:
        return privet.release_function(function, ROWS, sensitivity=1, degree=2, epsilon=1, ledger=ledger)

    seen, (value, _, _) = observed(lambda ledger: smooth(ledger, f), PERSON)
    assert seen == observed(lambda ledger: smooth(ledger, lambda _: 3), PERSON)[0]
    assert isinstance(value, SmoothValue)
    assert (float(np.asarray(value.value)), value.smooth_sensitivity) == (0.0, 5)
    both: list[Callable[[Any], Any]] = [f, lambda _: f]
    for broken in both:
        seen, (found, _, _) = observed(lambda ledger, broken=broken: curve(ledger, broken), PERSON)  # type: ignore[misc]
        assert seen == observed(lambda ledger: curve(ledger, lambda _: lambda _: 1), PERSON)[0]
        assert found.tolist() == [0, 0, 0]


def test_a_function_that_leaves_is_not_true_or_in_the_middle() -> None:
    assert secret_of(lambda ledger: privet.counts([leaving], values=ROWS, epsilon=1, ledger=ledger)) == [0]
    answer = privet.sample_and_aggregate(leaving, ROWS, blocks=9, bounds=(0, 10), epsilon=1000)
    assert abs(answer.value - 5) < 1
    lists = [[1], [2]]  # numpy would look into lists that are all of one length
    assert secret_of(lambda ledger: privet.count(lists, epsilon=1, ledger=ledger)) == [2]
    assert secret_of(lambda ledger: privet.count(pa.array([[1], [2], None]), epsilon=1, ledger=ledger)) == [2]
    ids = np.array([2**63 + 1, 2**63 + 3], dtype=np.longdouble)
    assert len(set(ArrayColumn.of(ids).owners().tolist())) == 2


def test_rows_of_functions_are_read_one_by_one() -> None:
    """Of frames, columns and lists of rows, in one way."""
    frame = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [1.0, 2.0, math.nan]})
    wanted: list[Any] = [[1, 1], [math.nan, 2], [3, math.nan]]
    for data in (
        frame,
        pl.DataFrame({"a": [1, None, 3], "b": [1.0, 2.0, None]}),
        pa.table({"a": [1, None, 3], "b": [1, 2, None]}),
    ):
        assert np.array_equal(Table.of(data).read(), wanted, equal_nan=True)
    rows: list[Any] = [(1, 2), (1, 2, 3), None, ("x", Decimal("sNaN"))]
    assert Table.of(rows, width=2).read()[0].tolist() == [1, 2]
    assert np.isnan(Table.of(rows, width=2).read()[1:]).all()
    for wrong in (frame[["a"]], [1.0, 2.0][0:0] or pd.Series([1.0])):
        with pytest.raises(InvalidParameter, match="2"):
            privet.release_function(PriestleyChao("0.1"), wrong, sensitivity=1, degree=2, epsilon=1)


def test_a_row_that_misses_any_value_counts_nowhere() -> None:
    whole = np.array([0, 1, 1])
    gaps = pa.array([0, None, 1])
    for first, second in ((whole, gaps), (gaps, whole)):

        def table(ledger: Ledger, pair: Any = (first, second)) -> object:  # noqa: ANN401 - two columns
            return privet.histogram2d(*pair, edges=([0, 1, 2], [0, 1, 2]), epsilon=1, ledger=ledger)

        assert secret_of(table) == [1, 0, 0, 1]


def test_every_column_has_the_length_of_the_first() -> None:
    two, three = np.ones(2), np.ones(3)
    with pytest.raises(InvalidParameter, match="lengths differ"):
        privet.counts({"a": two, "b": three, "c": two}, epsilon=1)
    with pytest.raises(InvalidParameter, match="lengths differ"):
        privet.covariance_matrix((two, three, two), bounds=[(0, 1)] * 3, epsilon=1)


def test_a_total_keeps_its_chance_of_failing() -> None:
    counts = privet.histogram([1, 2, 3], edges=[0, 2, 4], epsilon=1)
    total = privet.count([1, 2, 3], epsilon=1)
    sampled = Release(
        total.value, total.uncertainty, total.loss, total.purpose, total.mechanism, total.unit, gamma=Fraction(1, 100)
    )
    assert counts.with_total(sampled).gamma == Fraction(1, 100)
    assert counts.with_total(total).gamma == 0
    assert Sensitivity(1).gamma == 0
