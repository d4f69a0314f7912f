"""BayesClassifier: what classifiers share that weigh classes by joint probabilities."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from privet.learn.features import Floats
from privet.learn.private_estimator import PrivateClassifier


class BayesClassifier(PrivateClassifier):
    """Predicts the class of the largest joint probability, from released numbers alone."""

    classes_: NDArray[Any]

    @abstractmethod
    def _joint(self, rows: Floats) -> Floats:
        """The logarithm of the probability of each row together with each class, up to a constant of the row."""

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The likeliest class of every row."""
        places = self._joint(self._matrix(X)).argmax(axis=1)  # refuses a model that was not fitted
        found: NDArray[Any] = self.classes_[places]
        return found

    def predict_joint_log_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The logarithm of the probability of each row together with each class, up to a constant of the row."""
        return self._joint(self._matrix(X))

    def predict_log_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The logarithm of the probability of each class, for every row."""
        joint = self._joint(self._matrix(X))
        found: Floats = joint - special.logsumexp(joint, axis=1, keepdims=True)
        return found

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The probability of each class, for every row."""
        found: Floats = np.exp(self.predict_log_proba(X))
        return found


def class_shares(counts: Floats, deviation: float) -> Floats:
    """Return shares of classes from noisy counts, drawn toward equal ones by as much as the noise explains.

    Args:
        counts: of each class; may be negative.
        deviation: of their noise.

    Privacy: from released counts alone.

    Example:
        >>> class_shares(np.array([300.0, 100.0]), 1.0).round(3).tolist()
        [0.75, 0.25]
        >>> class_shares(np.array([300.0, 100.0]), 1000.0).round(3).tolist()
        [0.5, 0.5]
    """
    number = len(counts)
    total = max(float(counts.sum()), 1.0)
    level = counts.sum() / number
    told = kept_share(float(np.mean((counts - level) ** 2)), deviation**2 * (1 - 1 / number))
    shares = np.maximum(1 / number + told * (counts - level) / total, LEAST_SHARE / number)
    found: Floats = shares / shares.sum()
    return found


LEAST_SHARE = 0.05  # of an equal share: below it noise would rule a class out


def kept_share(spread: float, noise: float, least: float = 0.0) -> float:
    """Return how much of a spread is more than noise (James and Stein 1961, its positive part).

    Args:
        spread: the mean square of differences as released.
        noise: the part of it that noise is expected to make.
        least: what is kept in any case.

    Example:
        >>> kept_share(4.0, 1.0), kept_share(1.0, 4.0), kept_share(0.0, 0.0)
        (0.75, 0.0, 1.0)
    """
    return max(least, 1.0 - noise / spread) if spread > 0 else 1.0
