"""PointQuantile: a quantile chosen among a few points between two bounds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.mechanisms.interval_quantile import Column, IntervalQuantile, known_numbers
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.noise import BitSource
from privet.noise.lazy import Floats

MOST_CANDIDATES = 1 << 14  # each is looked at
FINEST = 1 << 30  # parts of a rank: scores of 2^29 rows stay below 2^62


@dataclass(frozen=True, init=False, repr=False)
class PointQuantile(IntervalQuantile):
    """Chooses among few points as `IntervalQuantile` does, and errs less: by permute-and-flip.

    Args:
        as `IntervalQuantile`; `points` at most 2^14.

    Privacy: epsilon-DP, with the curve of `PermuteAndFlip`.
    Proof: the scores are those of `IntervalQuantile`, whose docstring bounds how far one unit moves them; what chooses
        is `PermuteAndFlip`. It never errs by more on average than the exponential mechanism with the same scores
        (McKenna and Sheldon 2020), and by up to half as much where the points lie about a rank apart. Among very many
        points both are the same, so it is not worth looking at each.
    Not covered: time.

    Example:
        >>> PointQuantile("0.5", bounds=(0, 100), score_sensitivity="0.5", epsilon=1, points=100)
        PointQuantile(0.5, bounds=(0, 100), points=100, score_sensitivity=0.5, epsilon=1)
    """

    def __init__(self, *args: Any, **parameters: Any) -> None:  # noqa: ANN401 - those of IntervalQuantile
        super().__init__(*args, **parameters)
        if not PointQuantile.suits(self):
            raise InvalidParameter(
                f"points must be at most {MOST_CANDIDATES:,} and ranks have small denominators, got {self.points} "
                f"points: use IntervalQuantile"
            )

    @staticmethod
    def suits(like: IntervalQuantile) -> bool:
        """Whether each point can be looked at."""
        return like.points <= MOST_CANDIDATES and like._parts <= FINEST  # noqa: SLF001 - its own kin

    @cached_property
    def _choice(self) -> PermuteAndFlip:
        return PermuteAndFlip(self.score_sensitivity * self._parts, self.epsilon)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of permute-and-flip."""
        return self._choice.loss

    def sample(self, value: Column, source: BitSource) -> float:
        """One of the points."""
        return self.point(self._choice.sample(self.scores(value), source))

    def scores(self, value: Column) -> NDArray[np.int64]:
        """Minus how far each point's ranks are from the target, in parts of a rank. As secret as the values.

        Values are clipped and compared with the points as they are, not rounded to them: a point then has the rank
        that it has among the values. Each comparison looks at one row, so the proof holds word for word.
        """
        values = known_numbers(value)
        parts = self._parts
        low, high = map(float, self.bounds)
        ordered = np.sort(np.clip(values.astype(np.float64), low, high))
        target = int(self.target(len(values)) * parts)
        above = ordered.searchsorted(self._points, side="left") * parts - target
        below = target - ordered.searchsorted(self._points, side="right") * parts
        return -np.maximum(np.maximum(above, below), 0).astype(np.int64)

    @cached_property
    def _points(self) -> Floats:
        """All of them, lowest first."""
        return np.array([self.point(step) for step in range(self.points + 1)])
