"""Keys: what an engine calls a group, as the catalog and literals write it."""

import datetime as dt
from typing import Any

from privet.query.backends.backend import Keys
from privet.query.expressions import facts_of
from privet.query.facts import Type, Value
from privet.query.plan import Key


def keys_of(keys: tuple[Key, ...], row: tuple[Any, ...]) -> Keys:
    """The keys at the start of a row."""
    return tuple(_key(key, value) for key, value in zip(keys, row, strict=False))


def _key(key: Key, value: Any) -> Value:  # noqa: ANN401 - whatever the engine has
    """A key as the catalog and literals write it; one of a public domain exactly as it is written there."""
    plain = plain_value(value)
    if key.domain is None or facts_of(key.expression).type not in {Type.DATE, Type.TIMESTAMP}:
        return plain
    same = (each for each in key.domain if isinstance(each, str) and _same_moment(each, value))
    return next(same, plain)


def plain_value(value: Any) -> Value:  # noqa: ANN401 - whatever the engine has
    """A value of the engine as a literal holds it: dates and timestamps as ISO texts."""
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    return value  # type: ignore[no-any-return] # numbers, texts and booleans are themselves


def _same_moment(text: str, value: Any) -> bool:  # noqa: ANN401 - a date or a timestamp
    try:
        read = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return read == (value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time()))
