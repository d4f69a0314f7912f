"""TrainRows: the rows of a table as models take them, unread, in two parts: to learn from and to score with."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.asking.column import ArrayColumn
from privet.asking.stored import Read
from privet.errors import InvalidParameter
from privet.learn.declared_columns import DeclaredColumn, DeclaredColumns
from privet.learn.features import Floats
from privet.learn.unread_rows import UnreadRows
from privet.noise import Entropy
from privet.query.answering.owned_rows import OwnedRows
from privet.query.scalars.facts import Facts, Type

FEWEST = 20  # public rows to foresee a score with
HELD_OUT = 5  # one unit of so many is kept to score with


class Part(NamedTuple):
    """X, y and groups of one part."""

    features: UnreadRows
    target: ArrayColumn
    groups: ArrayColumn | None


class TrainRows:
    """The rows of a SELECT, a target among its columns, and what is public about both.

    Args:
        rows: of `session.rows`.
        target: the name of the column to predict.

    Privacy: everything public here follows from declarations. Rows are read once, within the deferred secret of the
        first release. A coin of its own puts each unit into one of the parts, so its rows stay together; units do not
        change each other's coins.
    """

    def __init__(self, rows: OwnedRows, target: str) -> None:
        self._rows = rows
        wanted = declared_column(target, rows.facts(target))
        known = {name: declared_column(name, rows.facts(name)) for name in rows.columns if name != target}
        self.left_out = tuple(name for name, column in known.items() if column is None)
        self.encoder = DeclaredColumns([column for column in known.values() if column is not None])
        if wanted is None:
            raise InvalidParameter(
                f"{target} must have bounds, if it is a number, or the values it can have: from public knowledge"
            )
        if not self.encoder.columns:
            raise InvalidParameter(
                "there is no column to learn from: declare bounds of numbers, and values of categories, without looking"
            )
        self.target = wanted
        self.rows_per_unit = rows.rows_per_unit

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The labels to tell apart; None where a number is predicted."""
        return self.target.values

    def part(self, *, held_out: bool) -> Part:
        """One of the two parts, unread."""

        def features() -> Floats:
            found: Floats = self._read.features[self._read.held_out == held_out]
            return found

        def target() -> Read:
            kept = self._read.held_out == held_out
            return self._read.target[0][kept], self._read.target[1][kept]

        def owners() -> NDArray[np.int64]:
            found: NDArray[np.int64] = self._read.owners[self._read.held_out == held_out]
            return found

        labels = self.classes
        kind: Any = "real" if labels is None else {str: "text", bool: "truth"}.get(type(labels[0]), "whole")
        column = ArrayColumn(0, kind, kind, nullable=True, read=target)
        groups = None
        if self._rows.owner_columns:
            groups = ArrayColumn(0, "whole", "int64", nullable=True, read=lambda: (owners(), owners() < 0), code=owners)
        return Part(UnreadRows(self.encoder.width, features), column, groups)

    def public_pairs(self, frame: Any) -> tuple[Floats, NDArray[Any]]:  # noqa: ANN401 - a frame of public rows
        """X and y of rows that anybody may see; those without a target are left out."""
        if self.target.name not in frame.column_names:
            raise InvalidParameter(f"public rows need a column {self.target.name!r}, as they are to be predicted")
        wanted, missing = self._target(ArrayColumn.of(frame[self.target.name], "the target"))
        features, found = self.encoder.transform(frame)[~missing], wanted[~missing]
        if len(found) < FEWEST or len(set(found.tolist())) == 1:
            raise InvalidParameter(f"public rows must be at least {FEWEST}, with more than one {self.target.name}")
        return features, found

    @cached_property
    def _read(self) -> "_Found":
        """Everything, once; only a deferred secret may ask."""
        names = [column.name for column in self.encoder.columns]
        table, owners = self._rows.read([*names, self.target.name])
        codes = _codes(owners, table.num_rows)
        coins = Entropy().words(int(codes.max(initial=-1)) + 1) % np.uint64(HELD_OUT) == 0
        held_out = np.where(codes >= 0, np.append(coins, np.False_)[codes], np.False_)
        wanted = ArrayColumn.of(table.column(self.target.name), "the target")
        return _Found(self.encoder.transform(table), self._target(wanted), codes, held_out)

    def _target(self, column: ArrayColumn) -> Read:
        """Numbers, or labels; missing where it is neither."""
        labels = self.target.values
        if labels is None:
            numbers = self.target.numbers(column)[:, 0]
            return numbers, np.isnan(numbers)
        places = self.target.places(column)
        return np.asarray(labels)[np.maximum(places, 0)], places < 0


class _Found(NamedTuple):
    features: Floats
    target: Read
    owners: NDArray[np.int64]
    held_out: NDArray[np.bool_]


def declared_column(name: str, facts: Facts) -> DeclaredColumn | None:
    """What is public about a column, as models take it; None if it is not enough."""
    if facts.values is not None and len(facts.values) > 1:
        labels: list[Any] = [label for label in facts.values if label is not None]
        if facts.other is not None and facts.other not in labels:
            labels.append(facts.other)
        return DeclaredColumn(name, values=tuple(labels), other=facts.other)
    if facts.type is Type.BOOLEAN:
        return DeclaredColumn(name, values=(False, True))
    if facts.type.numeric and facts.low is not None and facts.high is not None and facts.low < facts.high:
        return DeclaredColumn(name, bounds=(float(facts.low), float(facts.high)))
    return None


def _codes(owners: list[Any], length: int) -> NDArray[np.int64]:
    """A whole number for each unit, -1 where a row is nobody's."""
    codes = np.arange(length, dtype=np.int64)
    for place, column in enumerate(owners):
        found = ArrayColumn.of(column, "the unit").owners()
        if not place:
            codes = found
            continue
        pairs = np.stack([codes, found], axis=1)
        _, inverse = np.unique(pairs, axis=0, return_inverse=True)
        codes = np.where((codes < 0) | (found < 0), -1, inverse.ravel())
    return codes
