"""Columns of frames: what each is read as, and its values as an Arrow column whose type no row decides.

pandas picks a column's type by looking at its rows: one missing value makes reals of whole numbers, and Python objects
of booleans. So what pandas says is read such that both say the same, and what only rows could tell must be declared:
what is declared, whatever pandas has made of it, becomes one Arrow type (`frame_objects.py`). The types of polars,
of Arrow, and pandas' own nullable ones (but texts) do not depend on rows, and are what they are.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import InvalidParameter
from privet.query.catalog.frame_objects import BROKEN, EXACT, objects_as
from privet.query.scalars.arrow_types import ARROW
from privet.query.scalars.engine_types import type_of
from privet.query.scalars.facts import Type
from privet.query.scalars.unit_types import unit_type

DIGITS = 38  # of the longest decimal that engines have
FIRST, LAST = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31T23:59:59.999999", "us")
UUID: Final = "extension<arrow.uuid>"


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
        loose: whether it needs a declared type: it holds Python objects, or is one missing value away from it.
        unit: what units are read as where nothing is declared, none of them rounded; as `key` if it is None.
        public: what it is read as in a public frame, where rows may decide; as `key` if it is None.
    """

    name: str
    found: Type | None
    key: Type | None
    told: str
    array: Callable[[Type | None, bool], pa.ChunkedArray | None]
    loose: bool = False
    unit: Type | None = None
    public: Type | None = None


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
    told = str(series.dtype)
    kind = series.dtype.kind if isinstance(series.dtype, np.dtype) else None
    match kind:
        case "i" | "u" | "f":
            public = Type.REAL if kind == "f" else Type.INTEGER
            return FrameColumn(name, Type.REAL, Type.INTEGER, told, partial(_numbers, name, series), public=public)
        case "b":
            as_declared = partial(_as_declared, lambda: pa.array(series.to_numpy()), Type.BOOLEAN)
            return FrameColumn(name, None, None, told, as_declared, loose=True, public=Type.BOOLEAN)
        case "M":
            clock = partial(_clock, series.to_numpy())
            own = Type.TIMESTAMP
            return FrameColumn(name, own, own, told, clock, unit=Type.TEXT, public=own)
        case "O":
            objects = partial(_objects, series)
            return FrameColumn(name, None, None, "Python objects", objects, loose=True, public=Type.TEXT)
        case None:
            return _extended(name, series)
    return _unread(name, told)


def _extended(name: str, series: Any) -> FrameColumn:  # noqa: ANN401 - of pandas
    """A column of a type that is not NumPy's. Of those, rows decide about texts: with one number they are objects."""
    try:
        found = pa.Array.from_pandas(series.head(0)).type
    except (TypeError, ValueError, NotImplementedError, pa.ArrowException):
        return _unread(name, str(series.dtype))
    if not _is_text(found):
        return _plain(name, found, lambda: pa.Array.from_pandas(series))
    return FrameColumn(name, Type.TEXT, Type.TEXT, str(found), partial(_texts, series))


def _as_declared(values: Callable[[], Any], own: Type, declared: Type | None, key: bool) -> pa.ChunkedArray:  # noqa: FBT001 - a callback
    """Values of pandas' own type; each for itself where another type is declared."""
    found = values()
    if declared is None or declared is own:
        return _chunked(found)
    return _chunked(objects_as(found.to_pylist(), declared, key=key))


def _numbers(name: str, series: Any, declared: Type | None, key: bool) -> pa.ChunkedArray:  # noqa: ANN401, FBT001 - of pandas
    numbers = _keys(name, series) if key else _chunked(pa.array(series.to_numpy(np.float64), from_pandas=True))
    if declared is None or declared.numeric:
        return numbers
    return _chunked(objects_as(numbers.to_pylist(), declared, key=key))


def _texts(series: Any, declared: Type | None, key: bool) -> pa.ChunkedArray:  # noqa: ANN401, FBT001 - of pandas
    """Texts; those that Arrow cannot take over hold halves of characters."""
    if declared in {None, Type.TEXT}:
        with suppress(UnicodeError, ValueError, pa.ArrowException):
            return sanitized(_chunked(pa.Array.from_pandas(series)), key=key)
    return _objects(series, declared, key)


def _objects(series: Any, declared: Type | None, key: bool) -> pa.ChunkedArray:  # noqa: ANN401, FBT001 - of pandas
    return _chunked(objects_as(series.tolist(), declared or Type.TEXT, key=key))


def _clock(moments: Any, declared: Type | None, key: bool) -> pa.ChunkedArray:  # noqa: ANN401, FBT001 - of pandas
    """Moments in microseconds. Keys between two of those are told apart as texts, and NULL as anything else."""
    found = _microseconds(moments)
    between = moments - moments.astype("M8[us]").astype(moments.dtype)
    if key and declared in {None, Type.TEXT}:
        texts = objects_as(found.to_pylist(), Type.TEXT, key=True).to_pylist()
        parts = [f"{part:03}" if part else "" for part in between.astype(int).tolist()]
        return _chunked(
            pa.array([text and text + part for text, part in zip(texts, parts, strict=True)], pa.large_string())
        )
    if key:
        found = pc.if_else(pa.array(between.astype(int) != 0), pa.scalar(None, found.type), found)
    return _as_declared(lambda: found, Type.TIMESTAMP, declared, key)


def _categories(name: str, series: Any) -> FrameColumn:  # noqa: ANN401 - of pandas
    """Categories are read once each, as a column of their own; which of them a row has says its code."""
    inner = _series(name, series.cat.categories.to_series())

    def rows(kind: Type | None, key: bool) -> pa.ChunkedArray | None:  # noqa: FBT001 - a callback
        values = inner.array(kind, key)
        codes = series.cat.codes.to_numpy()
        return None if values is None else _chunked(values.combine_chunks().take(pa.array(codes, mask=codes < 0)))

    return FrameColumn(
        name, inner.found, inner.key, f"categories of {inner.told}", rows, inner.loose, inner.unit, inner.public
    )


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
        return None if declared is None else values.cast(ARROW[declared])
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

    A key is not mended, because that could make one unit of two.
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
