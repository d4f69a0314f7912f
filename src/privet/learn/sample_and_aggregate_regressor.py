"""SampleAndAggregateRegressor: any scikit-learn regressor, fitted to blocks of rows and averaged."""

from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np
from sklearn.linear_model import Ridge

from privet.asking.payment import Payment
from privet.learn.aggregated_model import BLOCKS, AggregatedModel
from privet.learn.features import Box, Floats
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateRegressor

USUAL = {"coef_": (-1, 1), "intercept_": (-1, 1)}


class SampleAndAggregateRegressor(PrivateRegressor):
    """Any scikit-learn regressor: one is fitted to each of many blocks of rows, and their attributes are averaged.

    Args:
        estimator: `Ridge()` by default. It gets features and targets scaled to [-1, 1] by their bounds.
        attributes: which attributes of the fitted estimator leave, with (lowest, highest) number of each; those of a
            linear model within ±1 by default. It must predict from these.
        blocks: how many: the noise falls with them, and so do the rows of each.
        bounds: (lower, upper) of the features, numbers or one for each column.
        target_bounds: those of y.
        epsilon, delta, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`; not rho.

    Attributes:
        estimator_: a fitted estimator with the averages, for rows and targets scaled to [-1, 1].

    Privacy: as promised by the price, whatever the estimator computes. See `AggregatedModel` for what it must not do.
    Proof: that of `SampleAndAggregate`: one unit is in one block, and moves one block's answer within its bounds.
    Not covered: time. A fit of a block is not stopped: give the estimator a max_iter.

    Example:
        >>> rows = np.sin(np.arange(20_000.0))[:, None]
        >>> model = SampleAndAggregateRegressor(bounds=(-1, 1), target_bounds=(0, 10), epsilon=1)
        >>> bool(abs(model.fit(rows, 5 + 3 * rows[:, 0]).predict([[1.0]])[0] - 8) < 5)
        True
    """

    predicts_alone = False  # somebody else's code predicts

    @priced
    def __init__(
        self,
        estimator: Any = None,  # noqa: ANN401 - any estimator
        *,
        attributes: Mapping[str, Any] | None = None,
        blocks: int = BLOCKS,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        target_bounds: Any = None,  # noqa: ANN401 - refused in words
        **_: Unpack[Priced],
    ) -> None:
        self.estimator = estimator
        self.attributes = attributes
        self.blocks = blocks
        self.bounds = bounds
        self.target_bounds = target_bounds

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Fit a copy to each block, and keep the noisy averages of the attributes."""
        fitting = self._begin(X, y, groups=groups)
        self._unit, self._target = self._box(), Box((self._target_bounds(),))
        plan = self._plan(fitting.payment, self.n_features_in_)
        self.estimator_, loss = plan.find(fitting, self._unit, self._target)
        public = {"bounds": "one pair a column", "target_bounds": "one pair", "blocks": str(self.blocks)}
        public["attributes"] = ", ".join(plan.attributes)
        self._keep_receipt(fitting, loss, mechanism="SampleAndAggregate", public=public)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """What the estimator with the averages says, in the unit of the targets."""
        rows = self._matrix(X)
        if not len(rows):
            return np.empty(0)
        found = np.asarray(self.estimator_.predict(self._unit.unit(rows)), dtype=np.float64)
        told: Floats = self._target.middle + found * self._target.half
        return told

    def _plan(self, payment: Payment, columns: int) -> AggregatedModel:
        estimator = Ridge() if self.estimator is None else self.estimator
        attributes = USUAL if self.attributes is None else self.attributes
        return AggregatedModel.of(
            estimator, attributes, blocks=self.blocks, price=payment.price, columns=columns, labels=None
        )

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        return self._plan(payment, columns).foreseen(rows)
