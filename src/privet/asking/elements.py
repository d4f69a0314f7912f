"""Single values of rows, read one by one: every function here is total, and sees no other row."""

import datetime as dt
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53  # whole numbers up to here are floats


def floats_of(values: list[Any]) -> NDArray[np.float64]:
    """Return numbers as floats; all at once where every row is a plain number, else one by one with the same result."""
    if set(map(type, values)) <= {int, float, bool}:
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:
            pass
    return np.array([number_of(value) for value in values], dtype=np.float64)


def number_of(value: Any) -> float:  # noqa: ANN401 - anything
    """Return a number as a float, infinite where it is too large, and NaN for what is not a number.

    Example:
        >>> [number_of(value) for value in (True, 10**400, "7", None)]
        [1.0, inf, nan, nan]
    """
    if not is_number(value):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except Exception:  # noqa: BLE001 - a signalling NaN, for one; an error would tell that it is there
        return np.nan


def is_number(value: Any) -> bool:  # noqa: ANN401 - anything
    """Whether the type of a value is a number's."""
    return isinstance(value, numbers.Real | np.bool_) or hasattr(value, "is_finite")  # a Decimal is not a Real


def is_absent(value: Any) -> bool:  # noqa: ANN401 - anything
    """Whether a value is None, NaN of any kind, NaT or NA; what cannot be compared with itself is there."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - NaN and NaT are not equal to themselves
    except Exception:  # noqa: BLE001 - a signalling NaN and NA do not compare, and neither do arrays
        return type(value).__name__ == "NAType" or (is_number(value) and number_of(value) != number_of(value))


def absent_of(values: Iterable[Any]) -> NDArray[np.bool_]:
    """Return where values are missing."""
    return np.array([is_absent(value) for value in values], dtype=np.bool_)


def is_false(value: Any) -> bool:  # noqa: ANN401 - anything
    """Whether a value is the truth value False; a 0 is not."""
    return isinstance(value, bool | np.bool_) and not value


def day_of(value: Any) -> float:  # noqa: ANN401 - anything
    """Return a whole number or a date as a number; NaN for anything else."""
    if isinstance(value, dt.date):
        return float(value.toordinal()) if value == value else np.nan  # noqa: PLR0124 - pandas' NaT is a date
    number = number_of(value)
    return float(np.floor(number)) if abs(number) < EXACT else np.nan


def codes_of(values: Iterable[Any], length: int, *, largest: float | None = None) -> NDArray[np.int64]:
    """Return a whole number for each value, the same for equal ones; -1 for what is missing or cannot be looked up.

    Args:
        values: anything.
        length: how many.
        largest: numbers beyond it are taken as missing; None if there is no such end.
    """
    known: dict[Any, int] = {}
    codes = np.full(length, -1, dtype=np.int64)
    for place, value in enumerate(values):
        if is_absent(value) or (largest is not None and is_number(value) and not abs(number_of(value)) <= largest):
            continue
        try:
            codes[place] = known.setdefault(value, len(known))
        except Exception:  # noqa: BLE001, S112 - what has no hash is nobody, and must not stop the others
            continue
    return codes


def only_texts(values: Iterable[Any]) -> bool:
    """Whether some of the values are texts and none is a number. One number among many texts is enough to say no."""
    some = False
    for value in values:
        if isinstance(value, str | bytes):
            some = True
        elif is_number(value):
            return False
    return some
