"""Charts hold the numbers they were given, are written in every format, and refuse what cannot be drawn."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.display import Chart
from privet.display.chart_style import COLORS, DASHES, INK
from privet.errors import InvalidParameter

CURVE = ([1, 2, 3], [0.5, 0.25, 0.125])


def specification(chart: Chart) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(chart.to_altair().to_json())
    return found


def values(layer: dict[str, Any], specification: dict[str, Any]) -> list[dict[str, Any]]:
    data: dict[str, Any] = layer.get("data", specification.get("data", {}))
    rows: list[dict[str, Any]] = data["values"] if "values" in data else specification["datasets"][data["name"]]
    return rows


def encoding(chart: Chart, layer: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = specification(chart)["layer"][layer]["encoding"]
    return found


def test_lines_hold_every_number_under_its_name() -> None:
    chart = Chart.lines({"one": CURVE, "two": ([1, 2], [4, 5])}, x="people (n)", y="error", title="Errors")
    drawn = specification(chart)
    rows = values(drawn["layer"][0], drawn)
    assert [(row["series"], row["x"], row["y"]) for row in rows] == [
        ("one", 1, 0.5),
        ("one", 2, 0.25),
        ("one", 3, 0.125),
        ("two", 1, 4),
        ("two", 2, 5),
    ]
    assert drawn["title"] == "Errors"
    assert encoding(chart)["x"]["title"] == "people (n)"
    assert encoding(chart)["y"]["title"] == "error"
    assert drawn["layer"][0]["mark"]["type"] == "line"


def test_series_differ_in_color_and_in_dashes() -> None:
    look = encoding(Chart.lines({"one": CURVE, "two": CURVE}, x="", y=""))
    assert look["color"]["scale"] == {"domain": ["one", "two"], "range": list(COLORS[:2])}
    assert look["strokeDash"]["scale"]["range"] == [list(dash) for dash in DASHES[:2]]
    assert look["color"]["legend"] is not None
    assert encoding(Chart.lines({"one": CURVE}, x="", y=""))["color"]["legend"] is None
    assert len(set(COLORS)) == len(set(DASHES)) == 7


def test_steps_hold_a_height_until_the_next_point() -> None:
    drawn = specification(Chart.steps({"one": CURVE}, x="", y=""))
    assert drawn["layer"][0]["mark"]["interpolate"] == "step-after"


def test_points_have_bars_of_their_margin() -> None:
    drawn = specification(Chart.points({"seen": ([1, 2], [10.0, 20.0], 3), "bare": ([1], [1])}, x="", y=""))
    bars, dots = drawn["layer"]
    assert [(row["low"], row["high"]) for row in values(bars, drawn)] == [(7, 13), (17, 23)]
    assert len(values(dots, drawn)) == 3
    assert len(specification(Chart.points({"bare": ([1], [1])}, x="", y=""))["layer"]) == 1


def test_bars_stand_on_zero_in_the_order_given() -> None:
    chart = Chart.bars({"b": {"10": 3.0, "9": 2.0}, "a": {"10": 5.0, "9": 4.0}}, x="price", y="share")
    look = encoding(chart)
    assert look["x"]["sort"] == ["10", "9"]
    assert look["xOffset"]["sort"] == ["b", "a"]
    assert look["y"]["scale"]["zero"] is True
    assert encoding(Chart.lines({"one": CURVE}, x="", y=""))["y"]["scale"]["zero"] is False


def test_logarithmic_axes_have_ticks_at_few_numbers() -> None:
    wide = encoding(Chart.lines({"one": ([1, 1e6], [1, 2])}, x="", y="", log_x=True))
    assert wide["x"]["scale"]["type"] == "log"
    assert wide["x"]["axis"]["values"] == [10.0**k for k in range(7)]
    narrow = encoding(Chart.lines({"one": ([1, 90], [1, 2])}, x="", y="", log_x=True))
    assert {20, 50} <= set(narrow["x"]["axis"]["values"])
    assert "axis" not in narrow["y"]


def test_added_charts_share_words_axes_and_colors() -> None:
    both = Chart.lines({"expected": CURVE}, x="n", y="error", title="t") + Chart.points({"seen": CURVE}, x="", y="")
    assert repr(both) == "Chart(1 line, 1 point: expected, seen)"
    drawn = specification(both)
    assert drawn["title"] == "t"
    for layer in drawn["layer"]:
        assert layer["encoding"]["x"]["title"] == "n"
        assert layer["encoding"]["color"]["scale"]["domain"] == ["expected", "seen"]


def test_panels_keep_their_titles() -> None:
    part = Chart.lines({"one": CURVE}, x="", y="", title="left")
    drawn = specification(Chart.panels([part, part], columns=1, title="both"))
    assert [each["title"] for each in drawn["concat"]] == ["left", "left"]
    assert drawn["columns"] == 1
    assert drawn["title"] == "both"
    assert repr(Chart.panels([part, part])) == "Chart(2 panels)"


@pytest.mark.parametrize(
    ("ending", "start"),
    [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE html>")],
    ids=["svg", "png", "html"],
)
def test_a_chart_is_written_in_every_format(ending: str, start: bytes, tmp_path: Path) -> None:
    file = Chart.lines({"one": CURVE}, x="n", y="error", title="Errors & more").save(tmp_path / "new" / f"a.{ending}")
    written = file.read_bytes()
    assert written.strip().startswith(start)
    assert b"http" not in written.replace(b"http://www.w3.org", b"") or ending == "html"
    if ending == "svg":
        assert b"Errors &amp; more" in written
    if ending == "html":
        assert b'src="http' not in written  # nothing is fetched when it is opened


def test_a_notebook_shows_it() -> None:
    shown = Chart.lines({"one": CURVE}, x="people", y="")._repr_mimebundle_(include=None, exclude=None)
    assert list(shown) == ["text/html", "image/svg+xml"]
    assert all(">people<" in text for text in shown.values())


def test_a_page_gives_its_colors_to_the_drawing() -> None:
    shown = Chart.bars({"one": {"a": (1, 2, 3)}}, x="people", y="")._repr_mimebundle_()
    assert INK in shown["image/svg+xml"]
    assert 'fill="white"' in shown["image/svg+xml"]
    assert INK not in shown["text/html"]
    assert 'fill="white"' not in shown["text/html"]
    assert "currentColor" in shown["text/html"]


def test_intervals_need_not_be_symmetric() -> None:
    drawn = specification(Chart.points({"seen": ([1], [10.0], [7.0], [19.0])}, x="", y=""))
    assert [(row["low"], row["high"]) for row in values(drawn["layer"][0], drawn)] == [(7, 19)]
    bars = specification(Chart.bars({"seen": {"a": (7, 10, 19), "b": 4}}, x="", y=""))
    assert [row["y"] for row in values(bars["layer"][0], bars)] == [10, 4]
    assert [(row["low"], row["high"]) for row in values(bars["layer"][1], bars)] == [(7, 19)]


def test_days_stand_on_an_axis_of_time() -> None:
    chart = Chart.lines({"one": CURVE}, x="", y="", days=True)
    assert encoding(chart)["x"]["type"] == "temporal"
    with pytest.raises(InvalidParameter, match="same axes"):
        chart + Chart.lines({"one": CURVE}, x="", y="")


@pytest.mark.parametrize(
    ("series", "words"),
    [
        ({}, "at least one series"),
        ({"a": ([1, 2], [1])}, "as many heights as places"),
        ({"a": ([1, 2], [1, np.nan])}, "finite"),
        ({"a": ([1, np.inf], [1, 2])}, "finite"),
        ({"a": ([], [])}, "at least one finite"),
        ({"a": ([[1]], [[1]])}, "a row"),
        ({"a": [1, 2]}, "where, how high"),
        ({"a": ([1],)}, "where, how high"),
        ({"a": (["one"], [1])}, "finite"),
        ({"a": ([1], [None])}, "finite"),
        ({"a": ([1, 2, 3], [1, 2, 3], [1, 1])}, "one margin"),
        ({"a": ([1, 2], [1, 2], -1)}, "one margin"),
        ({"a": ([1, 2], [1, 2], [0, 3], [3, 2])}, "low end first"),
        ({"a": ([1, 2], [1, 2], [0], [3])}, "low end first"),
    ],
)
def test_what_cannot_be_drawn_is_refused(series: Any, words: str) -> None:  # noqa: ANN401 - wrong on purpose
    with pytest.raises(InvalidParameter, match=words):
        Chart.lines(series, x="", y="")


def test_numbers_below_zero_are_refused_on_logarithmic_axes() -> None:
    for series in ({"a": ([0, 1], [1, 2])}, {"a": ([-1, 1], [1, 2])}):
        with pytest.raises(InvalidParameter, match="> 0 on a logarithmic axis"):
            Chart.lines(series, x="", y="", log_x=True)
    with pytest.raises(InvalidParameter, match="> 0 on a logarithmic axis"):
        Chart.points({"a": ([1, 2], [1, 2], 1.5)}, x="", y="", log_y=True)  # its bar would end below 0


def test_bars_without_heights_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="finite"):
        Chart.bars({"a": {"x": float("nan")}}, x="", y="")
    with pytest.raises(InvalidParameter, match="at least one series"):
        Chart.bars({}, x="", y="")


def test_panels_of_panels_and_sums_that_do_not_fit_are_refused() -> None:
    part = Chart.lines({"one": CURVE}, x="", y="")
    for charts, columns in (([], 2), ([part], 0), ([Chart.panels([part])], 2)):
        with pytest.raises(InvalidParameter, match="panels needs"):
            Chart.panels(charts, columns=columns)
    with pytest.raises(InvalidParameter, match="before making panels"):
        part + Chart.panels([part])
    with pytest.raises(InvalidParameter, match="over names"):
        part + Chart.bars({"a": {"x": 1}}, x="", y="")
    with pytest.raises(InvalidParameter, match="same axes"):
        part + Chart.lines({"one": CURVE}, x="", y="", log_y=True)


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"\.svg, \.png, \.html, got 'a\.pdf'"):
        Chart.lines({"one": CURVE}, x="", y="").save(tmp_path / "new" / "a.pdf")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_extra_the_error_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = Chart.lines({"one": CURVE}, x="", y="")  # can be made without
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InvalidParameter, match=r"pip install 'privet\[charts\]'"):
        chart.to_altair()


def test_areas_lie_between_two_lines_and_have_a_legend_of_squares() -> None:
    chart = Chart.areas({"may be": ([0, 1], [0, 0.5], [1, 2])}, x="", y="") + Chart.lines({"is": CURVE}, x="", y="")
    drawn = specification(chart)
    area, line = drawn["layer"]
    assert [(row["low"], row["high"]) for row in values(area, drawn)] == [(0, 1), (0.5, 2)]
    assert area["mark"]["type"] == "area"
    assert area["encoding"]["fill"]["scale"] == {"domain": ["may be"], "range": [COLORS[0]]}
    assert area["encoding"]["fill"]["legend"]["symbolType"] == "square"
    assert line["encoding"]["color"]["scale"] == {"domain": ["is"], "range": [COLORS[1]]}
    with pytest.raises(InvalidParameter, match="where, low, high"):
        Chart.areas({"a": CURVE}, x="", y="")  # type: ignore[dict-item] # wrong on purpose
    with pytest.raises(InvalidParameter, match="low end first"):
        Chart.areas({"a": ([0], [1], [0])}, x="", y="")


def test_lines_end_where_their_numbers_do() -> None:
    assert encoding(Chart.lines({"one": CURVE}, x="", y=""))["x"]["scale"]["nice"] is False
    assert encoding(Chart.points({"one": CURVE}, x="", y=""))["x"]["scale"]["nice"] is True
