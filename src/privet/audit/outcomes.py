"""Outcomes: what many runs gave, whatever it is: numbers in columns, and for all else a kind."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from privet.core import Release
from privet.wording.printable import printable

Array = NDArray[np.float64]
Kinds = NDArray[np.int64]
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of an object in memory, which says nothing of its value
LONG = 60  # letters of a text that are shown
FLAGS = 16  # yes-or-no answers that are part of the kind, in one outcome; more of them are numbers
MOST = 4096  # numbers of one outcome that are looked at


@dataclass(frozen=True)
class Outcomes:
    """What came of some runs.

    Args:
        kinds: for each run the number of its kind: type, shape, texts, failures, and which numbers are none.
        columns: the numbers of each run, one row a run; NaN where there is none.
    """

    kinds: Kinds
    columns: Array

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, runs: slice) -> "Outcomes":
        return Outcomes(self.kinds[runs], self.columns[runs])


def joined(parts: Sequence[Outcomes]) -> Outcomes:
    """All the runs of several."""
    width = max(part.columns.shape[1] for part in parts)
    return Outcomes(
        np.concatenate([part.kinds for part in parts]), np.concatenate([wide(part, width) for part in parts])
    )


def wide(outcomes: Outcomes, width: int) -> Array:
    """The numbers with so many columns, NaN in new ones."""
    missing = width - outcomes.columns.shape[1]
    return np.pad(outcomes.columns, ((0, 0), (0, missing)), constant_values=np.nan) if missing > 0 else outcomes.columns


class Reader:
    """Turns whatever runs give into `Outcomes`; one reader for all runs of an audit, so that kinds have one number.

    Example:
        >>> reader = Reader()
        >>> seen = reader.read([1.5, None, ValueError("no"), (2, "a")])
        >>> [reader.names[kind] for kind in seen.kinds]
        ['a number', 'None', 'ValueError(no)', "a tuple of a whole number, 'a'"]
        >>> seen.columns.ravel().tolist()
        [1.5, nan, nan, 2.0]
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.failures: set[int] = set()
        self._known: dict[str, int] = {}

    def read(self, runs: Any) -> Outcomes:  # noqa: ANN401 - whatever a function gives
        """The outcomes of many runs: an array with one row a run, or a list with one entry a run."""
        if isinstance(runs, np.ndarray) and runs.dtype.kind in "biuf" and runs.ndim:
            return self._table(runs)
        plain = _plain_numbers(runs)
        return self._one_by_one(runs) if plain is None else self._plain(plain, runs[0])

    def kind(self, name: str) -> int:
        """The number of a kind."""
        if name not in self._known:
            self._known[name] = len(self.names)
            self.names.append(name)
        return self._known[name]

    def _plain(self, numbers: NDArray[Any], first: Any) -> Outcomes:  # noqa: ANN401 - any number
        """What `_one_by_one` gives, at once: the kind of a run never depends on the others that are read with it."""
        kind = self.kind("a whole number" if isinstance(first, int | np.integer) else "a number")
        return Outcomes(np.full(len(numbers), kind, dtype=np.int64), numbers[:, None])

    def _table(self, table: NDArray[Any]) -> Outcomes:
        columns = table.reshape(len(table), -1)[:, :MOST].astype(np.float64)
        shape = table.shape[1:]
        name = "a number" if not shape else f"{shape[0]} numbers" if len(shape) == 1 else f"numbers of shape {shape}"
        kinds = np.full(len(table), self.kind(name), dtype=np.int64)
        strange = np.flatnonzero(~np.isfinite(columns).all(axis=1))
        if strange.size:
            patterns, which = np.unique(_signs(columns[strange]), axis=0, return_inverse=True)
            numbers = [self.kind(f"{name}: {_pattern(pattern)}") for pattern in patterns]
            kinds[strange] = np.array(numbers)[which.ravel()]
        return Outcomes(kinds, columns)

    def _one_by_one(self, runs: Sequence[Any]) -> Outcomes:
        read = [_taken_apart(each) for each in runs]
        kinds = np.array([self.kind(name) for name, _ in read], dtype=np.int64)
        self.failures.update(int(kind) for kind, each in zip(kinds, runs, strict=True) if isinstance(each, Exception))
        width = max((len(numbers) for _, numbers in read), default=0)
        columns = np.full((len(read), max(width, 1)), np.nan)
        for row, (_, numbers) in zip(columns, read, strict=True):
            row[: len(numbers)] = numbers
        return Outcomes(kinds, columns)


def _plain_numbers(runs: Any) -> NDArray[Any] | None:  # noqa: ANN401 - whatever a function gives
    """The runs as one array, where all are finite numbers of one type."""
    if not isinstance(runs, list) or not runs or type(runs[0]) not in (int, float, np.float64, np.int64):
        return None
    if {type(each) for each in runs} != {type(runs[0])}:
        return None
    try:
        numbers = np.array(runs, dtype=np.float64)
    except OverflowError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _signs(columns: Array) -> NDArray[np.int8]:
    """0 for numbers, 1 for NaN, 2 and 3 for the infinite ones."""
    infinite = np.where(np.isposinf(columns), 2, 3)
    return np.where(np.isnan(columns), 1, np.where(np.isinf(columns), infinite, 0)).astype(np.int8)


def _pattern(signs: NDArray[np.int8]) -> str:
    words = [("·", "none", "∞", "-∞")[sign] for sign in signs[:LONG].tolist()]
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def _taken_apart(value: Any) -> tuple[str, list[float]]:  # noqa: ANN401 - whatever a function gives
    """The kind of one outcome, and its numbers."""
    numbers: list[float] = []
    flags = [0]
    name = _named(value, numbers, flags)
    return name, numbers[:MOST]


def _named(value: Any, numbers: list[float], flags: list[int]) -> str:  # noqa: ANN401 - a line for each kind
    """The name of a value's kind; its numbers are added to the list."""
    if isinstance(value, Release):
        return f"a release of {_named(value.value, numbers, flags)}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return _flag(numbers, flags, value=value)
    if isinstance(value, int | float | Fraction):
        return _number(value, numbers)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}({_text(str(value))})"
    if value is None or isinstance(value, str | bytes):
        return _text(repr(value))
    return _made_of(value, numbers, flags)


def _text(text: str) -> str:
    """A text on one line; of a long one its beginning, its length and a checksum."""
    clean = ADDRESS.sub(" at …", printable(text))
    return clean if len(clean) <= LONG else f"{clean[:LONG]}… ({len(clean)} letters, {crc32(clean.encode()):x})"


def _made_of(value: Any, numbers: list[float], flags: list[int]) -> str:  # noqa: ANN401 - whatever a function gives
    """The name of what has parts; of anything else its type."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key!r}: {_named(each, numbers, flags)}" for key, each in value.items())
        return f"{{{inside}}}"
    if isinstance(value, np.ndarray):
        return f"an array of {_several(value.ravel().tolist(), numbers, flags)} in shape {value.shape}"
    if isinstance(value, tuple | list | set | frozenset):
        return f"a {type(value).__name__} of {_several(value, numbers, flags)}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = (f"{each.name}={_named(getattr(value, each.name), numbers, flags)}" for each in fields(value))
        return f"{type(value).__name__}({', '.join(parts)})"
    return f"a {type(value).__name__}"


def _flag(numbers: list[float], flags: list[int], *, value: bool) -> str:
    """The first few flags of an outcome are part of its kind; more of them are numbers."""
    flags[0] += 1
    if flags[0] <= FLAGS:
        return str(value)
    numbers.append(float(value))
    return "a flag"


def _number(value: float | Fraction, numbers: list[float]) -> str:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    numbers.append(number)
    if math.isfinite(number):
        return "a whole number" if isinstance(value, int) else "a number"
    return "nan" if math.isnan(number) else str(number)


def _several(values: Iterable[Any], numbers: list[float], flags: list[int]) -> str:
    """What a collection is made of: "3 numbers", or each part where they differ."""
    parts = [_named(each, numbers, flags) for each in values]
    if len(parts) > 1 and len(set(parts)) == 1:
        return f"{len(parts)} times {parts[0]}"
    return ", ".join(parts) if parts else "nothing"
