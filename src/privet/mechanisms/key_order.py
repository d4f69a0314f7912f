"""The order of released keys: made from the keys alone, for that in which they came could tell something."""

import datetime as dt
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


def in_order(pairs: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """Return keys with their released counts in a total order, every zero written as 0.0 and not as -0.0.

    Args:
        pairs: keys of any kinds, and what is released about each.

    Proof: two keys that are placed alike are written alike (NaN and NaN, for instance), and then what is released about
        them decides; so the list that leaves is a function of the set of pairs.

    Example:
        >>> in_order([("b", 1), (frozenset({2, 1}), 1), (float("nan"), 3), ("a", 1), (-0.0, 1)])
        [('a', 1), ('b', 1), (0.0, 1), (nan, 3), (frozenset({1, 2}), 1)]
    """
    placed = [(place_of(key), number, as_written(key)) for key, number in pairs]
    return [(key, number) for _, number, key in sorted(placed, key=lambda each: each[:2])]


def place_of(key: Any) -> tuple[Any, ...]:  # noqa: ANN401 - whatever a key is
    """Return where a key stands among all keys: first its kind, then its value."""
    plain = key.item() if isinstance(key, np.generic) else key
    for rank, (kinds, value_of) in enumerate(_KINDS):
        if isinstance(plain, kinds):
            return (rank, *value_of(plain))
    return (len(_KINDS), type(plain).__name__, repr(plain))


def _number(number: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a number of Python's
    kind = type(number).__name__
    unknown = number.is_nan() if isinstance(number, Decimal) else number != number  # noqa: PLR0124 - NaN, the last
    if unknown:
        return (True, kind)
    return (False, number if abs(number) == float("inf") else Fraction(number), kind)


_KINDS: tuple[tuple[Any, Callable[[Any], Iterable[Any]]], ...] = (
    (str, lambda text: (text,)),
    (tuple, lambda parts: map(place_of, parts)),
    ((int, float, Fraction, Decimal), _number),
    (type(None), lambda _: ()),
    (bytes, lambda text: (text,)),
    ((dt.date, dt.time), lambda moment: (type(moment).__name__, moment.isoformat())),
    (frozenset, lambda members: sorted(map(place_of, members))),
)


def as_written(key: Any) -> Any:  # noqa: ANN401 - whatever a key is
    """Return the key with one zero, and its sets made anew, so that their order is that of their members."""
    if isinstance(key, float | np.floating) and key == 0:
        return type(key)(0.0)
    if type(key) is tuple:
        return tuple(map(as_written, key))
    if type(key) is frozenset:
        return frozenset(as_written(each) for each in sorted(key, key=place_of))
    return key
