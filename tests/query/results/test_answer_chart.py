"""Answers are drawn with their intervals: over days and numbers as lines, over names as bars."""

import datetime as dt

import pyarrow as pa
import pytest

from privet.display import Chart
from privet.errors import InvalidParameter
from privet.query.results.answer_chart import BARS, FEW, SERIES, answer_chart


def counted(**keys: object) -> pa.Table:
    number = len(next(iter(keys.values())))  # type: ignore[arg-type] # lists
    rows = list(range(number))
    ends = {"n_low": [n - 3 for n in rows], "n_high": [n + 5 for n in rows]}
    return pa.table({**keys, "n": rows, **ends})


def drawn(table: pa.Table, y: str | None = None) -> Chart:
    return answer_chart(table, intervals=["n"], measures=["n"], y=y)


def test_names_have_bars_with_whiskers() -> None:
    (layer,) = drawn(counted(city=["Bern", None])).layers
    assert layer.kind == "bar"
    assert layer.rows == ({"x": "Bern", "y": 0, "low": -3, "high": 5}, {"x": "NULL", "y": 1, "low": -2, "high": 6})


def test_days_have_a_line_in_their_order_and_a_series_for_the_other_key() -> None:
    days = [dt.date(1970, 1, 3), dt.date(1970, 1, 2), dt.date(1970, 1, 2), None]
    chart = drawn(counted(sex=["f", "f", "m", "m"], day=days))
    assert chart.days
    assert {(layer.kind, layer.name) for layer in chart.layers} == {(k, s) for k in ("line", "point") for s in "fm"}
    first = chart.layers[0]
    assert [(row["x"], row["y"]) for row in first.rows] == [(86_400_000, 1), (172_800_000, 0)]
    times = drawn(counted(at=[dt.datetime(1970, 1, 1, 0, 0, 1)]))  # noqa: DTZ001 - timestamps have no zone
    assert times.layers[0].rows == ({"x": 1000.0, "y": 0},)


def test_several_measures_have_a_panel_each_and_a_missing_end_no_whisker() -> None:
    table = pa.table({"age": [0.5, 2], "n": [5, 6], "n_low": [1, None], "n_high": [7, 8], "middle": [2.5, None]})
    chart = answer_chart(table, intervals=["n"], measures=["n", "middle"])
    counts, middle = chart.parts
    assert [row.get("low") for row in counts.layers[1].rows] == [1, 6]  # without both ends, a dot
    assert [row["x"] for row in middle.layers[0].rows] == [0.5]
    one = answer_chart(table, intervals=["n"], measures=["n", "middle"], y="middle")
    assert one.parts == ()


def test_a_few_whole_numbers_are_names_as_codes_are() -> None:
    assert [row["x"] for row in drawn(counted(sex=[0.0, 1.0, None])).layers[0].rows] == ["0", "1", "NULL"]
    assert [layer.kind for layer in drawn(counted(age=list(range(FEW + 1)))).layers] == ["line", "point"]


def test_what_is_too_much_is_left_out_and_said() -> None:
    chart = drawn(counted(city=[f"c{n}" for n in range(BARS + 1)]))
    assert len(chart.layers[0].rows) == BARS
    assert chart.title == f"n, the first {BARS} of {BARS + 1}"


@pytest.mark.parametrize(
    ("table", "y", "words"),
    [
        (counted(a=["x"], b=["x"], c=["x"]), None, "two at most"),
        (counted(a=["x"]), "m", "y must be a measured column"),
        (counted(a=[]), None, "nothing to draw"),
        (pa.table({"n": pa.array([None], pa.int64()), "n_low": [1], "n_high": [2]}), None, "every n is NULL"),
        (counted(day=pa.array([None], pa.date32())), None, "every day is NULL"),
        (counted(a=["x"] * 8, b=[f"{n}" for n in range(SERIES + 1)]), None, "can be told apart"),
    ],
)
def test_what_cannot_be_drawn_is_refused(table: pa.Table, y: str | None, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        drawn(table, y)
