"""Squared loss in whole numbers: what a row's target says about the score it has."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.features import Floats
from privet.learn.objective import Objective
from privet.learn.whole_targets import UNIT


@dataclass(frozen=True)
class SquaredLoss(Objective):
    """A number within bounds: one score, in half widths from the middle.

    A row says by how much its target lies above its score, clipped to half a half width, and that it is there (a
    quarter), in multiples of 2^-15.

    Proof: 1/2 and 1/4 have the length √5/4 and add up to 3/4; a replaced row moves twice as much at most.
    """

    cautious: ClassVar[bool] = True
    outputs: int = 1

    def sensitivity(self, moved_rows: int, *, replaces: bool) -> Sensitivity:
        """Length √5/4 for each row, in units of 2^-15."""
        size = moved_rows * (2 if replaces else 1) * UNIT
        cells = 2 * moved_rows * (2 if replaces else 1)
        quarter = Fraction(size, 4)
        return Sensitivity(2 * quarter, cells=cells, l1=3 * quarter, l2=quarter * root_above(Fraction(5)))

    def statements(self, scores: Floats, target: NDArray[Any]) -> NDArray[np.int64]:
        """What is left of the target, and a quarter."""
        left = target - np.rint(np.clip(scores[0], -1.0, 1.0) * UNIT).astype(np.int64)
        return np.stack([np.clip(left, -UNIT // 2, UNIT // 2), np.full_like(left, UNIT // 4)])

    def read(self, sums: Floats, deviation: float) -> tuple[Floats, Floats, float]:
        """In rows and half widths."""
        return sums[:, :1] / UNIT, sums[:, 1:] / (UNIT / 4), deviation / UNIT
