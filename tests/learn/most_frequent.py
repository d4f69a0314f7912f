"""MostFrequent: the smallest model there is, for tests of what all models share and as a pattern for new ones."""

from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.best_noise import best_noise
from privet.core import Sensitivity
from privet.learn import PrivateClassifier
from privet.learn.priced import Priced, priced
from privet.learn.rows import Rows


class MostFrequent(PrivateClassifier):
    """Predicts the class with the largest noisy count.

    Args:
        classes: the labels that y may hold.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price.
    Proof: a row is counted in one class, so a unit moves the counts by rows_per_unit in L1 (twice that if replaced).
    """

    @priced
    def __init__(self, *, classes: Any = None, **_: Unpack[Priced]) -> None:  # noqa: ANN401 - any labels
        self.classes = classes

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Count the classes and keep the noisy counts."""
        fitting = self._begin(X, y, groups=groups)
        cells = len(self.classes_)
        moved = fitting.moved_rows * (2 if fitting.replaces else 1)
        sensitivity = Sensitivity(fitting.moved_rows, cells=min(moved, cells), l1=moved)
        mechanism = best_noise(fitting.budget, sensitivity, whole=True)

        def counts(rows: Rows) -> NDArray[np.int64]:
            _, codes = rows.read_pairs()
            return np.bincount(codes, minlength=cells).astype(np.int64)

        release = fitting.release(counts, sensitivity, mechanism)
        self.class_count_ = np.asarray(release.value, dtype=np.float64)
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public={"classes": f"{cells} labels"})
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The class with the largest noisy count, for every row."""
        rows = len(self._matrix(X))  # refuses a model that was not fitted
        return np.repeat(self.classes_[self.class_count_.argmax()], rows)
