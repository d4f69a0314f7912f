"""FirstColumn: the smallest regressor there is, for tests of what all regressors share."""

from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.best_noise import best_noise
from privet.core import Sensitivity
from privet.learn import PrivateRegressor
from privet.learn.priced import Priced, priced


class FirstColumn(PrivateRegressor):
    """Predicts the first column, clipped; it counts the rows, so that there is something to pay."""

    @priced
    def __init__(self, *, target_bounds: Any = None, **_: Unpack[Priced]) -> None:  # noqa: ANN401 - any bounds
        self.target_bounds = target_bounds

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        fitting = self._begin(X, y, groups=groups)
        bounds = self._target_bounds()
        self.ends_ = float(bounds.low), float(bounds.high)
        sensitivity = Sensitivity(fitting.moved_rows)
        mechanism = best_noise(fitting.budget, sensitivity, whole=True)
        release = fitting.release(lambda rows: len(rows.read_pairs()[1]), sensitivity, mechanism)
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public={"target_bounds": "a pair"})
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:  # noqa: ANN401, N803 - scikit-learn's names
        rows = self._matrix(X)
        return np.clip(rows[:, 0], *self.ends_)
