"""NetworkCanaries: rows by which the training of a user's own network is audited, and how much of each was released."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privet.errors import InvalidParameter
from privet.learn.torch.chance import drawn_from
from privet.learn.torch.clipped_sum import clipped_sum
from privet.learn.torch.network_steps import NetworkSteps
from privet.learn.torch.training import PrivateTraining
from privet.learn.torch.unit_gradients import REACH

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = tuple[Tensor, ...]


@dataclass(eq=False)
class NetworkCanaries:
    """Rows that coins put among the rows of a training, so that an audit can guess the coins.

    Args:
        make: takes (inputs, targets) and plans a training of them, of a new network each time.
        canaries: inputs and targets, each row a unit of its own.
        rows: those that are always there. Invented ones: an audit is not a release.

    Privacy: none for the rows, whose trainings are looked into. Scores follow from released sums, from the parameters
        they led to, and from the canaries.

    Example:
        >>> from torch import nn
        >>> from privet.learn.torch import private_training
        >>> def make(data):
        ...     model = nn.Linear(100, 2)
        ...     optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        ...     return private_training(model, optimizer, data, steps=4, batch_size=50,
        ...         loss=nn.CrossEntropyLoss(reduction="none"), epsilon=200, delta=1e-5, expected_rows=50)
        >>> labels = torch.arange(100) % 2
        >>> canaries = NetworkCanaries(make, (torch.eye(100), labels), (torch.zeros(1, 100), labels[:1]))
        >>> training = canaries.fit(list(range(0, 100, 2)))
        >>> scores = canaries.in_steps(training, canaries.places)
        >>> bool(scores[::2].mean() > scores[1::2].mean())
        True
    """

    make: Callable[[Rows], PrivateTraining]
    canaries: Rows = field(repr=False)
    rows: Rows = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.canaries) != len(self.rows) or len({len(each) for each in self.canaries}) != 1:
            raise InvalidParameter("canaries and rows must be (inputs, targets), each with one entry a row")

    @property
    def places(self) -> range:
        """The canaries, by number."""
        return range(len(self.canaries[0]))

    def fit(self, chosen: Any) -> "CanaryRun":  # noqa: ANN401 - numbers
        """Train on the rows and the chosen canaries; keep what was released, as it points to each canary."""
        there = torch.as_tensor(np.asarray(chosen, dtype=np.int64))
        data = tuple(torch.cat((rows, own[there])) for rows, own in zip(self.rows, self.canaries, strict=True))
        training = self.make(data)
        if training.trained.rows.length != len(data[0]):
            raise InvalidParameter("make must train on the very rows that it is given, each a unit of its own")
        seen = SumsSeen(training.trained, self.canaries, float(training.rate))
        training.trained.watcher = seen
        try:
            training.run()
        finally:
            training.trained.watcher = None
        return CanaryRun(training, seen)

    def in_steps(self, run: "CanaryRun", canaries: Any) -> Floats:  # noqa: ANN401, ARG002 - all of them
        """How much of each canary's gradient is in the released sums: what who sees every step can know."""
        return run.seen.scores

    def in_model(self, run: "CanaryRun", canaries: Any) -> Floats:  # noqa: ANN401, ARG002 - all of them
        """How well the model knows each canary: what who asks the model can know."""
        network = run.training.trained.network
        with torch.no_grad():
            return -network.losses(self.canaries).double().numpy()


@dataclass(frozen=True, eq=False)
class CanaryRun:
    """What came of a training.

    Args:
        training: it has run.
        seen: its sums.
    """

    training: PrivateTraining
    seen: "SumsSeen" = field(repr=False)


class SumsSeen:
    """Adds up how far each released sum points where a canary would move it.

    Args:
        steps: what is trained.
        canaries: inputs and targets.
        rate: which share of the units takes part in a step.
    """

    def __init__(self, steps: NetworkSteps, canaries: Rows, rate: float) -> None:
        self._steps, self._canaries, self._rate = steps, canaries, rate
        self.scores: Floats = np.zeros(len(canaries[0]))

    def __call__(self, released: Floats) -> None:
        """Look at one step: inner products of canaries' clipped gradients with what is not expected of the sum."""
        steps, count = self._steps, len(self.scores)
        batch = [each.to(kind) for each, kind in zip(self._canaries, steps.rows.kinds, strict=True)]
        with drawn_from(0), steps.network.training():
            found = steps.way.gradients(batch, torch.ones(count, dtype=torch.bool), count)
        size = steps.network.places.size
        everybody = torch.arange(count)
        own = np.stack([clipped_sum(found, steps.clip, everybody == each, size) for each in range(count)]) / REACH
        half = self._rate / 2 * own.sum(0)  # of the canaries, whose coins are fair
        self.scores += own @ (released / REACH - half)
