"""Rows: X, y and groups of a fit, checked by what is public about them and read only after the charge."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from privet.asking.column import NUMBERS, ArrayColumn
from privet.asking.contributions import kept_rows
from privet.asking.elements import floats_of
from privet.asking.labeled import labeled
from privet.asking.table import Table
from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.unread_rows import UnreadRows

FLAT = 'Reshape your data either using array.reshape(-1, 1) if it has one feature, or "(1, -1)" if it is one row'
COLUMN = "A column-vector y was passed when a 1d array was expected: pass y.ravel()"


@dataclass(frozen=True)
class Rows:
    """What a fit was given, unread.

    Args:
        length: how many rows; private unless units are replaced.
        width: how many columns X has.
        table: X.
        target: y as numbers, or as places in the list of classes (-1 for other labels); None if there is none.
        owners: whose rows they are, if groups were given.
        most: how many rows of one unit are kept.

    Privacy: shapes and types are public; rows are read inside a deferred secret only. No row decides how another is
        read and nothing that is in a row raises: what is not a number is NaN.
    """

    length: int = field(repr=False)
    width: int
    table: Callable[[], Floats] = field(repr=False)
    target: ArrayColumn | None = field(repr=False)
    owners: ArrayColumn | None = field(repr=False)
    most: int

    @classmethod
    def of(  # noqa: PLR0913 - what a fit is given, each by name
        cls,
        features: Any,  # noqa: ANN401 - rows of any kind
        target: Any = None,  # noqa: ANN401 - a column of any kind
        *,
        width: int,
        classes: tuple[Any, ...] | None = None,
        groups: Any = None,  # noqa: ANN401 - a column of any kind
        most: int = 1,
    ) -> "Rows":
        """Return the rows, or refuse them by their shape and type; nothing is read.

        Args:
            features: X, as `two_dimensional` returns it.
            target: y, or None.
            width: how many columns X has.
            classes: the labels that y may hold; None where y holds numbers.
            groups: whose row each is, or None where each unit has at most `most` rows.
            most: how many rows of a unit are kept.
        """
        table = _table(features, width)
        column = None if target is None else _target(target, classes)
        owners = None if groups is None else ArrayColumn.of(groups, "groups")
        for name, each in (("y", column), ("groups", owners)):
            if each is not None and each.length != table.length:
                raise InvalidParameter(f"X and {name} must have one entry for each row: their lengths differ")
        return cls(table.length, width, lambda: _floats(table.read()), column, owners, most)

    def read_features(self) -> Floats:
        """Return the rows of X that count, as floats, NaN where missing."""
        rows = self.table()
        return rows if self.owners is None else rows[kept_rows(self.owners.owners(), most=self.most)]

    def read_pairs(self) -> tuple[Floats, NDArray[Any]]:
        """Return the rows that count: X as floats, NaN where missing, and y as floats or places among the classes.

        A row counts if its target is there: a label of the list, or a number. Rows beyond the limit of their owner do
        not count; which these are depends on the owner's rows alone.
        """
        if self.target is None:
            raise TypeError("there is no target")
        rows, target = self.table(), self.target.numbers()
        counted = self._counted(target)
        rows, target = (rows, target) if counted.all() else (rows[counted], target[counted])
        return rows, target.astype(np.int64) if self._counts_classes else target

    def read_pair_owners(self) -> NDArray[np.int64] | None:
        """Return whose the rows of `read_pairs` are, in their order; None where no groups were given."""
        if self.target is None or self.owners is None:
            return None
        return self.owners.owners()[self._counted(self.target.numbers())]

    def _counted(self, target: NDArray[Any]) -> NDArray[np.bool_]:
        """Which rows `read_pairs` returns."""
        counted: NDArray[np.bool_] = target >= 0 if self._counts_classes else ~np.isnan(target)
        if self.owners is None:
            return counted
        return kept_rows(np.where(counted, self.owners.owners(), -1), most=self.most)

    @property
    def _counts_classes(self) -> bool:
        return self.target is not None and self.target.kind == "whole"


def two_dimensional(features: Any) -> Any:  # noqa: ANN401 - rows of any kind
    """Return X as an array, a list of rows or a frame, or refuse it by its shape and type; no value is read."""
    if isinstance(features, UnreadRows):
        return features
    if sparse.issparse(features):
        raise InvalidParameter("Sparse data was passed, but dense rows are required: convert X with .toarray()")
    if not isinstance(features, np.ndarray | list | tuple) and not hasattr(features, "columns"):
        if not hasattr(features, "__array__"):
            raise InvalidParameter(f"X must be rows of numbers in an array or a frame, got {type(features).__name__}")
        features = np.asarray(features)
    if isinstance(features, np.ndarray):
        _refuse_array(features)
    elif isinstance(features, list | tuple):
        if not all(hasattr(row, "__len__") for row in features[:1]):
            raise InvalidParameter(f"Expected 2D array, got a list of numbers instead: {FLAT}")
    elif len(set(names := [str(name) for name in features.columns])) < len(names):
        raise InvalidParameter("columns of X must have different names: rename those that occur twice")
    return features


def _refuse_array(features: NDArray[Any]) -> None:
    if features.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise InvalidParameter(f"Expected 2D array, got {features.ndim}D array instead: {FLAT}")
    if features.dtype.kind == "c":
        raise InvalidParameter("Complex data not supported: pass real and imaginary parts as two columns")
    if features.dtype.kind not in "biufO":
        raise InvalidParameter(f"X must hold numbers, got an array of {features.dtype}: convert it first")


def _table(features: Any, width: int) -> Table:  # noqa: ANN401 - rows of any kind
    if width < 1:
        raise InvalidParameter(
            f"Found array with 0 feature(s) (shape=({len(features)}, 0)) while a minimum of 1 is required."
        )
    if isinstance(features, UnreadRows):
        return Table(features.length, features.read)
    return Table.of(features, width=width)


def _floats(rows: NDArray[Any]) -> Floats:
    if rows.dtype.kind == "O":
        return floats_of(rows.ravel().tolist()).reshape(rows.shape)
    # row by row in memory, whatever others are: sums along a row are rounded in another order in columns
    found: Floats = np.ascontiguousarray(rows, dtype=np.float64).view()
    found.flags.writeable = False  # perhaps the caller's own, which are never changed
    return found


def _target(target: Any, classes: tuple[Any, ...] | None) -> ArrayColumn:  # noqa: ANN401 - a column of any kind
    if getattr(target, "ndim", 1) == 2 and target.shape[1] == 1:  # noqa: PLR2004 - a column vector
        warnings.warn(COLUMN, DataConversionWarning, stacklevel=5)
        target = np.asarray(target).ravel()
    if getattr(target, "ndim", 1) != 1:
        raise InvalidParameter("y should be a 1d array, one target for each row")
    if classes is not None:
        return labeled(target, classes, "y")
    column = ArrayColumn.of(target, "y")
    column.refuse_other_than(NUMBERS, "y")
    return ArrayColumn(column.length, "real", "float64", nullable=True, read=lambda: _reals(column))


def _reals(column: ArrayColumn) -> tuple[Floats, NDArray[np.bool_]]:
    values, missing = column.typed()
    return values.astype(np.float64), np.asarray(missing)
