"""RandomForestClassifier: counts of classes in the leaves of trees that ask random questions."""

import math
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.forest_growth import ForestGrowth
from privet.learn.leaf_statistics import ClassCounts, LeafStatistic, StumpCounts
from privet.learn.noise_parts import NoiseParts
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateClassifier
from privet.learn.random_forest import RandomForest


class RandomForestClassifier(PrivateClassifier, RandomForest):
    """Counts classes in the leaves of random trees, and sums up what each leaf says for each class.

    Args:
        classes: the labels that y may hold; rows with others count for nothing.
        bounds: of the columns, within which questions are drawn.
        categories: for each column a list of numbers that stand for its public categories, or None where it is a
            number.
        n_estimators, max_depth: how many trees, of which depth; by default from the budget and the number of rows.
        expected_rows: roughly how many rows there are, if that is public. Else, unless units are replaced or the shape
            was said, a fiftieth of the budget counts them.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price: pure with an ε alone, Gaussian noise with a δ or a ρ.
    Proof: questions are drawn from public numbers (`RandomTrees`). A row adds 1 to one count of each tree, so a unit
        moves the counts of T trees by T rows in L1 and √T rows in L2 (2T and √(2T) if replaced), and noise on all of
        them at once keeps the budget (`ClassCounts`; trees of one question with pure noise: `StumpCounts`). The
        noisy count of the rows comes first, in a plan that was paid for together; the price of the second release
        does not depend on it. Everything else is computed from what was released.
    Not covered: time.

    Example:
        >>> rows, labels = [[age, 0.5] for age in range(100)], ["young"] * 50 + ["old"] * 50
        >>> model = RandomForestClassifier(epsilon=1000, bounds=(0, 100), classes=["young", "old"])
        >>> model.fit(rows, labels).predict([[1, 0.5], [99, 0.5]]).tolist()
        ['young', 'old']
    """

    @priced
    def __init__(  # noqa: PLR0913 - what is declared, each by name
        self,
        *,
        classes: Any = None,  # noqa: ANN401 - any labels
        bounds: Any = None,  # noqa: ANN401 - refused in words
        categories: Any = None,  # noqa: ANN401 - refused in words
        n_estimators: int | None = None,
        max_depth: int | None = None,
        expected_rows: int | None = None,
        **_: Unpack[Priced],
    ) -> None:
        self.classes = classes
        self.bounds = bounds
        self.categories = categories
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.expected_rows = expected_rows

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Count the classes in every leaf, once, and keep what the noisy counts say for each class."""
        fitting = self._begin(X, y, groups=groups)
        leaves = self._grow(fitting, classes=len(self.classes_))
        self.leaf_scores_, self.class_scores_ = scores(leaves.values, leaves.deviation)
        public = {"classes": f"{len(self.classes_)} labels", **self._public()}
        self._keep_receipt(fitting, leaves.loss, mechanism=leaves.mechanism, public=public)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """How likely each class is, for every row."""
        chances: Floats = softmax(self._scores(X), axis=1)
        return chances

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The class with the largest score, for every row."""
        best = self._scores(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[best]
        return found

    def _scores(self, X: Any) -> Floats:  # noqa: ANN401, N803 - rows of any kind
        """Trees say much the same again, so their sum is tempered; the sizes of classes are said once.

        Single questions say different things: beside them sizes count no more than before they were tempered.
        """
        rows = self._matrix(X)
        found = self.trees_.total(rows, self.leaf_scores_)
        heat = math.sqrt(self.trees_.count)
        return found / heat + self.class_scores_ / (1.0 if self.trees_.depth > 1 else heat)

    def _statistic(self, growth: ForestGrowth, fitting: Fitting, parts: NoiseParts) -> LeafStatistic:
        counts = ClassCounts(growth.trees, fitting.moved_rows, fitting.replaces, len(self.classes_))
        return StumpCounts.of(counts, parts) if growth.stumps else counts


def scores(counts: Floats, deviation: float) -> tuple[Floats, Floats]:
    """Return what a leaf, and what its size, says for each class: logarithms of shares.

    The share of a class's rows in a leaf is pulled towards that of all rows, the more the fewer rows of the class there
    are beside the noise, and kept away from 0 by as much as noise makes of nothing.

    Args:
        counts: [tree, leaf, class], noisy.
        deviation: of the noise.
    """
    leaves = counts.shape[1]
    sizes = np.maximum(counts.sum(axis=1).mean(axis=0), max(deviation, 1.0))
    pooled = np.maximum(counts.sum(axis=2, keepdims=True), 0.0) + deviation
    pooled /= np.maximum(pooled.sum(axis=1, keepdims=True), 1e-300)
    own = counts / sizes - pooled
    shares = np.maximum(pooled + own * (sizes / (sizes + deviation)), 0.0) + (1.0 + deviation) / (sizes * leaves)
    shares /= shares.sum(axis=1, keepdims=True)
    return np.log(shares), np.log((sizes + deviation) / (sizes + deviation).sum())
