"""Columns of Arrow, polars and their kin: chunks, dictionaries and nulls, each type read in one way."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.stored import Kind, Read, Stored, boxed
from privet.errors import InvalidParameter

_TEXTS = ("string", "large_string", "string_view")


def from_arrow(values: Any, name: str) -> Stored:  # noqa: ANN401 - a column of arrow, polars or their kin
    """A column whose type was declared: a null does not change it."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, and not needed by most callers

    column = values if isinstance(values, pa.Array | pa.ChunkedArray) else _exported(values, name)
    dtype = _plain_type(column.type)
    kind = _kind_of(dtype)

    def read() -> Read:
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        parts = [_read(_plain(chunk), kind) for chunk in chunks] or [_read(pa.array([], type=dtype), kind)]
        if len(parts) == 1:
            return parts[0]
        found, missing = zip(*parts, strict=True)
        return np.concatenate(found), np.concatenate(missing)

    nobody = (lambda: np.full(len(column), -1)) if pa.types.is_nested(dtype) else None  # rows of rows have no name
    return Stored(len(column), kind, str(column.type), True, read, nobody)  # noqa: FBT003 - nullable


def _exported(values: Any, name: str) -> Any:  # noqa: ANN401 - a column of another library
    import pyarrow as pa  # noqa: PLC0415 - as above

    if hasattr(values, "columns") or isinstance(values, pa.Table):
        raise InvalidParameter(f"{name} must be one column, got a {type(values).__name__}: pass frame[column]")
    kind = str(getattr(values, "dtype", ""))
    try:
        if kind != "Object":  # of which polars exports the addresses
            return values.to_arrow() if hasattr(values, "to_arrow") else pa.chunked_array(values)
    except (pa.ArrowException, TypeError, ValueError):
        pass
    raise InvalidParameter(
        f"{name} must be a column of numbers, texts or dates, got {kind or type(values)}: convert it"
    )


def _plain_type(dtype: Any) -> Any:  # noqa: ANN401 - an arrow type
    """The type of values behind dictionaries, runs and extensions."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    if pa.types.is_dictionary(dtype) or pa.types.is_run_end_encoded(dtype):
        return _plain_type(dtype.value_type)
    return _plain_type(dtype.storage_type) if isinstance(dtype, pa.BaseExtensionType) else dtype


def _plain(array: Any) -> Any:  # noqa: ANN401 - an arrow array
    """The values without dictionaries, runs and extensions."""
    import pyarrow as pa  # noqa: PLC0415 - as above
    import pyarrow.compute as pc  # noqa: PLC0415 - as above

    if pa.types.is_dictionary(array.type):
        return _plain(array.dictionary_decode())
    if pa.types.is_run_end_encoded(array.type):
        return _plain(pc.run_end_decode(array))
    return _plain(array.storage) if isinstance(array, pa.ExtensionArray) else array


def _kind_of(dtype: Any) -> Kind:  # noqa: ANN401 - an arrow type
    import pyarrow as pa  # noqa: PLC0415 - as above

    types = pa.types
    if types.is_integer(dtype):
        return "whole"
    if types.is_floating(dtype) or types.is_decimal(dtype):
        return "real"
    if types.is_boolean(dtype):
        return "truth"
    if types.is_date(dtype) or types.is_timestamp(dtype):
        return "time"
    if str(dtype) in _TEXTS:
        return "text"
    return "any" if types.is_null(dtype) else "other"


def _read(array: Any, kind: Kind) -> Read:  # noqa: ANN401 - an arrow array
    """Return the values of one chunk in the type that belongs to the column's, and where there is none.

    Proof that nulls decide nothing: numbers and truths are filled before numpy sees them, so it never needs a float for
        a gap; times have a gap of their own (NaT); texts are read as bytes and then one by one, broken ones too.
    """
    import pyarrow as pa  # noqa: PLC0415 - as above

    missing = np.asarray(array.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
    if kind in ("whole", "truth") or pa.types.is_floating(array.type):
        filled = array.fill_null(False if kind == "truth" else 0) if missing.any() else array
        return filled.to_numpy(zero_copy_only=False), missing
    if kind == "time":
        return array.to_numpy(zero_copy_only=False), missing
    if kind == "text":
        return boxed([_text(value) for value in array.cast(pa.large_binary()).to_pylist()]), missing
    if kind in ("real", "any"):  # decimals, or nothing but nulls
        return boxed(array.to_pylist()), missing
    return _bytes(array), missing


def _text(value: bytes | None) -> str | None:
    """The text of these bytes; what is not UTF-8 stays what it is, and is different from all texts."""
    return None if value is None else value.decode("utf-8", errors="surrogateescape")


def _bytes(array: Any) -> NDArray[Any]:  # noqa: ANN401 - an arrow array
    """The values of types that can only be told apart: as bytes or whole numbers; all alike if they are nested."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    for plain in (pa.int64(), pa.large_binary()):
        try:
            return boxed(array.cast(plain).to_pylist())
        except (pa.ArrowException, ValueError):
            continue
    return np.zeros(len(array), dtype=np.bool_)
