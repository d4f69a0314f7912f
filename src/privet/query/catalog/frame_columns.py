"""Columns of frames: what each is read as, and its values as an Arrow column whose type no row decides.

pandas picks a column's type by looking at its rows: one missing value makes reals of whole numbers, and Python objects
of booleans. So what pandas says is read such that both say the same, and what only rows could tell must be declared.
The types of polars, of Arrow, and pandas' own nullable ones do not depend on rows, and are what they are.
"""

import codecs
import datetime as dt
import decimal
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import InvalidParameter
from privet.query.engine_types import type_of
from privet.query.facts import Type
from privet.query.unit_types import unit_type

EXACT = 1 << 53  # whole numbers beyond it are rounded when they become real
DIGITS = 38  # of the longest decimal that engines have
FIRST, LAST = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31T23:59:59.999999", "us")
UUID: Final = "extension<arrow.uuid>"
EMPTY = {  # what a column of which nothing is known is read as
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.int64(),
    Type.REAL: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}
BROKEN = "privet.question_mark"  # how bytes that are no UTF-8 are written
codecs.register_error(BROKEN, lambda problem: ("?", problem.end))  # type: ignore[attr-defined] # every one has an end


@dataclass(frozen=True)
class FrameColumn:
    """One column of a frame.

    Args:
        name: of the column.
        found: what it is read as where nothing is declared; None if that must be, or it cannot be read.
        key: the same where it says who a row is about, or is public; then whole numbers stay whole.
        told: its type in the words of the frame, for sentences.
        array: its values, given the declared type and whether it says who a row is about (or is public); None if they
            cannot be read.
        objects: whether it holds Python objects, of which nothing is known.
        unit: what units are read as where nothing is declared, none of them rounded; as `key` if it is None.
    """

    name: str
    found: Type | None
    key: Type | None
    told: str
    array: Callable[[Type | None, bool], pa.ChunkedArray | None]
    objects: bool = False
    unit: Type | None = None


def columns_of(frame: Any) -> dict[str, FrameColumn]:  # noqa: ANN401 - pandas and polars are not installed everywhere
    """The columns of a pandas, polars or Arrow frame, by name; no row is looked at before `array` is called.

    Raises:
        InvalidParameter: if it is no such frame, or two columns have one name.
    """
    made = {"pandas": _pandas, "polars": _polars, "pyarrow": _arrow}.get(type(frame).__module__.partition(".")[0])
    if made is None or type(frame).__name__ not in {"DataFrame", "Table", "RecordBatch"}:
        raise InvalidParameter(
            f"a frame is a pandas or polars DataFrame or an Arrow table, got {type(frame).__name__}: convert it"
        )
    columns: dict[str, FrameColumn] = {}
    for column in made(frame):
        if columns.setdefault(column.name, column) is not column:
            raise InvalidParameter(f"two columns of a frame are called {column.name}: rename one")
    return columns


def is_pandas(frame: object) -> bool:
    """Whether types of its columns may depend on rows, so that columns are read as declared."""
    return type(frame).__module__.partition(".")[0] == "pandas"


def _arrow(frame: Any) -> Iterator[FrameColumn]:  # noqa: ANN401 - pyarrow has no types
    for field, column in zip(frame.schema, frame.columns, strict=True):
        yield _plain(str(field.name), field.type, partial(_chunked, column))


def _polars(frame: Any) -> Iterator[FrameColumn]:  # noqa: ANN401 - not installed everywhere
    for column in frame.iter_columns():
        if str(column.dtype) == "Object":
            yield _unread(column.name, "Python objects")
        else:
            yield _plain(column.name, column.head(0).to_arrow().type, column.to_arrow)


def _pandas(frame: Any) -> Iterator[FrameColumn]:  # noqa: ANN401 - not installed everywhere
    for place, name in enumerate(frame.columns):
        yield _series(str(name), frame.iloc[:, place])


def _series(name: str, series: Any) -> FrameColumn:  # noqa: ANN401, PLR0911 - of pandas; a line for each kind
    if hasattr(series.dtype, "categories"):
        return _categories(name, series)
    kind = series.dtype.kind if isinstance(series.dtype, np.dtype) else None
    if kind is None:
        try:
            found = pa.Array.from_pandas(series.head(0)).type
        except (TypeError, ValueError, NotImplementedError, pa.ArrowException):
            return _unread(name, str(series.dtype))
        return _plain(name, found, lambda: _written(series) if _is_text(found) else pa.Array.from_pandas(series))
    told = str(series.dtype)
    match kind:
        case "i" | "u" | "f":

            def numbers(_: Type | None, key: bool) -> pa.ChunkedArray:  # noqa: FBT001 - a callback
                return _keys(name, series) if key else _chunked(pa.array(series.to_numpy(np.float64), from_pandas=True))

            return FrameColumn(name, Type.REAL, Type.INTEGER, told, numbers)
        case "b":
            return _plain(name, pa.bool_(), lambda: pa.array(series.to_numpy()))
        case "M":
            return _plain(name, pa.timestamp(np.datetime_data(series.dtype)[0]), lambda: pa.Array.from_pandas(series))
        case "O":
            return FrameColumn(
                name, None, None, "Python objects", lambda kind, _: _chunked(_texts(series, kind)), objects=True
            )
    return _unread(name, told)


def _categories(name: str, series: Any) -> FrameColumn:  # noqa: ANN401 - of pandas
    """Categories are read once each, as a column of their own; which of them a row has says its code."""
    inner = _series(name, series.cat.categories.to_series())

    def rows(kind: Type | None, key: bool) -> pa.ChunkedArray | None:  # noqa: FBT001 - a callback
        values, codes = inner.array(kind, key), series.cat.codes.to_numpy()
        return None if values is None else _chunked(values.combine_chunks().take(pa.array(codes, mask=codes < 0)))

    return FrameColumn(name, inner.found, inner.key, f"categories of {inner.told}", rows, inner.objects, inner.unit)


def _unread(name: str, told: str) -> FrameColumn:
    return FrameColumn(name, None, None, told, lambda *_: None)


def _plain(name: str, kind: Any, values: Callable[[], Any]) -> FrameColumn:  # noqa: ANN401 - pyarrow has no types
    """A column whose type no row decides."""
    found = _arrow_type(kind)
    exact = None if found is None else _unit_type(kind)
    return FrameColumn(
        name, found, found, str(kind), lambda declared, key: _read(_chunked(values()), declared, key), unit=exact
    )


def _unit_type(kind: Any) -> Type | None:  # noqa: ANN401 - pyarrow has no types
    """What says who a row is about is read as, none of it rounded."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _unit_type(kind.value_type)
    if pa.types.is_timestamp(kind):
        return Type.TEXT if kind.unit == "ns" else Type.TIMESTAMP
    return unit_type(str(kind)) if pa.types.is_decimal(kind) or pa.types.is_uint64(kind) else _arrow_type(kind)


def _arrow_type(kind: Any) -> Type | None:  # noqa: ANN401 - pyarrow has no types
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _arrow_type(kind.value_type)
    if pa.types.is_decimal(kind):
        return Type.REAL if kind.precision <= DIGITS else None
    if pa.types.is_timestamp(kind):
        return Type.TIMESTAMP if kind.tz is None else None
    if pa.types.is_date64(kind):
        return Type.DATE
    return Type.TEXT if str(kind) == UUID else type_of(str(kind))


def _read(values: pa.ChunkedArray, declared: Type | None, key: bool) -> pa.ChunkedArray | None:  # noqa: FBT001, PLR0911 - a line for each kind
    """An Arrow column as one that engines read without an error, whatever is in it; None if there is no such."""
    kind = values.type
    if pa.types.is_null(kind):
        return None if declared is None else values.cast(EMPTY[declared])
    if _arrow_type(kind) is None:
        return None
    if pa.types.is_dictionary(kind):  # each value is read once
        return _chunked([_decoded(chunk, declared, key) for chunk in values.chunks], kind.value_type)
    if pa.types.is_run_end_encoded(kind):
        return _read(_chunked([pc.run_end_decode(chunk) for chunk in values.chunks], kind.value_type), declared, key)
    if _is_text(kind):
        return sanitized(values, key=key)
    if key and pa.types.is_timestamp(kind) and kind.unit == "ns":
        return values
    if pa.types.is_timestamp(kind):
        return _chunked([_microseconds(_moments(chunk)) for chunk in values.chunks], pa.timestamp("us"))
    if pa.types.is_decimal(kind):
        return values.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_date64(kind):
        return values.cast(pa.date32(), safe=False)
    return values.cast(pa.float32()) if pa.types.is_float16(kind) else values


def _decoded(chunk: Any, declared: Type | None, key: bool) -> Any:  # noqa: ANN401, FBT001 - pyarrow has no types
    values = _read(_chunked(chunk.dictionary), declared, key)
    return pa.nulls(len(chunk), pa.string()) if values is None else values.combine_chunks().take(chunk.indices)


def sanitized(values: pa.ChunkedArray, *, key: bool) -> pa.ChunkedArray:
    """Texts of which all are UTF-8: in others, what is not becomes a question mark; a key that is not becomes NULL.

    A key is not mended, for that could make one unit of two.
    """
    return _chunked([_valid(chunk, key=key) for chunk in values.chunks], pa.large_string())


def _valid(chunk: Any, *, key: bool) -> Any:  # noqa: ANN401 - pyarrow has no types
    large = chunk.cast(pa.large_string()) if not pa.types.is_string_view(chunk.type) else _without_view(chunk)
    try:
        large.validate(full=True)
    except pa.ArrowInvalid:
        raw = large.cast(pa.large_binary()).to_pylist()
        return pa.array([None if each is None else _mended(each, key=key) for each in raw], pa.large_string())
    return large


def _without_view(chunk: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    return pa.Array.from_buffers(
        pa.large_string(),
        len(chunk),
        (binary := chunk.cast(pa.binary_view()).cast(pa.large_binary())).buffers(),
        offset=binary.offset,
    )


def _mended(raw: bytes, *, key: bool) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None if key else raw.decode(errors=BROKEN)


def _keys(name: str, series: Any) -> pa.ChunkedArray:  # noqa: ANN401 - of pandas
    """Whole numbers exactly; those that pandas made real, if none of them was rounded."""
    numbers = series.to_numpy()
    if numbers.dtype.kind != "f":
        try:
            return _chunked(pa.array(numbers).cast(pa.int64()))
        except pa.ArrowInvalid:
            raise InvalidParameter(f"column {name}: its ids have more than 63 bits: make texts of them") from None
    missing = np.isnan(numbers)
    known = numbers[~missing]
    if (known != np.rint(known)).any() or (np.abs(known) >= EXACT).any():
        raise InvalidParameter(
            f"column {name}: pandas has made real numbers of its ids, and some cannot be told apart any more: read "
            'them as "Int64" or as texts'
        )
    return _chunked(pa.array(np.where(missing, 0, numbers).astype(np.int64), mask=missing))


def _written(series: Any) -> Any:  # noqa: ANN401 - of pandas
    """A column of pandas' texts; one that Arrow cannot take over holds halves of characters."""
    try:
        return pa.Array.from_pandas(series)
    except (UnicodeError, ValueError, pa.ArrowException):
        return _texts(series, Type.TEXT)


def _texts(series: Any, declared: Type | None) -> Any:  # noqa: ANN401 - of pandas
    """Python objects as texts, each for itself, from which engines read what is declared."""
    return pa.array([_text(each, declared) for each in series.tolist()], pa.large_string())


def _text(value: Any, declared: Type | None) -> str | None:  # noqa: ANN401 - whatever it is
    """What one object says, as a text; NULL if it is none of the things below, or cannot say it."""
    try:
        return _said(value, declared)
    except Exception:  # noqa: BLE001 - somebody's own class, or a number of too many digits: its own row only
        return None


def _said(value: Any, declared: Type | None) -> str | None:  # noqa: ANN401, PLR0911 - whatever it is; a line for each
    match value:
        case str():
            return str.__str__(value).encode(errors=BROKEN).decode()
        case bool() | np.bool_():
            return str(int(value)) if declared is not None and declared.numeric else str(bool(value)).lower()
        case int() | np.integer():
            return str(value)
        case float() | np.floating():
            whole = declared is Type.INTEGER and float(value).is_integer()
            return (str(int(value)) if whole else repr(float(value))) if math.isfinite(value) else None
        case decimal.Decimal():
            return str(value) if value.is_finite() else None
        case dt.datetime():
            local = value == value and value.tzinfo is None  # noqa: PLR0124 - NaT is not itself
            return value.isoformat(sep=" ", timespec="microseconds") if local else None
        case dt.date():
            return value.isoformat()
    return str(value) if type(value).__module__ == "uuid" else None


def _moments(chunk: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    unit = chunk.type.unit
    return chunk.cast(pa.int64()).fill_null(np.iinfo(np.int64).min).to_numpy(zero_copy_only=False).view(f"M8[{unit}]")


def _microseconds(moments: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Timestamps in microseconds; NULL outside the years 1 to 9999, where engines would raise errors."""
    unit = np.datetime_data(moments.dtype)[0]
    low, high = FIRST.astype(f"M8[{unit}]"), LAST.astype(f"M8[{unit}]")
    inside = ~np.isnat(moments) if unit == "ns" else (moments >= low) & (moments <= high)
    safe = np.where(inside, moments.view(np.int64), 0).view(moments.dtype)
    return pa.array(safe.astype("M8[us]"), pa.timestamp("us"), mask=~inside)


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _chunked(values: Any, kind: Any = None) -> pa.ChunkedArray:  # noqa: ANN401 - pyarrow has no types
    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, list):
        return pa.chunked_array(values, type=values[0].type if values else kind)
    return pa.chunked_array([values])
