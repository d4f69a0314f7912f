"""GradientBoostingClassifier: random trees, each told what the ones before got wrong."""

from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from privet.learn.features import Floats
from privet.learn.gradient_boosting import GradientBoosting
from privet.learn.log_loss import BinaryLogLoss, LogLoss
from privet.learn.objective import Objective
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateClassifier


class GradientBoostingClassifier(PrivateClassifier, GradientBoosting):
    """Adds up random trees, each of which corrects the ones before.

    Args:
        classes: the labels that y may hold; rows with others count for nothing.
        bounds: of the columns, within which questions are drawn.
        categories: for each column a list of numbers that stand for its public categories, or None where it is a
            number.
        n_estimators: how many trees, fixed before anything is read; 400 by default, 50 with pure noise.
        max_depth: questions from the root of a tree to a leaf.
        learning_rate: the share of a tree's step that is taken.
        penalty: how much a leaf must hold to be believed, in deviations of the noise.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price; with a δ or a ρ the noise is Gaussian, which is far better here than pure noise.
    Proof: a twentieth of the budget goes to noisy histograms of the columns (`ColumnCuts`), from which cuts are drawn;
        questions are drawn from these and from public numbers (`RandomTrees`). Each tree releases the sums of what
        rows say in its leaves, given the trees before; a row is in one leaf, and what it says is bounded whatever its
        scores are (`BinaryLogLoss`, `LogLoss`). So each release keeps its share given all answers before, the plan is
        paid for as a whole before a row is read (`Ledger.reserve`), and its length is public. Leaves take Newton's
        steps, computed from what was released.
    Not covered: time.

    Example:
        >>> rows, labels = [[age, 0.5] for age in range(100)], ["young"] * 50 + ["old"] * 50
        >>> public = {"bounds": (0, 100), "classes": ["young", "old"]}
        >>> model = GradientBoostingClassifier(epsilon=1000, delta=1e-6, n_estimators=50, **public)
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
        max_depth: int = 3,
        learning_rate: float = 0.2,
        penalty: float = 4.0,
        **_: Unpack[Priced],
    ) -> None:
        self.classes = classes
        self.bounds = bounds
        self.categories = categories
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.penalty = penalty

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Pay once, then release one tree after the other."""
        fitting = self._begin(X, y, groups=groups)
        self._boost(fitting, public={"classes": f"{len(self.classes_)} labels"})
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Log-odds of the second class, or a score for each of several, for every row."""
        found = self._scores(X)
        return found[:, 0] if len(self.classes_) == 2 else found  # noqa: PLR2004 - two classes

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """How likely each class is, for every row."""
        found = self._scores(X)
        both = np.column_stack([np.zeros(len(found)), found]) if found.shape[1] == 1 else found
        chances: Floats = softmax(both, axis=1)
        return chances

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The likeliest class, for every row."""
        best = self.predict_proba(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[best]
        return found

    def _objective(self, classes: int) -> Objective:
        return BinaryLogLoss() if classes == 2 else LogLoss(classes)  # noqa: PLR2004 - two classes
