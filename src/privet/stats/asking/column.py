"""Column: numbers, owners or times, from whatever holds them, read only after the charge."""

import datetime as dt
import numbers
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.stats.asking.contributions import OWNERS, WIDEST, Codes

Kind = Literal["whole", "real", "truth", "time", "text", "any"]
Mask: TypeAlias = NDArray[np.bool_]
Read: TypeAlias = tuple[NDArray[Any], Mask | None]

NUMBERS: tuple[Kind, ...] = ("real", "whole", "truth")
TIMES: tuple[Kind, ...] = ("time", "whole")
WORDS = {"real": "numbers", "whole": "whole numbers", "truth": "true and false", "time": "whole numbers or dates"}
EXACT = 2**53  # whole numbers up to here are floats
_KINDS: dict[str, Kind] = {"b": "truth", "i": "whole", "u": "whole", "f": "real", "M": "time", "U": "text", "S": "text"}
_KINDS |= {"T": "text", "O": "any"}
_TAKEN = "a numpy array, a list, a tuple, a pandas or polars Series or a pyarrow array"


@dataclass(frozen=True)
class Column:
    """A column of a table: its length and type are public, what is in it is read by `numbers`, `owners` and `times`.

    Args:
        length: the number of rows.
        kind: what its type holds; "any" where there is no type, as in a list.
        dtype: the name of its type.
        nullable: whether its type can hold missing values.
        read: returns the values, and a mask of the missing ones or None.
        code: returns a whole number for each row, the same for equal values, -1 for missing ones; or None.

    Privacy: all three are called inside a deferred secret only. No row decides how another is read, and nothing that
        is in a row raises: what is not a number counts as missing where numbers are needed.

    Example:
        >>> Column.of(np.array([1, 2, 3]))
        Column(length=3, kind='whole', dtype='int64', nullable=False)
        >>> Column.of([1, None, "three"]).numbers()
        array([ 1., nan, nan])
    """

    length: int
    kind: Kind
    dtype: str
    nullable: bool
    read: Callable[[], Read] = field(repr=False)
    code: Callable[[], Codes] | None = field(repr=False, default=None)

    @classmethod
    def of(cls, values: Any, name: str = "values") -> "Column":  # noqa: ANN401 - anything that holds a column
        """Return the column that `values` holds, unread."""
        if isinstance(values, cls):
            return values
        if isinstance(values, np.ndarray):
            return _from_numpy(values, name)
        if isinstance(values, list | tuple | range):
            return cls(len(values), "any", type(values).__name__, nullable=True, read=lambda: (_boxed(values), None))
        library = type(values).__module__.partition(".")[0]
        if library == "pandas":
            return _from_pandas(values, name)
        if library in {"polars", "pyarrow"} or hasattr(values, "__arrow_c_stream__"):
            return _from_arrow(values, name)
        if hasattr(values, "__array__"):
            return _from_numpy(np.asarray(values), name)
        raise InvalidParameter(f"{name} must be a column ({_TAKEN}), got {type(values).__name__}")

    def refuse_other_than(self, kinds: tuple[Kind, ...], name: str) -> None:
        """Raise if the type of the column says that it holds something else; no value is looked at."""
        if self.kind not in (*kinds, "any"):
            raise InvalidParameter(
                f"{name} must hold {WORDS[kinds[0]]}, got a column of {self.dtype}: convert it first"
            )

    def numbers(self) -> NDArray[Any]:
        """Return the values as numbers, NaN where they are missing."""
        values, missing = self.read()
        if values.dtype.kind == "O":
            values = _floats(values.tolist())
        elif values.dtype.kind == "f" and values.dtype.itemsize > 8:  # noqa: PLR2004 - bytes of a float64
            values = values.astype(np.float64)
        if missing is None:
            return values
        wide = np.float32 if values.dtype.kind == "b" else np.float64  # 0, 1 and NaN need no more
        return np.where(missing, wide(np.nan), values.astype(wide, copy=False))

    def presence(self, *, as_false: bool = False) -> "Column":
        """Return a column that is true where this one has a value, and missing (or false) where this one is."""

        def read() -> Read:
            values, missing = self.read()
            if values.dtype.kind == "O":
                gone = np.array([_is_absent(value) for value in values.tolist()], dtype=np.bool_)
                missing = gone if missing is None else gone | missing
            absent = _absent(values, missing)
            if as_false and absent is not None:
                return ~absent, None
            return np.ones(len(values), dtype=np.bool_), absent

        return replace(self, kind="truth", read=read, code=None)

    def truth(self) -> "Column":
        """Return a column that is true where this one is not zero, and missing where this one is."""
        return self if self.kind == "truth" else replace(self, read=lambda: (_nonzero(self.numbers()), None), code=None)

    def owners(self) -> Codes:
        """Return a whole number for each row, the same for equal values; -1 where the value is missing."""
        if self.code is not None:
            return self.code()
        values, missing = self.read()
        codes = _coded(values.tolist()) if values.dtype.kind == "O" else _numbered(values)
        absent = _absent(values, missing)
        return codes if absent is None else np.where(absent, -1, codes)

    def times(self) -> tuple[Codes, Mask]:
        """Return whole-numbered times (days, for dates), and where they are known."""
        values, missing = self.read()
        if values.dtype.kind == "O":
            values = np.array([_day(value) for value in values.tolist()], dtype=np.float64)
        absent = _absent(values, missing)
        known = np.ones(len(values), dtype=np.bool_) if absent is None else ~absent
        if values.dtype.kind == "M":
            values = values.astype("datetime64[D]")
        elif absent is not None:
            values = np.where(known, values, 0)
        return values.astype(np.int64), known


def _from_numpy(values: NDArray[Any], name: str) -> Column:
    if values.ndim != 1:
        raise InvalidParameter(f"{name} must have one dimension, got {values.ndim}: pass one column at a time")
    kind = _KINDS.get(values.dtype.kind)
    if kind is None:
        raise InvalidParameter(f"{name} must be a column of numbers, labels or dates, got {values.dtype}: convert it")
    if isinstance(values, np.ma.MaskedArray):
        masked = values

        def read_masked() -> Read:
            return np.asarray(masked.data), np.ma.getmaskarray(masked)

        return Column(len(values), kind, str(values.dtype), nullable=True, read=read_masked)
    return Column(len(values), kind, str(values.dtype), values.dtype.kind not in "biu", lambda: (values, None))


def _from_pandas(values: Any, name: str) -> Column:  # noqa: ANN401 - pandas is not imported here
    if getattr(values, "ndim", 0) != 1 or not hasattr(values, "to_numpy"):
        raise InvalidParameter(f"{name} must be one column, got a {type(values).__name__}: pass frame[column]")
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _from_numpy(values.to_numpy(), name)
    kind = _KINDS.get(str(getattr(dtype, "kind", "O")), "any")
    if kind == "any" and str(dtype).startswith(("str", "large_string")):
        kind = "text"

    def read() -> Read:
        absent = np.asarray(values.isna(), dtype=np.bool_)
        if kind == "time":
            return values.dt.tz_localize(None).to_numpy(dtype="datetime64[ns]"), absent
        if kind in NUMBERS:
            plain = "float64" if kind == "real" else "uint64" if "uint" in str(dtype).lower() else "int64"
            return values.to_numpy(dtype=plain, na_value=0), absent
        return values.to_numpy(dtype=object), absent

    def code() -> Codes:
        return np.asarray(values.factorize()[0], dtype=np.int64)

    return Column(len(values), kind, str(dtype), nullable=True, read=read, code=code)


def _from_arrow(values: Any, name: str) -> Column:  # noqa: ANN401 - a column of arrow, polars or their kin
    import pyarrow as pa  # noqa: PLC0415 - heavy, and not needed by most callers

    column = values if isinstance(values, pa.Array | pa.ChunkedArray) else None
    if column is None:
        if hasattr(values, "columns") or isinstance(values, pa.Table):
            raise InvalidParameter(f"{name} must be one column, got a {type(values).__name__}: pass frame[column]")
        column = values.to_arrow() if hasattr(values, "to_arrow") else pa.chunked_array(values)
    dtype = str(column.type)
    kind = _arrow_kind(dtype)

    def read() -> Read:
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if isinstance(whole, pa.ChunkedArray):  # no chunk at all
            whole = pa.array([], type=column.type)
        if not whole.null_count:
            return whole.to_numpy(zero_copy_only=False), None
        absent = np.asarray(whole.is_null())
        filled = whole.fill_null(0) if kind in NUMBERS and kind != "truth" else whole
        return (filled.fill_null(False) if kind == "truth" else filled).to_numpy(zero_copy_only=False), absent  # noqa: FBT003 - its own signature

    return Column(len(column), kind, dtype, nullable=True, read=read)


def _arrow_kind(dtype: str) -> Kind:
    if dtype.startswith(("int", "uint")):
        return "whole"
    if dtype in {"double", "float", "halffloat"}:
        return "real"
    if dtype == "bool":
        return "truth"
    if dtype.startswith(("date", "timestamp")):
        return "time"
    return "text" if dtype in {"string", "large_string", "string_view"} else "any"


def _nonzero(values: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.isnan(values), np.nan, values != 0) if values.dtype.kind == "f" else values != 0


def _boxed(values: Any) -> NDArray[Any]:  # noqa: ANN401 - a list, tuple or range
    box = np.empty(len(values), dtype=np.object_)
    box[:] = values if isinstance(values, list) else list(values)
    return box


def _floats(values: list[Any]) -> NDArray[np.float64]:
    """Return numbers as floats; all at once where every row is a plain number, else one by one with the same result."""
    if set(map(type, values)) <= {int, float, bool}:
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:
            pass
    return np.array([_number(value) for value in values], dtype=np.float64)


def _number(value: Any) -> float:  # noqa: ANN401 - anything
    """Return a number as a float, infinite where it is too large, and NaN for what is not a number."""
    if not isinstance(value, numbers.Real | np.bool_) and not hasattr(value, "is_finite"):  # a Decimal is not a Real
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except (TypeError, ValueError):
        return np.nan


def _absent(values: NDArray[Any], missing: Mask | None) -> Mask | None:
    """Return where values are missing, by the mask or by themselves."""
    if values.dtype.kind == "f":
        absent: Mask = np.isnan(values)
    elif values.dtype.kind == "M":
        absent = np.isnat(values)
    else:
        return missing
    return absent if missing is None else absent | missing


def _numbered(values: NDArray[Any]) -> Codes:
    """Return codes of values that can be sorted; of whole numbers in a narrow range, those less the least."""
    if values.dtype.kind in "iu" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < OWNERS and most < WIDEST and least > -WIDEST:
            return values.astype(np.int64) - least
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _coded(values: list[Any]) -> Codes:
    """Return codes of values that cannot be sorted; what has no hash, or is not equal to itself, is missing."""
    known: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int64)
    for place, value in enumerate(values):
        try:
            codes[place] = -1 if _is_absent(value) else known.setdefault(value, len(known))
        except (TypeError, ValueError):
            codes[place] = -1
    return codes


def _is_absent(value: Any) -> bool:  # noqa: ANN401 - anything
    """Whether a value is None, NaN or NaT; what cannot be compared with itself is there."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN and NaT are not equal to themselves
    except (TypeError, ValueError):
        return str(value) == "<NA>"


def _day(value: Any) -> float:  # noqa: ANN401 - anything
    """Return a whole number or a date as a number; NaN for anything else."""
    if isinstance(value, dt.date):
        return float(value.toordinal()) if value == value else np.nan  # noqa: PLR0124 - pandas' NaT is a date
    number = _number(value)
    return float(np.floor(number)) if abs(number) < EXACT else np.nan
