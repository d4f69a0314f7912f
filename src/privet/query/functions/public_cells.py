"""Public cells: which conditions can be true together, from what is declared and written, never from rows.

Conditions are taken apart into leaves (what AND, OR and NOT join), and the values of each column into atoms that no
leaf tells apart. On every combination of atoms each condition has one truth, by the three values of SQL. A cell is a
set of conditions that are true on some combination, and no others are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.query.functions.evaluate import evaluate
from privet.query.functions.public_values import compares_with_constants, is_listed, public_values
from privet.query.scalars.expressions import Call, Column, Expression, Literal, columns_in
from privet.query.scalars.facts import Value

JOINS = {"and", "or", "not"}
FALSE, UNKNOWN, TRUE = 0, 1, 2  # so that AND is the least and OR the largest
ANY = (TRUE, FALSE, UNKNOWN)
MOST_ATOMS = 1 << 16  # combinations of atoms
MOST_TRIED = 1 << 18  # leaves × values at which they are tried
MOST_CELLS = 1 << 10

Truths = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of conditions that have to do with each other.

    Args:
        conditions: which of those that were given.
        patterns: one row for each of them, one column for each cell: whether it is true there. No two columns are
            equal, and none is without any that is true.
        ordered: whether all are about one column, in whose order the cells are.
    """

    conditions: tuple[int, ...]
    patterns: NDArray[np.bool_]
    ordered: bool


def public_cells(conditions: Sequence[Expression | None]) -> list[Cells | str]:
    """The cells of each set of conditions that have columns in common; or why there are none, of such a set.

    Args:
        conditions: None stands for one that is always true; such ones are with the first set.

    Privacy: this is a guess about which rows there may be, from public facts, and nothing private rests on it: a row
        whose conditions are those of no cell is not counted.

    Example:
        >>> from fractions import Fraction
        >>> from privet.query.functions import call
        >>> from privet.query.scalars.expressions import Reference
        >>> from privet.query.scalars.facts import Facts, Type
        >>> age = Reference(Column("age", Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(110))))
        >>> young, grown = (call(name, age, Literal(18, Type.INTEGER)) for name in ("lt", "ge"))
        >>> (cells,) = public_cells([None, young, grown])
        >>> cells.patterns.astype(int).tolist()
        [[1, 1, 1], [1, 0, 0], [0, 1, 0]]
    """
    return [_cells_of(conditions, together) for together in _components(conditions)]


def _components(conditions: Sequence[Expression | None]) -> list[tuple[int, ...]]:
    """Places of conditions that share columns, by way of others too."""
    sets: list[tuple[set[Column], list[int]]] = []
    free = []
    for place, condition in enumerate(conditions):
        columns = set[Column]() if condition is None else set(columns_in(condition))
        if not columns:
            free.append(place)
            continue
        mine, places = columns, [place]
        for other in [each for each in sets if each[0] & columns]:
            sets.remove(other)
            mine, places = mine | other[0], [*other[1], *places]
        sets.append((mine, places))
    found = sorted(sorted(places) for _, places in sets) or [[]]
    return [tuple(sorted([*free, *places] if not number else places)) for number, places in enumerate(found)]


def _cells_of(conditions: Sequence[Expression | None], places: tuple[int, ...]) -> Cells | str:
    atoms = Atoms()
    wanted = [conditions[place] for place in places]
    for condition in wanted:
        if condition is not None:
            atoms.add(condition)
    if why := atoms.refused():
        return why
    shape = atoms.shape
    size = int(np.prod(shape, dtype=np.int64))
    truths = np.empty((len(wanted), size), dtype=np.bool_)
    for row, condition in enumerate(wanted):
        truth = TRUE if condition is None else atoms.truth(condition)
        truths[row] = np.broadcast_to(np.asarray(truth == TRUE), shape).reshape(-1)
    packed = np.packbits(truths, axis=0).T
    _, first = np.unique(packed, axis=0, return_index=True)
    patterns = truths[:, np.sort(first)]
    patterns = patterns[:, patterns.any(axis=0)]
    if not patterns.size:
        return "their conditions are never true"
    if patterns.shape[1] > MOST_CELLS:
        return f"their conditions divide rows into more than {MOST_CELLS:,} cells"
    return Cells(places, patterns, ordered=len(shape) <= 1)


@dataclass
class Atoms:
    """The columns and conditions that are looked at, each with what it may be.

    A leaf of which not all values can be listed stands for itself: it may be true, false or unknown, whatever others
    are. That only adds cells that never occur.
    """

    leaves: dict[Expression, None] = field(default_factory=dict)
    _axes: list[Column | Expression] = field(default_factory=list)
    _values: dict[Column, list[Value]] = field(default_factory=dict)
    _known: dict[Expression, Truths] = field(default_factory=dict)
    _sizes: list[int] = field(default_factory=list)

    def add(self, condition: Expression) -> None:
        """Look at one more condition, before any is asked for its truth."""
        for leaf in _leaves(condition):
            self.leaves.setdefault(leaf)

    def refused(self) -> str:
        """Find all atoms; or say why there are too many."""
        listed = [leaf for leaf in self.leaves if self._is_tried(leaf)]
        columns = dict.fromkeys(column for leaf in listed for column in sorted(columns_in(leaf), key=lambda c: c.name))
        for column in columns:
            about = [leaf for leaf in listed if column in columns_in(leaf)]
            self._values[column] = public_values(column, about)
            if len(self._values[column]) * len(about) > MOST_TRIED:
                return "their conditions are too many to be tried"
            self._divide(column, [leaf for leaf in about if len(columns_in(leaf)) == 1], about)
        for leaf in self.leaves:
            if leaf not in listed and columns_in(leaf):
                self._add_axis(leaf, len(ANY))
        if float(np.prod([float(size) for size in self._sizes])) > MOST_ATOMS:
            return f"their conditions divide what rows may hold into more than {MOST_ATOMS:,} parts"
        for leaf in listed:
            if len(columns_in(leaf)) > 1:
                self._known[leaf] = self._tried_on_several(leaf)
        return ""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many atoms each column, or condition that stands for itself, has."""
        return tuple(self._sizes)

    def truth(self, condition: Expression) -> Truths:
        """The truth of a condition on every combination of atoms, where it depends on them."""
        if isinstance(condition, Literal):
            return np.asarray(_truth(condition.value), dtype=np.int8)
        if isinstance(condition, Call) and condition.function in JOINS:
            parts = [self.truth(part) for part in condition.arguments]
            if condition.function == "not":
                return np.asarray(TRUE - parts[0], dtype=np.int8)
            joined = parts[0]
            for part in parts[1:]:
                joined = np.minimum(joined, part) if condition.function == "and" else np.maximum(joined, part)
            return joined
        if condition in self._known:
            return self._known[condition]
        if condition in self._axes:
            axis = self._axes.index(condition)
            return self._along(np.array(ANY, dtype=np.int8), axis)
        return np.asarray(_truth(evaluate(condition, {})), dtype=np.int8)

    def _is_tried(self, leaf: Expression) -> bool:
        columns = columns_in(leaf)
        if not columns:
            return False
        alone = len(columns) == 1 and compares_with_constants(leaf)
        return alone or all(is_listed(column.facts) for column in columns)

    def _divide(self, column: Column, alone: Sequence[Expression], about: Sequence[Expression]) -> None:
        """Make values that nothing tells apart one atom; where a leaf is about several columns all are kept."""
        values = self._values[column]
        tried = np.array(
            [[_truth(evaluate(leaf, {column: value})) for value in values] for leaf in alone], dtype=np.int8
        ).reshape(len(alone), len(values))
        if len(alone) == len(about):
            _, first = np.unique(tried.T, axis=0, return_index=True)
            kept = np.sort(first)
            tried = tried[:, kept]
            self._values[column] = [values[place] for place in kept]
        axis = self._add_axis(column, tried.shape[1])
        for leaf, row in zip(alone, tried, strict=True):
            self._known[leaf] = self._along(row, axis)

    def _tried_on_several(self, leaf: Expression) -> Truths:
        axes = [axis for axis, each in enumerate(self._axes) if each in columns_in(leaf)]
        columns: list[Any] = [self._axes[axis] for axis in axes]
        shape = [size if axis in axes else 1 for axis, size in enumerate(self._sizes)]
        found = [_truth(evaluate(leaf, row)) for row in _rows(columns, self._values)]
        return np.array(found, dtype=np.int8).reshape(shape)

    def _add_axis(self, what: Column | Expression, size: int) -> int:
        self._axes.append(what)
        self._sizes.append(size)
        for leaf, known in self._known.items():
            self._known[leaf] = known[..., None]
        return len(self._axes) - 1

    def _along(self, row: Truths, axis: int) -> Truths:
        return row.reshape([-1 if place == axis else 1 for place in range(len(self._axes))])


def _leaves(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Call) and condition.function in JOINS:
        for part in condition.arguments:
            yield from _leaves(part)
    elif not isinstance(condition, Literal):
        yield condition


def _rows(columns: Sequence[Column], values: Mapping[Column, Sequence[Value]]) -> Iterator[dict[Column, Value]]:
    if not columns:
        yield {}
        return
    for value in values[columns[0]]:
        for rest in _rows(columns[1:], values):
            yield {columns[0]: value, **rest}


def _truth(value: Value) -> int:
    return UNKNOWN if value is None else TRUE if value else FALSE
