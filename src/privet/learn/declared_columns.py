"""DeclaredColumns: raw columns as numbers, by what was declared of them and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from privet.asking.column import NUMBERS, ArrayColumn
from privet.asking.elements import floats_of
from privet.asking.labeled import UNLISTED, label_numbers
from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.wording.nearest import nearest

Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class DeclaredColumn:
    """A column and what is public about it.

    Args:
        name: of the column.
        bounds: the lowest and highest value of a number; None for categories.
        values: all categories; None for a number.
        other: the category that stands for all others, if there is one; it is among the values.
    """

    name: str
    bounds: tuple[float, float] | None = None
    values: tuple[Label, ...] | None = None
    other: Label | None = None

    def __post_init__(self) -> None:
        if (self.bounds is None) == (self.values is None):
            raise InvalidParameter(f"column {self.name} needs bounds, or the values it can have: one of them")

    @property
    def width(self) -> int:
        """How many numbers it becomes."""
        return 1 if self.values is None else len(self.values)

    def places(self, column: ArrayColumn) -> NDArray[np.int64]:
        """Which category each row has, -1 for none; nothing in a row raises."""
        values, missing = column.read()
        labels = self.values or ()
        found = label_numbers(values, labels)
        if self.other is not None:
            found = np.where(found == UNLISTED, labels.index(self.other), found)
        return np.where(missing, UNLISTED, found).astype(np.int64)

    def numbers(self, column: ArrayColumn) -> Floats:
        """What each row becomes: the number, or a 1 in the place of its category."""
        if self.values is None:
            values, missing = column.read()
            wide = values.astype(np.float64) if column.kind in NUMBERS else floats_of(values.tolist())
            numbers: Floats = np.where(missing, np.nan, wide)[:, None]
            return numbers
        marks: Floats = (self.places(column)[:, None] == np.arange(self.width)).astype(np.float64)
        return marks


class DeclaredColumns(TransformerMixin, BaseEstimator):
    """Makes rows of numbers of frames with named columns: a first step of a pipeline, which learns nothing.

    Args:
        columns: `DeclaredColumn`s. Numbers stay as they are (a model clips them to their bounds), a category becomes a
            1 among zeros; one that was not declared is the one for all others, or has no 1.

    Privacy: a row becomes what that row and the declarations say. Nothing is learned, so `fit` may see anything.

    Example:
        >>> import pyarrow as pa
        >>> step = DeclaredColumns([DeclaredColumn("age", bounds=(0, 110)), DeclaredColumn("sex", values=("F", "M"))])
        >>> step.transform(pa.table({"sex": ["M", "?"], "age": [30, None]})).tolist()
        [[30.0, 0.0, 1.0], [nan, 0.0, 0.0]]
        >>> step.bounds
        ([0, 0.0, 0.0], [110, 1.0, 1.0])
    """

    def __init__(self, columns: Sequence[DeclaredColumn]) -> None:
        self.columns = columns

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Learn nothing."""
        return self

    def transform(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The rows as numbers, one after the other as the columns were declared.

        Args:
            X: a frame of pandas, polars or Arrow with these columns, and perhaps others.
        """
        known: list[Any] = list(X.column_names if hasattr(X, "column_names") else getattr(X, "columns", ()))
        for column in self.columns:
            if column.name not in known:
                raise InvalidParameter(
                    f"X must be a frame with a column {column.name!r}{nearest(column.name, map(str, known))}"
                )
        return np.hstack([column.numbers(ArrayColumn.of(X[column.name], column.name)) for column in self.columns])

    def before(self, model: BaseEstimator) -> Pipeline:
        """A model that was fitted with such rows, as one that takes frames."""
        return Pipeline([("columns", self), ("model", model)])

    @property
    def bounds(self) -> tuple[list[float], list[float]]:
        """The bounds of the numbers that rows become, as models take them."""
        ends = [column.bounds or (0.0, 1.0) for column in self.columns for _ in range(column.width)]
        return [low for low, _ in ends], [high for _, high in ends]

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return sum(column.width for column in self.columns)

    def __sklearn_is_fitted__(self) -> bool:
        return True
