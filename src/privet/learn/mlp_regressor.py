"""MLPRegressor: a number by a network of dense layers, trained by noisy steps."""

from os import PathLike
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import Floats
from privet.learn.network_model import NetworkModel
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateRegressor


class MLPRegressor(NetworkModel, PrivateRegressor):
    """A network of dense layers for a number, trained with exact noise on exact sums.

    Args:
        bounds: (lower, upper) of the features; or
        norm: the length to which rows are clipped.
        target_bounds: (lower, upper) of y.
        hidden_layer_sizes, activation, clipping, rate, steps, learning_rate, expected_rows, checkpoint, verbose:
            see `MLPClassifier`.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`. With a ρ all
            rows take part in every step.

    Attributes:
        coefs_, intercepts_: of each layer, for rows as the network sees them; averages of the last part of the way.
        n_iter_: the steps that were run.

    Privacy: as promised by the price.
    Proof: as for `MLPClassifier`; the loss is half the squared error in half widths of target_bounds, whose slope is
        limited to 2.

    Example:
        >>> source = np.random.default_rng(0)
        >>> X = source.uniform(size=(2000, 3))
        >>> y = 10 * X[:, 0] * X[:, 1]
        >>> model = MLPRegressor(bounds=(0, 1), target_bounds=(0, 10), epsilon=3, delta=1e-5, expected_rows=2000)
        >>> bool(model.fit(X, y).score(X, y) > 0.6)
        True
    """

    @priced
    def __init__(  # noqa: PLR0913 - parameters of the model, each by name
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        norm: Any = None,  # noqa: ANN401 - refused in words
        target_bounds: Any = None,  # noqa: ANN401 - refused in words
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
        self.target_bounds = target_bounds
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.clipping = clipping
        self.rate = rate
        self.steps = steps
        self.learning_rate = learning_rate
        self.expected_rows = expected_rows
        self.checkpoint = checkpoint
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release where the rows lie, then train; both are paid for at once."""
        self._target_bounds()
        self._train(self._begin(X, y, groups=groups))
        return self

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The number expected for every row, within its bounds."""
        scores = np.clip(self._scores(X)[:, 0], -1.0, 1.0)
        bounds = self._target_bounds()
        found: Floats = float(bounds.middle) + float(bounds.width / 2) * scores
        return found

    def _hidden(self) -> tuple[int, ...]:
        return tuple(self.hidden_layer_sizes)

    def _activation(self) -> str:
        return self.activation

    def _classes(self) -> int:
        return 0

    def _target(self, target: NDArray[Any]) -> Floats:
        """In half widths from the middle, within the bounds."""
        bounds = self._target_bounds()
        with np.errstate(all="ignore"):
            return np.clip((target - float(bounds.middle)) / float(bounds.width / 2), -1.0, 1.0)
