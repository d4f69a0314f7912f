"""SampleAndAggregateClassifier: any scikit-learn classifier, fitted to blocks of rows and averaged."""

from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from privet.asking.payment import Payment
from privet.learn.aggregated_model import BLOCKS, AggregatedModel
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateClassifier

USUAL = {"coef_": (-2, 2), "intercept_": (-2, 2)}


class SampleAndAggregateClassifier(PrivateClassifier):
    """Any scikit-learn classifier: one is fitted to each of many blocks of rows, and their attributes are averaged.

    Args:
        estimator: `LogisticRegression()` by default. It gets features scaled to [-1, 1] by their bounds.
        attributes: which attributes of the fitted estimator leave, with (lowest, highest) number of each; those of a
            linear model within ±2 by default. It must predict from these.
        blocks: how many: the noise falls with them, and so do the rows of each.
        bounds: (lower, upper) of the features, numbers or one for each column.
        classes: the labels that y may hold.
        epsilon, delta, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`; not rho.

    Attributes:
        estimator_: a fitted estimator with the averages, for rows scaled to [-1, 1].

    Privacy: as promised by the price, whatever the estimator computes. See `AggregatedModel` for what it must not do.
    Proof: that of `SampleAndAggregate`: one unit is in one block, and moves one block's answer within its bounds.
    Not covered: time. A fit of a block is not stopped: give the estimator a max_iter.

    Example:
        >>> rows = np.sin(np.arange(20_000.0))[:, None]
        >>> labels = np.where(rows[:, 0] > 0, "up", "down")
        >>> model = SampleAndAggregateClassifier(bounds=(-1, 1), classes=["down", "up"], epsilon=1)
        >>> model.fit(rows, labels).predict([[-0.9], [0.9]]).tolist()
        ['down', 'up']
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
        classes: Any = None,  # noqa: ANN401 - any labels
        **_: Unpack[Priced],
    ) -> None:
        self.estimator = estimator
        self.attributes = attributes
        self.blocks = blocks
        self.bounds = bounds
        self.classes = classes

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Fit a copy to each block, and keep the noisy averages of the attributes."""
        fitting = self._begin(X, y, groups=groups)
        self._unit = self._box()
        plan = self._plan(fitting.payment, self.n_features_in_)
        self.estimator_, loss = plan.find(fitting, self._unit, None)
        public = {"bounds": "one pair a column", "classes": f"{len(self.classes_)} labels", "blocks": str(self.blocks)}
        public["attributes"] = ", ".join(plan.attributes)
        self._keep_receipt(fitting, loss, mechanism="SampleAndAggregate", public=public)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """What the estimator with the averages says."""
        rows = self._matrix(X)
        if not len(rows):
            return self.classes_[:0]
        return np.asarray(self.estimator_.predict(self._unit.unit(rows)))

    def _plan(self, payment: Payment, columns: int) -> AggregatedModel:
        estimator = LogisticRegression() if self.estimator is None else self.estimator
        attributes = USUAL if self.attributes is None else self.attributes
        return AggregatedModel.of(
            estimator, attributes, blocks=self.blocks, price=payment.price, columns=columns, labels=self.classes_
        )

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        self._labels()
        return self._plan(payment, columns).foreseen(rows)
