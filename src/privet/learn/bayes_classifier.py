"""BayesClassifier: what classifiers share that weigh classes by joint probabilities."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.priced import Priced
from privet.learn.private_estimator import PrivateClassifier
from privet.loss import PrivacyLoss


@dataclass(frozen=True)
class Learned:
    """What one batch of rows gave.

    Args:
        counts: released ones, which can be added to those of another batch: `ClassMoments` or `ClassTables`.
        loss: what they cost.
        mechanism: how they were made, in words.
        public: what was taken to be public.
    """

    counts: Any
    loss: PrivacyLoss
    mechanism: str
    public: Mapping[str, str]


class BayesClassifier(PrivateClassifier):
    """Predicts the class of the largest joint probability, from released sums that batches of rows can add to."""

    classes_: NDArray[Any]
    _learned: Any

    @abstractmethod
    def _released(self, fitting: Fitting) -> Learned:
        """Pay, and release what this model learns from."""

    @abstractmethod
    def _read(self, counts: Any) -> None:  # noqa: ANN401 - of this model
        """Keep what follows from all that was released."""

    @abstractmethod
    def _joint(self, rows: Floats) -> Floats:
        """The logarithm of the probability of each row together with each class, up to a constant of the row."""

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Learn from rows; what was learned before is forgotten."""
        return self._learn(self._begin(X, y, groups=groups), further=False)

    def partial_fit(  # the order is scikit-learn's
        self,
        X: Any,  # noqa: ANN401, N803 - scikit-learn's names
        y: Any = None,  # noqa: ANN401 - any labels
        classes: Any = None,  # noqa: ANN401 - any labels
        *,
        groups: Any = None,  # noqa: ANN401 - whose rows they are
    ) -> Self:
        """Learn from more rows, for one more price. Noise adds up: few large batches are better than many small ones.

        Args:
            X: rows.
            y: their labels.
            classes: those of the constructor, if at all.
            groups: whose rows they are.

        Privacy: the ledger is charged for every batch, and `privacy_.loss` is that of all together, which holds for
            units with rows in every batch. A unit with rows in one batch alone loses what one costs.
        """
        further = hasattr(self, "_learned")
        fitting = self._begin(X, y, groups=groups, first=not further)
        if classes is not None and sorted(map(str, classes)) != sorted(map(str, self.classes_.tolist())):
            raise InvalidParameter("classes of partial_fit must be those of the constructor: leave them out")
        if further and self._declared_at_first != self._all_declared():
            raise InvalidParameter("partial_fit needs what was declared for the first batch: call fit to begin anew")
        return self._learn(fitting, further=further)

    def _all_declared(self) -> dict[str, str]:
        """The parameters that are not about privacy, in words."""
        said = self.get_params(deep=False)
        return {name: repr(value) for name, value in said.items() if name not in Priced.__annotations__}

    def _learn(self, fitting: Fitting, *, further: bool) -> Self:
        self._declared_at_first = self._all_declared()
        found = self._released(fitting)
        self._learned = self._learned + found.counts if further else found.counts
        loss = self.privacy_.loss + found.loss if further else found.loss
        self._read(self._learned)
        self._keep_receipt(fitting, loss, mechanism=found.mechanism, public=found.public)
        return self

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
