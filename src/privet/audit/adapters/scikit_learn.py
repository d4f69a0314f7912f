"""Estimators as scikit-learn has them: `fit` sets attributes that end in "_"."""

from collections.abc import Callable, Sequence
from typing import Any

from privet.audit.adapters.adapted import Adapted


def fitted(make: Callable[[], Any], *, seen: Sequence[str] | None = None) -> Adapted:
    """What an estimator learns: an input is the rows, or a pair (rows, labels), and a new estimator is fitted to it.

    Args:
        make: makes an estimator that was not fitted yet.
        seen: names of the attributes that are published; by default all that end in "_".

    Example:
        >>> class Counting:
        ...     def fit(self, rows):
        ...         self.n_rows_ = len(rows)
        >>> fitted(Counting)([1, 2, 3])
        {'n_rows_': 3}
    """

    def run(data: Any) -> dict[str, Any]:  # noqa: ANN401 - rows, or rows and labels
        estimator = make()
        estimator.fit(*(data if isinstance(data, tuple) else (data,)))
        names = [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]
        return {name: getattr(estimator, name) for name in (sorted(names) if seen is None else seen)}

    return Adapted(f"fit of {getattr(make, '__name__', type(make).__name__)}", run)
