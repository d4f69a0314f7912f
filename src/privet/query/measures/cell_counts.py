"""Cell counts: counts of overlapping conditions, read off sums of counts of cells that exclude each other.

The engine gives each row a place: the number of the cell that it lies in. `Shape.RANKS` counts rows by place, so the
secret is a vector x of counts, to which a row adds to one number at most. What is released is A x with noise, for a
public matrix A of whole numbers (`postprocessing/strategy.py`); every column is a weighted sum of that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.loss import Neighbors
from privet.postprocessing.chosen_strategy import ChosenStrategy
from privet.query.measures.noise_margin import Floats
from privet.query.measures.readings import Count
from privet.query.measures.request import MANY, Bounded

LARGEST = 1 << 62  # sums beyond are taken as this; clipping brings neighbors no farther apart


@dataclass(frozen=True, eq=False)
class CellCounts:
    """What is asked of cells in the place of several counts.

    Args:
        chosen: the strategy, whose columns are the cells in the order of their places.
    """

    chosen: ChosenStrategy

    @property
    def sums(self) -> int:
        """How many numbers are released for each group."""
        return len(self.chosen.strategy.asked)

    def of_places(self, groups: Sequence[Mapping[int, int]]) -> NDArray[np.int64]:
        """The exact sums of each group, from its counts by place; what lies at no place of a cell does not count."""
        asked = self.chosen.strategy.asked
        cells = range(asked.shape[1])
        counts = np.array([[int(places.get(cell, 0)) for cell in cells] for places in groups], dtype=object)
        exact: NDArray[Any] = counts.reshape(len(groups), asked.shape[1]) @ asked.T.astype(object)
        return np.asarray(np.clip(exact, -LARGEST, LARGEST).astype(np.int64))

    def moves(self, request: Bounded, *, neighbors: Neighbors, copies: int) -> Sensitivity:
        """How far one unit moves all sums, of all groups.

        Args:
            request: of the counts by place.
            neighbors: whether a unit comes and goes, or is replaced by another.
            copies: how many of what the engine calls a unit one protected unit is.

        Proof: let r be what rows of a unit count for in one group, at most, in g groups (one, where all its rows may
            lie in one group and else add up to as much). So it adds to x in a group a vector d >= 0 whose numbers add
            up to r at most: a mixture of 0 and of r at one place each. Lengths of A d are convex in d, so none is
            longer than r times the longest column of A; over g groups sums of lengths and of squares add up. Replaced,
            a unit moves a group by A (d - e), of which the same holds with the longest difference of two columns, or
            column; in different groups by A d and A e, whose squares add up to at most twice that of the longest
            column. Clipping numbers one by one makes no difference larger. `copies` units move at most that many times
            as far.
        """
        asked = self.chosen.strategy.asked
        rows = request.part * request.limits.cap
        groups = 1 if request.spread else request.groups
        farthest, total, square = int(np.abs(asked).max()), int(np.abs(asked).sum(axis=0).max()), _square(asked)
        sides = 1
        if neighbors is not Neighbors.ADD_REMOVE:
            sides = 2
            farthest = max(farthest, int((asked.max(axis=1) - asked.min(axis=1)).max()))
            apart = max(total, _farthest(asked))
            total, square = (
                2 * total if request.keys else apart,
                max(square * (2 if request.keys else 1), _apart(asked)),
            )
        held = request.groups if request.cap_groups or not request.keys else MANY
        return Sensitivity(
            rows * farthest * copies,
            cells=sides * held * self.sums * copies,
            l1=rows * groups * total * copies,
            l2=root_above(Fraction(groups * square * rows * rows)) * copies,
        )


def _square(asked: NDArray[np.int64]) -> int:
    """Of the longest column."""
    return int((asked**2).sum(axis=0).max())


def _apart(asked: NDArray[np.int64]) -> int:
    """The largest square of the difference of two columns."""
    products = asked.T @ asked
    squares = np.diag(products)
    return int((squares[:, None] + squares - 2 * products).max())


def _farthest(asked: NDArray[np.int64]) -> int:
    """The largest sum of differences of two columns."""
    return max(int(np.abs(asked - asked[:, [cell]]).sum(axis=0).max()) for cell in range(asked.shape[1]))


@dataclass(frozen=True)
class CellCount(Count):
    """A count that is a weighted sum of what was released of cells.

    Args:
        of_sums: its weights.
        way: what was released, in words.
    """

    of_sums: tuple[float, ...]
    way: str

    @property
    def weights(self) -> Floats:
        """In rows."""
        return np.array(self.of_sums) / self.part

    @property
    def note(self) -> str:
        """What it was read off."""
        return f"{super().note}; {self.way}"
