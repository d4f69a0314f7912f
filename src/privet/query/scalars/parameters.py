"""Parameters: values that stand for the ? and :names of a statement. They are values from the start, never text."""

import datetime as dt
import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from privet.errors import InvalidParameter

Given: TypeAlias = int | float | str | bool | dt.date | None  # a timestamp is a date, too
LONGEST = 10_000  # letters of a text


@dataclass(frozen=True)
class Parameters:
    """The values of a statement's parameters.

    Args:
        items: names and values; those of a list are called "1", "2", ….
        listed: whether they were a list.
        shared: whether several statements share them, so that each may leave some out.
    """

    items: tuple[tuple[str, Given], ...]
    listed: bool = False
    shared: bool = False

    @classmethod
    def of(cls, given: Mapping[str, object] | Sequence[object]) -> "Parameters":
        """Take values of the types that SQL has.

        Example:
            >>> Parameters.of({"age": 40}).said
            'age = 40'
            >>> Parameters.of(["Bern", 7]).values
            {'1': 'Bern', '2': 7}
        """
        if isinstance(given, Mapping):
            names: Sequence[object] = list(given)
            if not all(isinstance(name, str) and name for name in names):
                raise InvalidParameter("params is a mapping of names to values, such as {'age': 40}")
            return cls(tuple((name, _value(name, value)) for name, value in given.items()))
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            raise InvalidParameter("params is a mapping of names to values, or a list of values for ?")
        return cls(tuple((str(place), _value(str(place), each)) for place, each in enumerate(given, 1)), listed=True)

    @property
    def values(self) -> dict[str, Given]:
        """The values by name."""
        return dict(self.items)

    @property
    def said(self) -> str:
        """The values, as they are recorded."""
        return ", ".join(f"{name} = {value!r}" for name, value in self.items)


def _value(name: str, value: object) -> Given:
    if value is None or isinstance(value, bool | dt.date):
        if isinstance(value, dt.datetime) and value.tzinfo is not None:
            raise InvalidParameter(f"parameter {name}: timestamps have no zone here; pass value.replace(tzinfo=None)")
        return value
    if isinstance(value, str):
        if "\0" in value or len(value) > LONGEST:
            raise InvalidParameter(f"parameter {name}: a text has at most {LONGEST:,} letters and none of number 0")
        return str(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value)
    kind = type(value).__name__
    raise InvalidParameter(f"parameter {name} is a finite number, text, boolean, date, timestamp or None, got {kind}")
