"""Log loss in whole numbers: what a row of a class says about the scores it has."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.features import Floats
from privet.learn.objective import Objective

UNIT = 1 << 15


@dataclass(frozen=True)
class BinaryLogLoss(Objective):
    """Two classes: one score, the log-odds of the second.

    A row whose class has probability 1 - q and the other q says q (towards its own class) and 13/4 q (1 - q), both
    rounded down to multiples of 2^-15 from a q that is one.

    Proof: q² + (13/4)² q² (1 - q)² <= 1 on [0, 1], since (13/4)² < 11.09 = min (1 + q) / (q² (1 - q)), and rounding
        down only makes it less; so a row has length 1, a replaced one moves sums by 2 at most. In L1 it is at most
        q + 13/4 q (1 - q) < 3/2. Tests try every multiple.
    """

    outputs: int = 1

    def sensitivity(self, moved_rows: int, *, replaces: bool) -> Sensitivity:
        """Length 1 for each row, in units of 2^-15."""
        size = moved_rows * (2 if replaces else 1) * UNIT
        cells = 2 * moved_rows * (2 if replaces else 1)
        return Sensitivity(size, cells=cells, l1=size * Fraction(3, 2), l2=size)

    def statements(self, scores: Floats, target: NDArray[Any]) -> NDArray[np.int64]:
        """Slope towards the second class, and curvature."""
        chance = np.floor(expit(scores[0]) * UNIT).astype(np.int64)
        return np.stack([np.where(target == 1, UNIT - chance, -chance), 13 * chance * (UNIT - chance) // (4 * UNIT)])

    def read(self, sums: Floats, deviation: float) -> tuple[Floats, Floats, float]:
        """In rows."""
        return sums[:, :1] / UNIT, sums[:, 1:] / (UNIT * 13 / 4), deviation / UNIT


@dataclass(frozen=True)
class LogLoss(Objective):
    """Several classes: a score for each.

    A row says for each class y - p, where y is 1 for its own and 0 else, and 2 p (1 - p), in multiples of 2^-15 of
    probabilities that are rounded down to some.

    Proof: probabilities are rounded down, so they add up to 1 at most. With q = 1 - p of its own class, the squares of
        its slope and curvature add up to q² + 4 q² (1 - q)² <= 1, since 4 q² (1 - q) <= 16/27 < 1 + q; those of the
        others to Σ p² (1 + 4 (1 - p)²) <= Σ p <= 1, since p (1 + 4 (1 - p)²) <= 1 on [0, 1], with equality at 1/2
        and 1. So a row has length √2, and moves sums by 2√2 where it is replaced. In L1 slopes add up to 2 at most,
        and curvatures to 2 Σ p (1 - p) < 2.
    """

    outputs: int

    def sensitivity(self, moved_rows: int, *, replaces: bool) -> Sensitivity:
        """Length √2 for each row, in units of 2^-15."""
        size = moved_rows * (2 if replaces else 1) * UNIT
        cells = 2 * self.outputs * moved_rows * (2 if replaces else 1)
        return Sensitivity(size, cells=cells, l1=4 * size, l2=size * root_above(Fraction(2)))

    def statements(self, scores: Floats, target: NDArray[Any]) -> NDArray[np.int64]:
        """Slopes, then curvatures."""
        odds = np.exp(scores - scores.max(axis=0, initial=-np.inf))
        total = np.cumsum(odds, axis=0)[-1]  # one class after the other, however many rows there are
        chances = np.floor(odds / total * ((1 - 2.0**-40) * UNIT)).astype(np.int64)
        own = np.arange(self.outputs)[:, None] == target
        return np.concatenate([own * UNIT - chances, 2 * chances * (UNIT - chances) // UNIT])

    def read(self, sums: Floats, deviation: float) -> tuple[Floats, Floats, float]:
        """In rows."""
        return sums[:, : self.outputs] / UNIT, sums[:, self.outputs :] / (2 * UNIT), deviation / UNIT
