"""TakenApart: one outcome of whatever a function gives, as the name of its kind and its numbers."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import ModuleType
from typing import Any, Self
from zlib import crc32

import numpy as np

from privet.audit.looks import columns_of, dir_of, vars_of
from privet.core import Release
from privet.wording.printable import printable

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of an object in memory, which says nothing of its value
LONG = 60  # letters of a text that are shown
FLAGS = 16  # yes-or-no answers that are part of the kind, in one outcome; more of them are numbers
MOST = 4096  # numbers of one outcome that are looked at
EXACT = 2**53  # larger whole numbers may lie between floats: what is left of them is a number of its own
LONG_NUMBER = "a number longer than a float"
TEXTS = (str, bytes, date, time, timedelta, Enum, type(None))


@dataclass
class TakenApart:
    """What there is to see of one outcome.

    Args:
        name: of its kind: types, shapes, texts, failures.
        numbers: in their order.
        unread: types of parts that cannot be looked into.

    Example:
        >>> seen = TakenApart.of({"a": 1.5, "b": (2, 3j)})
        >>> seen.name, seen.numbers
        ("{'a': a number, 'b': a tuple of a whole number, a complex of 2 times a number}", [1.5, 2.0, 0.0, 3.0])
        >>> TakenApart.of(number for number in [1]).unread
        {'generator': None}
    """

    name: str = ""
    numbers: list[float] = field(default_factory=list)
    unread: dict[str, None] = field(default_factory=dict)
    _flags: int = 0
    _within: tuple[int, ...] = ()

    @classmethod
    def of(cls, value: Any) -> Self:  # noqa: ANN401 - whatever a function gives
        """Look at one outcome."""
        found = cls()
        found.name = found._named(value)
        return found

    @property
    def blank(self) -> bool:
        """Whether it is one thing that cannot be looked into."""
        return bool(self.unread) and self.name in {f"a {kind}" for kind in self.unread}

    def _named(self, value: Any) -> str:  # noqa: ANN401, PLR0911 - a line for each kind
        if isinstance(value, Release):
            return f"a release of {self._named(value.value)}"
        if isinstance(value, np.generic):
            value = float(value) if isinstance(value, np.floating) else value.item()
        if isinstance(value, bool):
            return self._flag(value=value)
        if isinstance(value, int | float | Fraction | Decimal):
            return self._number(value)
        if isinstance(value, complex):
            return f"a complex of {self._several((value.real, value.imag))}"
        if isinstance(value, BaseException):
            return f"{type(value).__name__}({_text(str(value))})"
        if isinstance(value, TEXTS):
            return _text(repr(value))
        if id(value) in self._within:
            return "itself"
        before, self._within = self._within, (*self._within, id(value))
        try:
            return self._made_of(value)
        finally:
            self._within = before

    def _made_of(self, value: Any) -> str:  # noqa: ANN401 - whatever a function gives
        """The name of what has parts."""
        kind = type(value).__name__
        if isinstance(value, Mapping):
            inside = ", ".join(f"{key!r}: {self._named(each)}" for key, each in value.items())
            return f"{{{inside}}}"
        if isinstance(value, np.ndarray):
            return f"an array of {self._several(value.ravel().tolist())} in shape {value.shape}"
        if isinstance(value, tuple | list | set | frozenset):
            return f"a {kind} of {self._several(value)}"
        if is_dataclass(value) and not isinstance(value, type):
            parts = (f"{each.name}={self._named(getattr(value, each.name))}" for each in fields(value))
            return f"{kind}({', '.join(parts)})"
        columns = columns_of(value)
        if columns is not None:
            return f"a {kind} of {self._named(columns)}"
        return self._object(value, kind)

    def _object(self, value: Any, kind: str) -> str:  # noqa: ANN401 - whatever a function gives
        """Series and tensors by their numbers, what has a name by that; of anything else little is seen."""
        if isinstance(value, type | ModuleType) or (callable(value) and hasattr(value, "__qualname__")):
            return f"{kind} {getattr(value, '__qualname__', value.__name__)}"
        if hasattr(value, "__array__"):
            try:
                held = np.asarray(value)
            except Exception:  # noqa: BLE001 - it only looks like an array
                held = None
            if held is not None and held.dtype != object:
                return f"a {kind} of {self._named(held)}"
        if hasattr(value, "__array__") and hasattr(value, "tolist"):
            return f"a {kind} of {self._named(value.tolist())}"
        runs_later = hasattr(value, "__next__") or hasattr(value, "__await__")
        written = _written(value) if "__repr__" in dir_of(type(value)) and not vars_of(value) else None
        if written is None or runs_later:
            self.unread[kind] = None
            return f"a {kind}"
        return f"a {kind} {written}"

    def _flag(self, *, value: bool) -> str:
        """The first few flags of an outcome are part of its kind; more of them are numbers."""
        self._flags += 1
        if self._flags <= FLAGS:
            return str(value)
        self.numbers.append(float(value))
        return "a flag"

    def _number(self, value: float | Fraction | Decimal) -> str:
        """A number, and what a float leaves of it."""
        try:
            number = float(value)
        except (OverflowError, ValueError):  # too large, or a Decimal that may not be looked at
            number = math.nan if isinstance(value, Decimal) else math.inf if value > 0 else -math.inf
        self.numbers.append(number)
        if math.isnan(number):
            return "nan"
        if not isinstance(value, float) and (isinstance(value, int | Fraction) or value.is_finite()):
            rest = _left(Fraction(value), number)
            if rest:
                self.numbers.append(rest)
                return LONG_NUMBER
        if not math.isfinite(number):
            return str(number)
        return "a whole number" if isinstance(value, int) else "a number"

    def _several(self, values: Iterable[Any]) -> str:
        """What a collection is made of: "3 numbers", or each part where they differ."""
        parts = [self._named(each) for each in values]
        if len(parts) > 1 and len(set(parts)) == 1:
            return f"{len(parts)} times {parts[0]}"
        return ", ".join(parts) if parts else "nothing"


def _left(exact: Fraction, number: float) -> float:
    """What a float leaves of an exact number; of one that is larger than all floats, its last bits."""
    if math.isfinite(number):
        return float(exact - Fraction(number))
    return float(exact % EXACT) + 0.5


def _text(text: str) -> str:
    """A text on one line; of a long one its beginning, its length and a checksum."""
    clean = ADDRESS.sub(" at …", printable(text))
    return clean if len(clean) <= LONG else f"{clean[:LONG]}… ({len(clean)} letters, {crc32(clean.encode()):x})"


def _written(value: Any) -> str | None:  # noqa: ANN401 - whatever writes itself
    try:
        return _text(repr(value))
    except Exception:  # noqa: BLE001 - its own
        return None
