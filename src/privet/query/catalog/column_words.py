"""The declared facts of one column, from the words of a catalog file."""

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from privet.errors import InvalidParameter, PrivetError
from privet.loss.exact import Exact, exact
from privet.query.catalog.expected_words import expected_values
from privet.query.catalog.word_reader import Words, as_written
from privet.query.scalars.dates import day_of, iso_date, iso_timestamp, second_of
from privet.query.scalars.facts import Facts, Type, Value
from privet.wording.nearest import nearest

WORDS = ("type", "bounds", "values", "nullable", "other", "longest", "expected", "sign")
LARGEST = 10**300  # of a bound
PAIR = {
    Type.INTEGER: "[0, 110]",
    Type.REAL: "[0, 5000]",
    Type.DATE: "[2020-01-01, 2024-12-31]",
    Type.TIMESTAMP: "[2020-01-01T00:00:00, 2024-12-31T23:59:59]",
}


def facts_from(table: Mapping[str, Any], place: str, *, found: Type | None = None) -> Facts:
    """The facts that the words of a column declare.

    Args:
        table: its words.
        place: where it stands.
        found: its type if it need not be declared: that of a frame's column.

    Example:
        >>> facts_from({"type": "integer", "bounds": [0, 110]}, "tables.patient.columns.age").high
        Fraction(110, 1)
    """
    words = Words(table, place, WORDS)
    kind = _type(words, found)
    low, high = _bounds(words, kind) if "bounds" in words else (None, None)
    values = _values(words, kind) if "values" in words else None
    other = words.text("other", example='"other"')
    return Facts(
        kind,
        nullable=words.flag("nullable"),
        low=low,
        high=high,
        values=values,
        other=other,
        longest=words.count("longest"),
        expected=expected_values(words),
        sign=words.text("sign", example='"positive"'),
    )


def _type(words: Words, found: Type | None) -> Type:
    known = [each.value for each in Type]
    text = words.text("type", example='"integer"')
    if text is None:
        if found is None:
            raise InvalidParameter(f"{words.place}: needs a type: one of {', '.join(known)}")
        return found
    if text not in known:
        raise words.wrong("type", f"there is no type {text!r}{nearest(text, known)}")
    return Type(text)


def _bounds(words: Words, kind: Type) -> tuple[Fraction, Fraction]:
    pair = words.table["bounds"]
    example = PAIR.get(kind)
    if example is None:
        raise words.wrong("bounds", f"{kind.value} has no bounds: list its values, or leave bounds out")
    if not isinstance(pair, list | tuple) or len(pair) != 2:  # noqa: PLR2004 - the lower and the upper
        raise words.wrong(
            "bounds", f"must be the lowest and the highest value, such as {example}, got {as_written(pair)}"
        )
    try:
        low, high = (_place(each, kind) for each in pair)
    except (PrivetError, ValueError, TypeError):
        raise words.wrong("bounds", f"of {kind.value} are finite, such as {example}, got {as_written(pair)}") from None
    if low > high:
        raise words.wrong("bounds", f"are swapped: write [{as_written(pair[1])}, {as_written(pair[0])}]")
    return low, high


def _place(bound: object, kind: Type) -> Fraction:
    """A bound as a number: of a date its days, of a timestamp its seconds, since 1970-01-01."""
    if kind in {Type.DATE, Type.TIMESTAMP}:
        return moment(bound, kind)
    if not isinstance(bound, int | float | str | Decimal | Fraction):
        raise TypeError
    number = exact(_finite(bound), "bounds")
    if abs(number) > LARGEST or (kind is Type.INTEGER and number.denominator != 1):
        raise ValueError
    return number


def _finite(bound: Exact) -> Exact:
    if isinstance(bound, Decimal | float) and not math.isfinite(bound):
        raise ValueError
    return bound


def moment(value: object, kind: Type) -> Fraction:
    """Days (of a date) or seconds (of a timestamp) since 1970-01-01; also of its ISO text."""
    text = value if isinstance(value, str) else _iso(value)
    found = day_of(text) if kind is Type.DATE else second_of(text)
    if found is None:
        raise ValueError
    return Fraction(found)


def _iso(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError


def _values(words: Words, kind: Type) -> tuple[Value, ...]:
    found = words.table["values"]
    if not isinstance(found, list | tuple):
        raise words.wrong("values", f'must be a list such as ["F", "M"], got {as_written(found)}')
    return tuple(_value(words, each, kind) for each in found)


def _value(words: Words, value: Any, kind: Type) -> Value:  # noqa: ANN401 - whatever the file holds
    if kind in {Type.DATE, Type.TIMESTAMP}:
        try:
            at = moment(value, kind)
            return iso_date(int(at)) if kind is Type.DATE else iso_timestamp(at)
        except (TypeError, ValueError):
            raise words.wrong("values", f"must be of type {kind.value}, got {as_written(value)}") from None
    if kind is Type.REAL and isinstance(value, Decimal | float):
        if not math.isfinite(value):
            raise words.wrong("values", f"must be finite, got {as_written(value)}")
        return float(value) + 0.0  # one zero
    if isinstance(value, bool | int | str) and _fits(value, kind):
        return value
    raise words.wrong("values", f"must be of type {kind.value}, got {as_written(value)}")


def _fits(value: bool | int | str, kind: Type) -> bool:  # noqa: FBT001 - a value of a file
    if isinstance(value, bool):
        return kind is Type.BOOLEAN
    return kind is Type.TEXT if isinstance(value, str) else kind.numeric
