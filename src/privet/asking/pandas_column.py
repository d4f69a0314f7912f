"""Columns of pandas, which lets a single row decide what type a whole column has."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.arrow_column import from_arrow
from privet.asking.contributions import Codes
from privet.asking.elements import EXACT, codes_of, number_of
from privet.asking.stored import Kind, Read, Stored, boxed, from_numpy, nothing_missing, of_one_type
from privet.errors import InvalidParameter

_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def from_pandas(values: Any, name: str) -> Stored:  # noqa: ANN401 - pandas is not imported here
    """A pandas Series or Index."""
    if getattr(values, "ndim", 0) != 1 or not hasattr(values, "to_numpy"):
        raise InvalidParameter(f"{name} must be one column, got a {type(values).__name__}: pass frame[column]")
    dtype = values.dtype
    kind = type(values.dtype).__name__
    if isinstance(dtype, np.dtype):
        return _undecided(values.to_numpy(), name) if dtype.kind in "biufO" else from_numpy(values.to_numpy(), name)
    if kind == "ArrowDtype" or (kind == "StringDtype" and dtype.storage == "pyarrow"):
        stored = from_arrow(getattr(values, "array", values).__arrow_array__(), name)
        return replace(stored, dtype=str(dtype))
    if kind == "CategoricalDtype":
        return _categories(values)
    if kind == "DatetimeTZDtype":
        return Stored(len(values), "time", str(dtype), nullable=True, read=lambda: nothing_missing(_local(values)))
    if kind == "SparseDtype":
        return _undecided(np.asarray(getattr(values, "array", values)), name)
    return _extension(values)


def _undecided(values: NDArray[Any], name: str) -> Stored:
    """A column of numpy's types in pandas: one missing value makes floats of integers and objects of truths.

    So integers, floats, truths and objects are all read as if they were any of them: numbers as float64, one by one,
    and owners whose numbers no float can tell apart from their neighbors are nobody.
    """
    plain = from_numpy(values, name)

    def read() -> Read:
        found = of_one_type(values)
        if found.dtype.kind == "O":
            return nothing_missing(boxed([_as_float(value) for value in found.tolist()]))
        return nothing_missing(found if found.dtype.kind == "b" else found.astype(np.float64, copy=False))

    def code() -> Codes:
        found, _ = read()
        if found.dtype.kind != "f":
            return codes_of(found.tolist(), len(found), largest=EXACT)
        with np.errstate(all="ignore"):
            return np.where(np.abs(found) <= EXACT, np.unique(found, return_inverse=True)[1].astype(np.int64), -1)

    peek = (lambda: values) if plain.kind == "any" else None
    return Stored(len(values), "any", plain.dtype, True, read, code, peek, mixed=True, rounded=True)  # noqa: FBT003 - nullable


def _as_float(value: Any) -> Any:  # noqa: ANN401 - whatever a row holds
    """Whole numbers beyond 2^53 as floats, as pandas would have made of them beside a missing value."""
    return number_of(value) if isinstance(value, int) and abs(value) > EXACT else value


def _categories(values: Any) -> Stored:  # noqa: ANN401 - a pandas column
    """Categories are looked up one by one: their common type is that of whatever rows there were."""
    known = values.cat.categories if hasattr(values, "cat") else values.categories
    codes = values.cat.codes if hasattr(values, "cat") else values.codes

    def listed() -> list[Any]:
        return [*map(_as_float, known.tolist()), None]  # code -1 is the last, which is missing

    def read() -> Read:
        places = np.asarray(codes, dtype=np.int64)
        return boxed(listed())[places], places < 0

    def code() -> Codes:
        return codes_of(listed(), len(known) + 1, largest=EXACT)[np.asarray(codes, dtype=np.int64)]

    return Stored(len(codes), "any", "category", True, read, code, lambda: known, mixed=True, rounded=True)  # noqa: FBT003 - nullable


def _local(values: Any) -> NDArray[Any]:  # noqa: ANN401 - a pandas column with a time zone
    """The time on the wall; at the ends of time a day is left for the zone."""
    import pandas as pd  # noqa: PLC0415 - the caller has it

    index = pd.DatetimeIndex(values)
    steps = index.asi8
    room = 2 * _DAY[str(index.unit)]
    ends = np.iinfo(np.int64)
    known = np.where(steps == ends.min, 0, np.clip(steps, ends.min + room, ends.max - room))
    clocks = pd.DatetimeIndex(known.astype(f"M8[{index.unit}]")).tz_localize("UTC").tz_convert(index.tz)
    local = clocks.tz_localize(None).to_numpy()
    return np.where(steps == ends.min, np.datetime64("NaT"), local)


def _extension(values: Any) -> Stored:  # noqa: ANN401 - a pandas column
    """Nullable numbers and texts, whose types hold missing values; and whatever can only be told apart."""
    dtype = values.dtype
    letter = str(getattr(dtype, "kind", "O"))
    kinds: dict[str, Kind] = {"b": "truth", "i": "whole", "u": "whole", "f": "real"}
    kind: Kind = "text" if type(dtype).__name__ == "StringDtype" else kinds.get(letter, "other")
    plain = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}.get(letter, np.object_)

    def read() -> Read:
        missing = np.asarray(values.isna(), dtype=np.bool_)
        if kind in ("text", "other"):
            return values.to_numpy(dtype=object), missing
        return values.to_numpy(dtype=plain, na_value=False if kind == "truth" else 0), missing

    return Stored(len(values), kind, str(dtype), nullable=True, read=read)
