"""CategoricalNB: naive Bayes for features that are public categories, as numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.labeled import distinct_labels
from privet.errors import InvalidParameter
from privet.learn.bayes_classifier import Learned
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.priced import Priced, priced
from privet.learn.table_nb import TableNB
from privet.loss.exact import shown

EXAMPLE = (
    "for example categories=[3, 2] for a column of 0, 1, 2 and one of 0, 1; texts become numbers by "
    "OrdinalEncoder(categories=…)"
)


class CategoricalNB(TableNB):
    """Naive Bayes from noisy counts of the categories of each feature.

    Args:
        classes: the labels that y may hold.
        categories: for each column how many categories it has, which are 0, 1, …, or a list of numbers; one number for
            all columns, or a mapping by names.
        alpha: how many rows are added to each cell, beside what noise hides.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `classes_`, `class_count_`, `class_log_prior_`, `feature_log_prob_`, `privacy_`.

    Privacy: as promised by the price, see `TableNB`. Values that are not listed count in one cell of their own.

    Example:
        >>> rows, labels = [[0, 1], [0, 0], [2, 1], [2, 0]] * 100, ["a", "a", "b", "b"] * 100
        >>> model = CategoricalNB(classes=["a", "b"], categories=[3, 2], epsilon=5).fit(rows, labels)
        >>> model.predict([[0, 1], [2, 1]]).tolist()
        ['a', 'b']
    """

    @priced
    def __init__(
        self,
        *,
        classes: Any = None,  # noqa: ANN401 - any labels
        categories: Any = None,  # noqa: ANN401 - numbers, lists of them, by name
        alpha: float = 1.0,
        **_: Unpack[Priced],
    ) -> None:
        self.classes = classes
        self.categories = categories
        self.alpha = alpha

    def _released(self, fitting: Fitting) -> Learned:
        names = getattr(self, "feature_names_in_", None)
        self._known = declared_categories(self.categories, self.n_features_in_, None if names is None else tuple(names))
        return super()._released(fitting)

    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(each) + 1 for each in self._known)

    def _codes(self, rows: Floats) -> NDArray[np.int64]:
        columns = [places_among(column, known) for column, known in zip(rows.T, self._known, strict=True)]
        return np.stack(columns, axis=1)

    @property
    def _declared(self) -> Mapping[str, str]:
        return {"categories": f"{sum(map(len, self._known))} in {len(self._known)} columns"}


def declared_categories(categories: Any, width: int, names: Sequence[str] | None) -> tuple[Floats, ...]:  # noqa: ANN401 - refused in words
    """Return the numbers that each column may hold, ascending.

    Example:
        >>> [each.tolist() for each in declared_categories([2, [7, 5]], 2, None)]
        [[0.0, 1.0], [5.0, 7.0]]
    """
    if categories is None:
        raise InvalidParameter(f"the categories of each column must be declared, from public knowledge: {EXAMPLE}")
    if isinstance(categories, Mapping):
        if names is None or set(names) != set(categories):
            raise InvalidParameter("categories by name need X to be a frame with just these columns")
        categories = [categories[name] for name in names]
    if isinstance(categories, int | np.integer):
        categories = [categories] * width
    if isinstance(categories, str) or not hasattr(categories, "__len__") or len(categories) != width:
        raise InvalidParameter(
            f"categories must be one number, or one entry for each of the {width} columns: {EXAMPLE}"
        )
    return tuple(_numbers(each) for each in categories)


def _numbers(listed: Any) -> Floats:  # noqa: ANN401 - a number, or a list of them
    if isinstance(listed, int | np.integer) and not isinstance(listed, bool):
        if listed < 1:
            raise InvalidParameter(f"a column must have at least one category, got {shown(listed)}: {EXAMPLE}")
        return np.arange(int(listed), dtype=np.float64)
    known = distinct_labels(listed)
    if not all(isinstance(each, int | float) for each in known):
        raise InvalidParameter(f"categories must be numbers: {EXAMPLE}")
    return np.sort(np.array(known, dtype=np.float64))


def places_among(column: Floats, known: Floats) -> NDArray[np.int64]:
    """The place of each value among those listed, or the number of these."""
    places = np.minimum(np.searchsorted(known, column), len(known) - 1)
    found: NDArray[np.int64] = np.where(known[places] == column, places, len(known)).astype(np.int64)
    return found
