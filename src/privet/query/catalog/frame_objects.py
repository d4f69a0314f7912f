"""Objects of pandas frames, each read for itself as what is declared, into an Arrow column whose type is that alone.

pandas makes objects of a column as soon as one row is of another kind, so whatever pandas has made of it (numbers,
booleans, moments, texts or objects), a declared type gives one Arrow type, and each value of the others the same value.
"""

import codecs
import datetime as dt
import decimal
import math
from typing import Any

import numpy as np
import pyarrow as pa

from privet.query.functions.spelling import (
    DATE_TEXT,
    INTEGER_TEXT,
    LONGEST_NUMBER,
    REAL_TEXT,
    TIMESTAMP_TEXT,
    matched,
)
from privet.query.scalars.facts import Type

EXACT = 1 << 53  # whole numbers beyond it are rounded when they become real
LONG = 1 << 63
LARGEST = 1 << 1023  # real numbers are not much larger
NUMBERS = (bool, np.bool_, int, np.integer, float, np.floating, decimal.Decimal)
BROKEN = "privet.question_mark"  # how bytes that are no UTF-8 are written
codecs.register_error(BROKEN, lambda problem: ("?", problem.end))  # type: ignore[attr-defined] # every one has an end
TRUE, FALSE = ("true", "t", "1"), ("false", "f", "0")
READ = {  # what a declared column becomes; whole numbers are as rounded as pandas' are once one of them is missing
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.float64(),
    Type.REAL: pa.float64(),
    Type.TEXT: pa.large_string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}


def objects_as(values: list[Any], declared: Type, *, key: bool) -> Any:  # noqa: ANN401 - pyarrow has no types
    """The values as an Arrow array of what is declared; NULL where one does not say it.

    Args:
        values: of a pandas column, of any kinds.
        declared: what they are read as.
        key: whether they say who a row is about. Then numbers stay whole, and what would have to be rounded, or could
            be written in two ways, is NULL: nobody's.
    """
    kind = pa.int64() if key and declared.numeric else READ[declared]
    return pa.array([_value(each, declared, key=key) for each in values], kind)


def _value(value: Any, declared: Type, *, key: bool) -> Any:  # noqa: ANN401 - whatever it is
    try:
        return _key(value, declared) if key else _plain(value, declared)
    except Exception:  # noqa: BLE001 - somebody's own class, or a number of too many digits: its own row only
        return None


def _plain(value: Any, declared: Type) -> object:  # noqa: ANN401 - whatever it is
    if declared.numeric:
        return _real(value)
    text = _text(value)
    if text is None or declared is Type.TEXT:
        return text
    match declared:
        case Type.BOOLEAN:
            word = text.strip(" ").lower()
            return True if word in TRUE else False if word in FALSE else None
        case Type.DATE:
            return None if (day := matched(text, DATE_TEXT)) is None else dt.date.fromisoformat(day)
    return _moment(text)


def _real(value: Any) -> float | None:  # noqa: ANN401 - whatever it is
    """A number, also an infinite one or one that is too large for anything else: it is held to its bounds later."""
    if isinstance(value, str):
        text = matched(value, REAL_TEXT) if len(value) <= LONGEST_NUMBER else None
        number = math.nan if text is None else float(text)
    elif isinstance(value, int) and abs(value) >= LARGEST:
        number = math.copysign(math.inf, value > 0 or -1)
    else:
        number = float(value) if isinstance(value, NUMBERS) else math.nan
    return None if math.isnan(number) else number


def _key(value: Any, declared: Type) -> object:  # noqa: ANN401 - whatever it is; a line for each kind
    if declared.numeric:
        whole = _whole(value)
        return whole if whole is not None and -LONG <= whole < LONG else None
    if declared is Type.TEXT:
        whole = None if isinstance(value, str | bool | np.bool_) else _whole(value)
        return _text(value, exact=True) if whole is None else str(whole)
    if declared is Type.BOOLEAN:
        return bool(value) if isinstance(value, bool | np.bool_) else None
    text = _text(value, exact=True)
    moment = None if text is None else _moment(text)
    if moment is None or declared is Type.TIMESTAMP:
        return moment
    return moment.date() if moment.time() == dt.time() else None


def _whole(value: Any) -> int | None:  # noqa: ANN401 - whatever it is
    """The whole number that an object is, or says plainly, surely not rounded."""
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, decimal.Decimal):
        return int(value) if abs(value) < LARGEST and value == int(value) else None
    if isinstance(value, float | np.floating):
        return int(value) if -EXACT < value < EXACT and value == int(value) else None
    text = matched(value, INTEGER_TEXT) if isinstance(value, str) and len(value) <= LONGEST_NUMBER else None
    return None if text is None else int(text)


def _moment(text: str) -> dt.datetime | None:
    found = matched(text, TIMESTAMP_TEXT)
    return None if found is None else dt.datetime.fromisoformat(found)


def _text(value: Any, *, exact: bool = False) -> str | None:  # noqa: ANN401, PLR0911 - whatever it is; a line for each
    """What one object says; NULL if it is none of these, or, if it must be exact, would be another then."""
    match value:
        case str():
            raw = str.__str__(value)
            return raw.encode().decode() if exact else raw.encode(errors=BROKEN).decode()
        case bool() | np.bool_():
            return str(bool(value)).lower()
        case int() | np.integer() | float() | np.floating():
            number = float(value)  # also a whole one: it is real where another is missing
            if not math.isfinite(number) or (exact and abs(number) >= EXACT):
                return None
            return str(int(number)) if number.is_integer() else repr(number)
        case decimal.Decimal():
            return str(value) if value.is_finite() else None
        case dt.datetime():
            local = value == value and value.tzinfo is None  # noqa: PLR0124 - NaT is not itself
            between = getattr(value, "nanosecond", 0) if exact else 0  # of pandas' moments
            text = value.isoformat(sep=" ", timespec="microseconds") if local else None
            return f"{text}{between:03}" if between and text else text
        case dt.date():
            return value.isoformat()
    return str(value) if type(value).__module__ == "uuid" else None
