"""Objective: what a row says to the next tree of a boosting, in whole numbers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from numpy import int64
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.learn.features import Floats


class Objective(ABC):
    """A loss that is made smaller tree by tree: `BinaryLogLoss`, `LogLoss`, `SquaredLoss`.

    Privacy: a row says something to one leaf of each tree; `sensitivity` bounds it whatever its scores are, so it holds
        for scores that follow from trees that were released before.
    """

    outputs: int
    """How many scores a row has."""
    cautious: ClassVar[bool] = False
    """Whether trees that may be noise are believed less: where scores are what is predicted, not which is largest."""

    @abstractmethod
    def sensitivity(self, moved_rows: int, *, replaces: bool) -> Sensitivity:
        """How far one unit moves the sums of a tree."""

    @abstractmethod
    def statements(self, scores: Floats, target: NDArray[Any]) -> NDArray[int64]:
        """The whole numbers [number, row] that are summed in each leaf: slopes, then curvatures."""

    @abstractmethod
    def read(self, sums: Floats, deviation: float) -> tuple[Floats, Floats, float]:
        """Slopes and curvatures [leaf, output] of noisy sums, and the deviation of the noise on slopes."""
