"""Table: rows of several numbers, for functions that see whole rows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.column import NUMBERS, ArrayColumn
from privet.asking.elements import number_of
from privet.errors import InvalidParameter

Floats: TypeAlias = NDArray[np.float64]
_FIX = "pass a frame, or np.asarray(rows, dtype=float): how wide rows are must be public"


@dataclass(frozen=True)
class Table:
    """Rows in an array, a list or a frame, unread.

    Args:
        length: the number of rows.
        read: returns an array whose shape and type follow from the kind of table alone: a numpy array as it is,
            anything else as floats, NaN where a value is missing or not a number.

    Privacy: as `ArrayColumn`, which reads every column of a frame: one row changes itself only.
    """

    length: int
    read: Callable[[], NDArray[Any]] = field(repr=False)

    @classmethod
    def of(cls, data: Any, *, width: int | None = None) -> "Table":  # noqa: ANN401 - rows of any kind
        """Return the rows, or refuse them by their type; nothing is read.

        Args:
            data: a numpy array with rows on its first axis, a list of numbers, a column, or a frame.
            width: how many numbers a row has, if that is known; then lists of rows are read as well.
        """
        if isinstance(data, np.ndarray) and not isinstance(data, np.ma.MaskedArray):
            return cls(len(data) if data.ndim else 0, lambda: data)
        columns = _columns(data)
        if columns is not None:
            if width not in {None, len(columns)}:
                raise InvalidParameter(f"data must have {width} columns, got {len(columns)}: choose them first")
            return cls(columns[0].length, lambda: np.stack([_floats(each) for each in columns], axis=1))
        if width is not None and isinstance(data, list | tuple):
            return cls(len(data), lambda: np.array([_row(row, width) for row in data], dtype=np.float64))
        if width is not None:
            raise InvalidParameter(f"data must be rows of {width} numbers, got {type(data).__name__}: {_FIX}")
        column = ArrayColumn.of(data, "data")
        column.refuse_other_than(NUMBERS, "data")
        if isinstance(data, list | tuple) and len(data) and all(isinstance(row, list | tuple) for row in data):
            raise InvalidParameter(f"data must be numbers, got a list of lists: {_FIX}")
        return cls(column.length, lambda: _floats(column))


def _columns(data: Any) -> list[ArrayColumn] | None:  # noqa: ANN401 - perhaps a frame
    """The columns of a frame of pandas, polars or Arrow; None if it is none."""
    if isinstance(data, Mapping) or not hasattr(data, "columns") or not hasattr(data, "__getitem__"):
        return None
    found: Iterable[Any]
    if hasattr(data, "iloc"):
        found = [data.iloc[:, place] for place in range(data.shape[1])]
    elif hasattr(data, "get_columns"):
        found = data.get_columns()
    else:
        found = data.columns
    columns = [ArrayColumn.of(each, "data") for each in found]
    if not columns:
        raise InvalidParameter("data must have at least one column, got none")
    for column in columns:
        column.refuse_other_than(NUMBERS, "data")
    return columns


def _floats(column: ArrayColumn) -> Floats:
    """The numbers of a column as float64, NaN where missing."""
    values, missing = column.typed()
    wide = values.astype(np.float64)
    return np.where(missing, np.nan, wide)


def _row(row: Any, width: int) -> list[float]:  # noqa: ANN401 - whatever a row is
    """The numbers of a row; all missing if there are fewer or more."""
    try:
        numbers = [number_of(value) for value in row]
    except Exception:  # noqa: BLE001 - a row that is no list says nothing, and must not stop the others
        return [np.nan] * width
    return numbers if len(numbers) == width else [np.nan] * width
