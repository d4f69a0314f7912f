"""ArrayColumn: numbers, owners or times, from whatever holds them, read only after the charge."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.arrow_column import from_arrow
from privet.asking.contributions import OWNERS, WIDEST, Codes
from privet.asking.elements import absent_of, codes_of, day_of, floats_of, is_false, only_texts
from privet.asking.pandas_column import from_pandas
from privet.asking.stored import (
    Kind,
    Mask,
    Read,
    Stored,
    anything_missing,
    from_list,
    from_numpy,
    nothing_missing,
)
from privet.errors import InvalidParameter

NUMBERS: tuple[Kind, ...] = ("real", "whole", "truth")
TIMES: tuple[Kind, ...] = ("time", "whole")
ANYTHING: tuple[Kind, ...] = (*NUMBERS, "time", "text", "other")
WORDS = {"real": "numbers", "whole": "whole numbers", "truth": "true and false", "time": "whole numbers or dates"}
_TAKEN = "a numpy array, a list, a tuple, a pandas or polars Series or a pyarrow array"


@dataclass(frozen=True)
class ArrayColumn(Stored):
    """A column of a table, read as numbers, as owners or as times: the one reader of what callers hand over.

    Args:
        length, kind, dtype, nullable, read, code, peek, mixed: see `Stored`.

    Privacy: what is read is read inside a deferred secret only. No row decides how another is read, and nothing that
        is in a row raises: what is not a number counts as missing where numbers are needed.
    Proof: the type of the numbers follows from the type of the column: its own, or float64 where rows may be of any
        type, each converted by itself. A gap is in the mask, never in the type. What remains is `refuse_other_than`.

    Example:
        >>> ArrayColumn.of(np.array([1, 2, 3]))
        ArrayColumn(length=3, kind='whole', dtype='int64', nullable=False)
        >>> ArrayColumn.of([1, None, "three"]).numbers()
        array([ 1., nan, nan])
    """

    @classmethod
    def of(cls, values: Any, name: str = "values") -> "ArrayColumn":  # noqa: ANN401 - anything that holds a column
        """Return the column that `values` holds, unread."""
        if isinstance(values, cls):
            return values
        return cls(**vars(_stored(values, name)))

    def refuse_other_than(self, kinds: tuple[Kind, ...], name: str) -> None:
        """Raise if the column holds something else, by its type.

        Where only rows can tell, as in a list, numbers are refused if there are texts and not a single number: that is
        a wrong column, not a wrong row. One row decides this only in a column that holds no number but that row's,
        about which nothing can be asked; a text among numbers is a missing row and refuses nothing.
        """
        wrong = self.kind not in (*kinds, "any")
        if not wrong and self.peek is not None and set(kinds) <= set(NUMBERS):
            wrong = only_texts(self.peek())
        if wrong:
            raise InvalidParameter(
                f"{name} must hold {WORDS[kinds[0]]}, got a column of {self.dtype}: convert it first"
            )

    def typed(self) -> Read:
        """Return the values as numbers of a type that follows from the column's, and which of them are missing.

        A float may also be NaN, which is missing too.
        """
        values, missing = self.read()
        return (floats_of(values.tolist()), missing) if values.dtype.kind == "O" else (values, missing)

    def numbers(self) -> NDArray[Any]:
        """Return the values as numbers, NaN where they are missing: floats, if the type can hold missing values."""
        values, missing = self.typed()
        if not self.nullable:
            return values
        wide = values.astype(np.float32 if values.dtype.kind == "b" else np.float64, copy=False)  # 0, 1, NaN: no more
        return np.where(missing, wide.dtype.type(np.nan), wide) if anything_missing(missing) else wide

    def presence(self, *, as_false: bool = False, but_false: bool = False) -> "ArrayColumn":
        """Return a column that is true where this one has a value, and missing where this one is.

        Args:
            as_false: False instead of missing.
            but_false: a row that is False (not a 0) is not counted: it is False, too.
        """

        def read() -> Read:
            values, absent = self._absence()
            there = np.ones(len(values), dtype=np.bool_)
            if but_false and values.dtype.kind in "bO":
                there = values if values.dtype.kind == "b" else ~_each(is_false, values)
            return nothing_missing(there & ~absent) if as_false else (there, absent)

        return replace(self, kind="truth", read=read, code=None, peek=None)

    def truth(self) -> "ArrayColumn":
        """Return a column that is true where this one is not zero, and missing where this one is."""
        if self.kind == "truth":
            return self

        def read() -> Read:
            values, missing = self.typed()
            absent = missing | np.isnan(values) if values.dtype.kind == "f" else missing
            return values != 0, absent

        return replace(self, read=read, code=None)

    def owners(self) -> Codes:
        """Return a whole number for each row, the same for equal values; -1 where the value is missing."""
        if self.code is not None:
            return self.code()
        values, absent = self._absence()
        codes = codes_of(values.tolist(), len(values)) if values.dtype.kind == "O" else _numbered(values)
        return np.where(absent, -1, codes)

    def times(self) -> tuple[Codes, Mask]:
        """Return whole-numbered times (days, for dates), and where they are known."""
        values, missing = self.read()
        if values.dtype.kind in "Of":
            values = _each(day_of, values, np.float64)
        known = ~(missing | _gaps(values))
        if values.dtype.kind == "M":
            values = values.astype("datetime64[D]").astype(np.int64)
        return np.where(known, values, 0).astype(np.int64), known

    def _absence(self) -> Read:
        """Return the values, and where they are missing by the mask or by themselves."""
        values, missing = self.read()
        return values, missing | (absent_of(values.tolist()) if values.dtype.kind == "O" else _gaps(values))


def _stored(values: Any, name: str) -> Stored:  # noqa: ANN401 - anything that holds a column
    if isinstance(values, np.ndarray):
        return from_numpy(values, name)
    if isinstance(values, list | tuple | range):
        return from_list(values)
    library = type(values).__module__.partition(".")[0]
    if library == "pandas":
        return from_pandas(values, name)
    if (
        library in {"polars", "pyarrow"}
        or hasattr(values, "__arrow_c_stream__")
        or hasattr(values, "__arrow_c_array__")
    ):
        return from_arrow(values, name)
    if hasattr(values, "__array__"):
        return from_numpy(np.asarray(values), name)
    raise InvalidParameter(f"{name} must be a column ({_TAKEN}), got {type(values).__name__}")


def _each(function: Any, values: NDArray[Any], kind: Any = np.bool_) -> NDArray[Any]:  # noqa: ANN401 - a numpy type
    return np.array([function(value) for value in values.tolist()], dtype=kind)


def _gaps(values: NDArray[Any]) -> Mask:
    """Return where values are missing by themselves: NaN and NaT."""
    gaps: Mask = np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind == "f":
        gaps = np.isnan(values)
    elif values.dtype.kind == "M":
        gaps = np.isnat(values)
    return gaps


def _numbered(values: NDArray[Any]) -> Codes:
    """Return codes of values that can be sorted; of whole numbers in a narrow range, those less the least."""
    if values.dtype.kind in "iu" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < OWNERS and most < WIDEST and least > -WIDEST:
            return values.astype(np.int64) - least
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
