"""LogisticRegression: probabilities of two or more classes, from a loss with noise in it."""

from typing import Any, Unpack

import numpy as np
from scipy import special

from privet.learn.features import Floats
from privet.learn.linear_classifier import LinearClassifier
from privet.learn.priced import Priced, priced
from privet.loss.exact import Exact
from privet.mechanisms.linear_loss import LinearLoss, SoftHinge, SoftmaxLoss


class LogisticRegression(LinearClassifier):
    """Logistic regression of two classes, multinomial of more.

    Args:
        bounds: (lower, upper) of the features; or
        norm: the length to which rows are clipped.
        classes: the labels that y may hold.
        perturbation: where the noise goes. "objective", the default, into the loss, which errs least; "output" onto the
            minimiser; "gradient" into each of 30 steps down, which needs a delta or rho.
        penalty: of the squared parameters, in the sum of losses of rows of length 1: a public number, not a share of
            the number of rows. None for one that costs least.
        fit_intercept: True for a constant. The rows are then centered first, which takes a tenth of the budget.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes:
        coef_, intercept_: in the data's unit; rows farther from the middle than most are shortened before they are
            used, so scores are those of `decision_function`.

    Privacy: as promised by the price.
    Proof: the sums that center the rows are those of `Centering`; parameters are released by `ObjectivePerturbation`,
        whose proof covers the solver's tolerance and rounding, by `OutputPerturbation` or by `NoisyDescent`.

    Example:
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> upper = [30, 50, 200, 3000, 0.2, 0.5, 0.5, 0.5, 0.5, 0.1, 5, 5, 25, 600, 0.05, 0.2, 0.5, 0.1, 0.1, 0.05]
        >>> upper += [50, 50, 300, 5000, 0.5, 2, 2, 0.5, 1, 0.5]
        >>> model = LogisticRegression(bounds=([0] * 30, upper), classes=[0, 1], epsilon=1, delta=1e-5)
        >>> bool(model.fit(X, y).score(X, y) > 0.85)
        True
    """

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the model, each by name
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        classes: Any = None,  # noqa: ANN401 - any labels
        perturbation: str = "objective",
        penalty: Exact | None = None,
        fit_intercept: bool = True,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.norm = norm
        self.classes = classes
        self.perturbation = perturbation
        self.penalty = penalty
        self.fit_intercept = fit_intercept

    def _row_loss(self, classes: int) -> LinearLoss:
        """Logistic loss."""
        return SoftHinge() if classes == 2 else SoftmaxLoss(classes)  # noqa: PLR2004 - yes or no

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The probability of every class, for every row."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            second = special.expit(scores[:, 0])
            return np.column_stack([1.0 - second, second])
        chances: Floats = special.softmax(scores, axis=1)
        return chances

    def predict_log_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
