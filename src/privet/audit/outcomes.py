"""Outcomes: what many runs gave, whatever it is: numbers in columns, and for all else a kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.taken_apart import EXACT, LONG_NUMBER, MOST, TakenApart

Array = NDArray[np.float64]
Kinds = NDArray[np.int64]
LONG = 60  # numbers whose signs are shown


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

    Attributes:
        names: of the kinds.
        failures: which kinds are errors.
        unread: types of what was met and cannot be looked into.
        blank: which kinds are nothing else.

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
        self.unread: dict[str, None] = {}
        self.blank: set[int] = set()
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
        rest = _rest(table, columns)
        if rest is not None:
            kinds[rest.any(axis=1)] = self.kind(f"{name}, {LONG_NUMBER}")
            columns = np.concatenate([columns, rest], axis=1)
        strange = np.flatnonzero(~np.isfinite(columns).all(axis=1))
        if strange.size:
            patterns, which = np.unique(_signs(columns[strange]), axis=0, return_inverse=True)
            numbers = [self.kind(f"{name}: {_pattern(pattern)}") for pattern in patterns]
            kinds[strange] = np.array(numbers)[which.ravel()]
        return Outcomes(kinds, columns)

    def _one_by_one(self, runs: Sequence[Any]) -> Outcomes:
        read = [TakenApart.of(each) for each in runs]
        kinds = np.array([self.kind(each.name) for each in read], dtype=np.int64)
        for kind, each, taken in zip(kinds.tolist(), runs, read, strict=True):
            if isinstance(each, Exception):
                self.failures.add(kind)
            if taken.unread:
                self.unread |= taken.unread
            if taken.blank:
                self.blank.add(kind)
        width = max((min(len(each.numbers), MOST) for each in read), default=0)
        columns = np.full((len(read), max(width, 1)), np.nan)
        for row, taken in zip(columns, read, strict=True):
            row[: min(len(taken.numbers), MOST)] = taken.numbers[:MOST]
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
    exact = isinstance(runs[0], float) or np.abs(numbers).max() <= EXACT
    return numbers if exact and np.isfinite(numbers).all() else None


def _rest(table: NDArray[Any], columns: Array) -> Array | None:
    """What floats leave of whole numbers; None where they leave nothing."""
    large = np.abs(columns) > EXACT
    if table.dtype.kind not in "iu" or not large.any():
        return None
    rest = np.zeros(columns.shape)
    whole = table.reshape(len(table), -1)[:, :MOST]
    rest[large] = [int(number) - int(float(number)) for number in whole[large].tolist()]
    return rest if rest.any() else None


def _signs(columns: Array) -> NDArray[np.int8]:
    """0 for numbers, 1 for NaN, 2 and 3 for the infinite ones."""
    infinite = np.where(np.isposinf(columns), 2, 3)
    return np.where(np.isnan(columns), 1, np.where(np.isinf(columns), infinite, 0)).astype(np.int8)


def _pattern(signs: NDArray[np.int8]) -> str:
    words = [("·", "none", "∞", "-∞")[sign] for sign in signs[:LONG].tolist()]
    return words[0] if len(words) == 1 else f"({', '.join(words)})"
