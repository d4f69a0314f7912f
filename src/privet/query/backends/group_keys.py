"""Keys: what an engine calls a group, as the catalog and literals write it.

Every conversion is total: NULL, NaN, both zeros and whatever else an engine may hand over have a value here. One that
raised an error would do so after the charge, because of one unit's row.
"""

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from privet.query.backends.backend import Keys
from privet.query.plan.statement import Key
from privet.query.scalars.dates import second_of
from privet.query.scalars.expressions import facts_of
from privet.query.scalars.facts import Type, Value

LONG = 1 << 63  # from which on whole numbers do not fit 64 bits


def keys_of(keys: tuple[Key, ...], row: tuple[Any, ...]) -> Keys:
    """The keys at the start of a row."""
    return tuple(_key(key, value) for key, value in zip(keys, row, strict=False))


def _key(key: Key, value: Any) -> Value:  # noqa: ANN401 - whatever the engine has
    """A key as the catalog and literals write it; one of a public domain exactly as it is written there."""
    found = plain_value(value)
    if key.domain is None or found is None or facts_of(key.expression).type not in {Type.DATE, Type.TIMESTAMP}:
        return found
    moment = second_of(str(found))
    same = (each for each in key.domain if isinstance(each, str) and second_of(each) == moment)
    return found if moment is None else next(same, found)


def plain_value(value: Any) -> Value:  # noqa: ANN401 - whatever the engine has
    """A value of the engine as a literal holds it: dates and timestamps as ISO texts, NaN as NULL, one zero.

    Example:
        >>> plain_value(dt.date(2024, 12, 31)), plain_value(-0.0), plain_value(Decimal("NaN")), plain_value(b"a")
        ('2024-12-31', 0.0, None, "b'a'")
    """
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    if isinstance(value, Decimal):
        return None if value.is_nan() else int(value) if abs(value) < LONG and value == int(value) else float(value)
    if isinstance(value, dt.datetime):
        return _moment(value)
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _moment(value: dt.datetime) -> str | None:
    """As a clock in UTC shows it, where the engine names a zone; NULL beyond the years 1 to 9999."""
    try:
        naive = value if value.tzinfo is None else value.astimezone(dt.UTC).replace(tzinfo=None)
    except OverflowError:
        return None
    return naive.isoformat(sep=" ")


def in_order(groups: Iterable[Keys]) -> list[Keys]:
    """Groups in an order made from themselves alone, whatever is NULL in them; NULL comes last, as in domains."""
    return sorted(groups, key=lambda keys: [(key is None, str(type(key)), 0 if key is None else key) for key in keys])
