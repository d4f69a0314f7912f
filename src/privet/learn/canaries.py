"""Canaries: rows by which a network's training is audited, and how much each is seen in what the training releases."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.network_model import NetworkModel
from privet.learn.network_steps import NetworkSteps, WholeRows
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.rows import Rows, two_dimensional
from privet.mechanisms.noisy_steps import NoisySteps
from privet.mechanisms.watched_steps import watched_steps

BLOCK = 25  # steps after which what they said is set off against the chance of who took part in them


@dataclass(eq=False)
class Canaries:
    """Rows that coins put among the rows of a training, so that `privet.audit.training` can guess the coins.

    Args:
        model: what is trained, unfitted; each training fits a copy.
        features: X of the canaries, each a unit of its own.
        target: their y.
        rows: X and y of the rows that are always there; None for none. Invented ones: an audit is not a release.

    Privacy: none for the rows, whose trainings are looked into. See `privet.audit.training`.

    Example:
        >>> from privet import Guarantee, audit
        >>> from privet.learn import MLPClassifier
        >>> model = MLPClassifier(bounds=(-1, 1), classes=[0, 1], hidden_layer_sizes=(), steps=20, rate=1, epsilon=1000,
        ...     delta=1e-5)
        >>> canaries = Canaries(model, np.eye(100), np.arange(100) % 2)
        >>> claim = Guarantee(1)  # not what the model says
        >>> audit.training(canaries.fit, canaries.places, canaries.in_steps, claim=claim).violated
        True
    """

    model: PrivateEstimator
    features: Any = field(repr=False)
    target: Any = field(repr=False)
    rows: tuple[Any, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.features, self.target = np.asarray(self.features, dtype=np.float64), np.asarray(self.target)
        if self.features.ndim != 2 or len(self.features) != len(self.target):  # noqa: PLR2004 - rows and columns
            raise InvalidParameter("canaries must be rows of numbers with a target for each: X and y of one length")

    @property
    def places(self) -> range:
        """The canaries, by number."""
        return range(len(self.features))

    def fit(self, chosen: list[int]) -> "CanaryTraining":
        """Train on the rows and the chosen canaries; keep what was released, as it points to each canary."""
        model, places = clone(self.model), np.array(chosen, dtype=np.int64)
        features, target = self.features[places], self.target[places]
        if self.rows is not None:
            features = np.vstack([np.asarray(self.rows[0], dtype=np.float64), features])
            target = np.concatenate([np.asarray(self.rows[1]), target])
        seen = StepsSeen(model, self.features, self.target) if isinstance(model, NetworkModel) else None
        if seen is None:
            return CanaryTraining(model.fit(features, target), None)
        with watched_steps(seen):
            model.fit(features, target)
        return CanaryTraining(model, seen)

    def in_steps(self, training: "CanaryTraining", canaries: Any) -> Floats:  # noqa: ANN401, ARG002 - all of them
        """How much of each canary's gradient is in the released sums: what who sees every step can know."""
        if training.seen is None:
            kind = type(self.model).__name__
            raise InvalidParameter(f"{kind} is not trained by steps of a network: score its canaries with in_model")
        return training.seen.scores

    def in_model(self, training: "CanaryTraining", canaries: Any) -> Floats:  # noqa: ANN401, ARG002 - all of them
        """How well the model knows each canary: what who asks the model can know."""
        model = training.model
        if not hasattr(model, "predict_proba"):
            missed: Floats = np.ravel(model.predict(self.features)) - self.target
            return -(missed**2)
        chances = model.predict_proba(self.features)
        places = np.searchsorted(model.classes_, self.target)
        found: Floats = np.log(np.maximum(chances[np.arange(len(places)), places], np.finfo(np.float64).tiny))
        return found


@dataclass(frozen=True, eq=False)
class CanaryTraining:
    """What came of a training.

    Args:
        model: fitted.
        seen: its steps; None where it has none.
    """

    model: Any
    seen: "StepsSeen | None" = field(repr=False)


class StepsSeen:
    """Watches the steps of one fit, and adds up how far each released sum points where a canary would move it.

    Args:
        model: that is fitted.
        features: X of the canaries.
        target: their y.
    """

    def __init__(self, model: NetworkModel, features: Floats, target: NDArray[Any]) -> None:
        self._model, self._given = model, (features, target)
        self._rows: WholeRows | None = None
        self._seen = 0
        self._block = Products.of(len(features))  # of the last few steps
        self._all = Products.of(len(features))  # of all before them, set off

    def __call__(self, plan: NoisySteps[Any], trained: Any, released: NDArray[np.float64]) -> None:  # noqa: ANN401 - wrapped or not
        """Look at one step: inner products of canaries' gradients with the sum, and with each other."""
        steps: NetworkSteps = getattr(trained, "trained", trained)
        if self._rows is None:
            self._rows = self._whole()
        network, rows = steps.network, self._rows
        layers = network.layers(steps.flat)
        values = network.values(layers, rows.whole.astype(np.float64))
        slopes = network.slopes(layers, values, rows.target)
        factors = steps.clipping.factors(network.squared_lengths(layers, values, slopes), steps.length)
        unit = float(plan.noise.l2_sensitivity)
        parts = network.parts(released / unit)
        clear = (unit / float(plan.noise.scale)) ** 2  # one over the variance of the noise, in gradients of length 1
        for layer, value, slope, (weights, constants) in zip(layers, values, slopes, parts, strict=False):
            inputs, moved = value * 2.0**-layer.value_bits, slope * factors[:, None]
            self._block.sums += clear * (np.einsum("ij,ij->i", inputs @ weights, moved) + moved @ constants)
            self._block.pairs += clear * (inputs @ inputs.T + 1.0) * (moved @ moved.T)
        self._seen += 1
        if self._seen % BLOCK == 0 or self._seen == plan.steps:
            self._fold(float(plan.rate), (self._seen - 1) % BLOCK + 1)

    def _fold(self, rate: float, steps: int) -> None:
        """Add a block of steps to those before, with its noise as it is: the drawn one, and who took part.

        In a step a sum is what it is expected to be, plus noise of variance V in every number, plus what chance does to
        who takes part: a covariance of rate (1 - rate)/2 G'G, with G the gradients. With K = GG'/V its inverse turns G
        into (1 + rate (1 - rate)/2 K)^-1 G.
        """
        size = len(self._block.sums)
        chance = np.eye(size) + rate * (1.0 - rate) / 2.0 * self._block.pairs / steps
        told = np.linalg.solve(chance, np.column_stack([self._block.pairs, self._block.sums]))
        self._all.pairs += rate**2 * told[:, :size]
        self._all.sums += rate * told[:, size]
        self._block = Products.of(size)

    @property
    def scores(self) -> Floats:
        """How likely each canary's coin put it in: the best linear guess of coins of variance 1/4 around 1/2."""
        pairs, sums = self._all.pairs, self._all.sums
        found: Floats = np.linalg.solve(pairs + 4.0 * np.eye(len(sums)), sums - pairs.sum(axis=1) / 2.0)
        return found

    def _whole(self) -> WholeRows:
        """The canaries as the network sees them."""
        model, (features, target) = self._model, self._given
        labels = model._labels()  # noqa: SLF001 - its own room
        rows = Rows.of(two_dimensional(features), target, width=features.shape[1], classes=labels)
        numbers, places = rows.read_pairs()
        if len(numbers) != len(features):
            raise InvalidParameter("every canary must count: give each a target that the model knows")
        return WholeRows.of(model._rows.whole(numbers), model._target(places), None)  # noqa: SLF001 - its own room


@dataclass(eq=False)
class Products:
    """Inner products over the variance of the noise.

    Args:
        sums: of each canary's gradient with released sums.
        pairs: of canaries' gradients with each other.
    """

    sums: Floats
    pairs: Floats

    @classmethod
    def of(cls, canaries: int) -> "Products":
        """Of no step."""
        return cls(np.zeros(canaries), np.zeros((canaries, canaries)))
