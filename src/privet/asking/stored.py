"""Stored: a column as it lies in a list or an array, and how it is read after the charge."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.contributions import Codes
from privet.errors import InvalidParameter

Kind = Literal["whole", "real", "truth", "time", "text", "any", "other"]
Mask: TypeAlias = NDArray[np.bool_]
Read: TypeAlias = tuple[NDArray[Any], Mask]

_KINDS: dict[str, Kind] = {"b": "truth", "i": "whole", "u": "whole", "f": "real", "M": "time", "U": "text", "S": "text"}
_KINDS |= {"T": "text", "O": "any"}
_WORDS = {"U": "text", "S": "bytes", "T": "text"}  # the longest text is in the name of numpy's type
FLOAT = 8  # bytes of a float64


@dataclass(frozen=True)
class Stored:
    """A column of a table: its length and type are public, what is in it is not.

    Args:
        length: the number of rows.
        kind: what its type holds; "any" where rows are of any type, as in a list; "other" where they can only be
            counted and told apart.
        dtype: the name of its type.
        nullable: whether its type can hold missing values.
        read: returns the values and which of them are missing.
        code: returns a whole number for each row, the same for equal values, -1 for missing ones; or None.
        peek: the rows of a column of any type, one by one; None for other kinds.
        mixed: True where a single row may have decided the type of all, as in an object array and in pandas.
        rounded: True where such a row may also have made floats of whole numbers, as in pandas: then those beyond 2^53
            are not told apart.

    Privacy: the type of what is read follows from the type of the column, never from rows, and a mask is always made:
        so a missing value changes its own row only. Nothing that is in a row raises an error.
    """

    length: int
    kind: Kind
    dtype: str
    nullable: bool
    read: Callable[[], Read] = field(repr=False)
    code: Callable[[], Codes] | None = field(repr=False, default=None)
    peek: Callable[[], Iterable[Any]] | None = field(repr=False, default=None)
    mixed: bool = field(repr=False, default=False)
    rounded: bool = field(repr=False, default=False)


def nothing_missing(values: NDArray[Any]) -> Read:
    """Return the values with an empty mask, which takes no room: every entry is one and the same."""
    return values, np.broadcast_to(np.False_, len(values))


def anything_missing(mask: Mask) -> bool:
    """Whether any entry of a mask is set."""
    return bool(mask.strides[0]) and bool(mask.any())


def from_list(values: Any) -> Stored:  # noqa: ANN401 - a list, tuple or range
    """A plain list, whose rows may be anything."""
    name = type(values).__name__
    return Stored(
        len(values), "any", name, nullable=True, read=lambda: nothing_missing(boxed(values)), peek=lambda: values
    )


def boxed(values: Any) -> NDArray[Any]:  # noqa: ANN401 - a list, tuple or range
    """Return an array of the values as they are; one by one, as numpy looks into lists that are all of one length."""
    return np.fromiter(values, dtype=np.object_, count=len(values))


def from_numpy(values: NDArray[Any], name: str) -> Stored:
    """A numpy array, whose type is its maker's statement."""
    if values.ndim != 1:
        raise InvalidParameter(f"{name} must have one dimension, got {values.ndim}: pass one column at a time")
    kind = _KINDS.get(values.dtype.kind)
    if kind is None:
        raise InvalidParameter(f"{name} must be a column of numbers, labels or dates, got {values.dtype}: convert it")
    masked = isinstance(values, np.ma.MaskedArray)

    def plainly() -> NDArray[Any]:
        return np.asarray(values.data if masked else values)

    def read() -> Read:
        plain, missing = nothing_missing(plainly())
        return of_one_type(plain), np.ma.getmaskarray(values) if masked else missing

    dtype = _WORDS.get(values.dtype.kind, str(values.dtype))
    code = (
        (lambda: _long_codes(plainly(), read()[1]))
        if values.dtype.kind == "f" and values.dtype.itemsize > FLOAT
        else None
    )
    nullable = masked or values.dtype.kind not in "biu"
    mixed = kind == "any"
    return Stored(len(values), kind, dtype, nullable, read, code, (lambda: values) if mixed else None, mixed=mixed)


def _long_codes(values: NDArray[Any], missing: Mask) -> Codes:
    """Owners in long doubles, which no float64 may merge."""
    numbers = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return np.where(missing | np.isnan(values), -1, numbers)


def of_one_type(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values in a type that all operations know: float64 for longer floats, objects for numpy's texts."""
    if values.dtype.kind == "f" and values.dtype.itemsize > FLOAT:
        with np.errstate(all="ignore"):
            return values.astype(np.float64)
    return boxed(values.tolist()) if values.dtype.kind == "T" else values
