"""MLPClassifier: classes by a network of dense layers, trained by noisy steps."""

from os import PathLike
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import Floats
from privet.learn.network_model import NetworkModel
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateClassifier
from privet.learn.whole_numbers import chances_of


class NetworkClassifier(NetworkModel, PrivateClassifier):
    """A network that tells classes apart."""

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release where the rows lie, then train; both are paid for at once."""
        self._train(self._begin(X, y, groups=groups))
        return self

    def _classes(self) -> int:
        return len(self._labels())

    def decision_function(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Scores: one a row for two classes, else one a class."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The class with the largest score, for every row."""
        scores = self._scores(X)
        places = (scores[:, 0] > 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)
        found: NDArray[Any] = self.classes_[places]
        return found

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The probability of every class, for every row."""
        chances = chances_of(self._scores(X))
        return np.column_stack([1.0 - chances, chances]) if chances.shape[1] == 1 else chances

    def predict_log_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class MLPClassifier(NetworkClassifier):
    """A network of dense layers that tells classes apart, trained with exact noise on exact sums.

    Args:
        bounds: (lower, upper) of the features; or
        norm: the length to which rows are clipped.
        classes: the labels that y may hold.
        hidden_layer_sizes: the units of each hidden layer.
        activation: "relu" or "tanh".
        clipping: how gradients of rows are shortened: "automatic" divides each by its length, a number is the length to
            which longer ones are shortened, "quantile" follows their median.
        rate: the part of the rows that a step sees, each by a coin of its own. None for a rule: all where few are
            expected, 4096 on average where many are, an eighth where nobody says.
        steps: how many; None for a rule.
        learning_rate: of the mean gradient; None for one that fits the noise.
        expected_rows: about how many rows there will be, if that is public knowledge.
        checkpoint: a file in which the training is kept, now and then; needs a ledger that outlives the process. A
            `fit` of the same model with the same file goes on where a killed one was, and pays nothing for it; the
            steps that were running then are lost. After a finished training it gives its model back.
        verbose: True for lines about the training; a bar is shown on terminals anyway.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`. With a ρ all
            rows take part in every step.

    Attributes:
        coefs_, intercepts_: of each layer, for rows as the network sees them; averages of the last part of the way.
        n_iter_: the steps that were run.

    Privacy: as promised by the price.
    Proof: docs/proofs/training.md: a unit adds at most 1 to each sum, which is exact; `NoisySteps`. The first
        release, a twentieth of the budget, is that of `Centering`.

    Example:
        >>> from sklearn.datasets import load_digits
        >>> X, y = load_digits(return_X_y=True)
        >>> model = MLPClassifier(bounds=(0, 16), classes=range(10), epsilon=2, delta=1e-5, expected_rows=1800)
        >>> bool(model.fit(X, y).score(X, y) > 0.8)
        True
    """

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the model, each by name
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        classes: Any = None,  # noqa: ANN401 - any labels
        hidden_layer_sizes: tuple[int, ...] = (64,),
        activation: str = "relu",
        clipping: Any = "automatic",  # noqa: ANN401 - refused in words
        rate: Any = None,  # noqa: ANN401 - refused in words
        steps: int | None = None,
        learning_rate: Any = None,  # noqa: ANN401 - refused in words
        expected_rows: int | None = None,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool = False,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.norm = norm
        self.classes = classes
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.clipping = clipping
        self.rate = rate
        self.steps = steps
        self.learning_rate = learning_rate
        self.expected_rows = expected_rows
        self.checkpoint = checkpoint
        self.verbose = verbose

    def _hidden(self) -> tuple[int, ...]:
        return tuple(self.hidden_layer_sizes)

    def _activation(self) -> str:
        return self.activation
