"""answer_chart: a picture of an answer, with its intervals: lines over days and numbers, bars over names."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from privet.display import Chart
from privet.errors import InvalidParameter
from privet.wording.nearest import nearest

Row: TypeAlias = Mapping[str, Any]
BARS = 40  # more cannot be told apart
SERIES = 7  # as many as there are colors that everybody can tell apart
KEYS = 2  # what a flat picture has room for
FEW = 8  # so many whole numbers are as likely codes as amounts: they are names


def answer_chart(table: pa.Table, *, intervals: Sequence[str], measures: Sequence[str], y: str | None = None) -> Chart:
    """A panel for each measure; over the first key that is a day or number, or else over the first key.

    Args:
        table: the answer, with x_low and x_high beside columns that have an interval.
        intervals: which these are.
        measures: the columns that were measured; all others but the ends are keys.
        y: the one measure to draw; all by default.

    Privacy: it shows released numbers.
    """
    ends = {f"{name}{end}" for name in intervals for end in ("_low", "_high")}
    keys = [name for name in table.column_names if name not in ends and name not in measures]
    drawn = [y] if y is not None else list(measures)
    if y is not None and y not in measures:
        raise InvalidParameter(f"y must be a measured column of the answer, got {y!r}{nearest(y, measures)}")
    if not drawn or not table.num_rows:
        raise InvalidParameter("there is nothing to draw: the answer has no measured column, or no row")
    if len(keys) > KEYS:
        raise InvalidParameter(f"an answer by {len(keys)} keys has no flat picture: group by two at most, then draw it")
    axes = {key: _axis(table[key]) for key in keys}
    over = next((key for key in keys if axes[key]), keys[0] if keys else None)
    by = next((key for key in keys if key != over), None)
    charts = []
    for name in drawn:
        series = _series(table.to_pylist(), name, by)
        if over is not None and axes[over]:
            charts.append(_lines(series, name, over, spanned=name in intervals, days=axes[over] == "days"))
        else:
            charts.append(_bars(series, name, over, spanned=name in intervals))
    return charts[0] if len(charts) == 1 else Chart.panels(charts)


def _axis(key: pa.ChunkedArray) -> str:
    """What kind of axis a key stands on: "days", "numbers", or "" for names and a few whole numbers."""
    if pa.types.is_temporal(key.type):
        return "days"
    if not (pa.types.is_integer(key.type) or pa.types.is_floating(key.type)):
        return ""
    different = {value for value in key.to_pylist() if value is not None}
    return "" if len(different) <= FEW and all(float(value).is_integer() for value in different) else "numbers"


def _series(rows: list[Row], name: str, by: str | None) -> Mapping[str, list[Row]]:
    """The rows of each series that can be drawn."""
    series: dict[str, list[Row]] = {}
    for row in rows:
        if _number(row[name]) is not None:
            series.setdefault(_label(row[by]) if by is not None else name, []).append(row)
    if not series:
        raise InvalidParameter(f"there is nothing to draw: every {name} is NULL")
    if len(series) > SERIES:
        raise InvalidParameter(f"{by} has {len(series)} values and {SERIES} can be told apart: ask for fewer of them")
    return series


def _bars(series: Mapping[str, list[Row]], name: str, over: str | None, *, spanned: bool) -> Chart:
    labels = list(dict.fromkeys(_label(row[over]) if over else name for rows in series.values() for row in rows))
    few = set(labels[:BARS])
    heights = {
        each: {
            label: _height(row, name, spanned=spanned)
            for row in rows
            if (label := _label(row[over]) if over else name) in few
        }
        for each, rows in series.items()
    }
    shown = {each: found for each, found in heights.items() if found}
    title = f"{name}, the first {BARS} of {len(labels):,}" if len(labels) > BARS else name
    return Chart.bars(shown, x=over or "", y=name, title=title)


def _lines(series: Mapping[str, list[Row]], name: str, over: str, *, spanned: bool, days: bool) -> Chart:
    curves, dots = {}, {}
    for each, rows in series.items():
        ordered = sorted((row for row in rows if row[over] is not None), key=lambda row: _place(row[over]))
        if not ordered:
            continue
        x, y = [_place(row[over]) for row in ordered], [float(row[name]) for row in ordered]
        curves[each] = (x, y)
        heights = [_height(row, name, spanned=spanned) for row in ordered]
        ends = [height if isinstance(height, tuple) else (height, height, height) for height in heights]
        dots[each] = (x, y, [low for low, _, _ in ends], [high for _, _, high in ends])
    if not curves:
        raise InvalidParameter(f"there is nothing to draw: every {over} is NULL")
    words: dict[str, Any] = {"x": over, "y": name, "days": days}
    return Chart.lines(curves, title=name, **words) + Chart.points(dots, **words)


def _height(row: Row, name: str, *, spanned: bool) -> float | tuple[float, float, float]:
    """A value with the ends of its interval, where both are known."""
    value = float(row[name])
    low, high = (_number(row[f"{name}{end}"]) if spanned else None for end in ("_low", "_high"))
    return value if low is None or high is None else (min(low, value), value, max(high, value))


def _number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _place(value: object) -> float:
    """Where a key stands on its axis; of days and times, in milliseconds since 1970."""
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=dt.UTC) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) / dt.timedelta(milliseconds=1)
    if isinstance(value, dt.date):
        return (value - dt.date(1970, 1, 1)) / dt.timedelta(milliseconds=1)
    return float(value)  # type: ignore[arg-type] # a number, by the column's type


def _label(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "NULL" if value is None else str(value)
