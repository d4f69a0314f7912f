"""Strategy: what is asked instead of many overlapping sums, so that all of them can be read off with less noise."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.noise.lazy import Floats

EXACT = 2**51  # sums of squares below it are exact in float64, in whatever order they are added
UNREAD = 1e-6  # how far a question may be missed, where only rounding is missing


@dataclass(frozen=True, eq=False)
class Strategy:
    """Sums of cells, weighted by whole numbers, from which the questions of a workload are read.

    Args:
        asked: one row for each sum, one column for each cell: how often a row of the data in that cell counts.

    Privacy: the cells exclude each other: a row of the data lies in one of them at most. What is released is `asked`
        times the counts of the cells, with noise for `moves`; the questions are then read off it for free.
    Not covered: the cells must be public, never those that were seen. (Li, Miklau, Hay, McGregor and Rastogi 2015: the
        matrix mechanism.)

    Example:
        >>> halves = Strategy([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]])
        >>> halves.moves(rows=1, replaced=False), halves.variances([[1, 1, 1, 1], [0, 1, 0, 0]]).round(6).tolist()
        (Sensitivity(1, cells=2), [2.0, 2.0])
    """

    asked: NDArray[np.int64]

    def __init__(self, asked: ArrayLike) -> None:
        found = np.asarray(asked)
        if found.ndim != 2 or not found.size or found.dtype.kind not in "iu":  # noqa: PLR2004 - rows and columns
            raise InvalidParameter("a strategy must be a table of whole numbers, a row for each sum")
        largest = max(abs(int(found.max())), abs(int(found.min())))
        if not largest or largest**2 * len(found) >= EXACT:
            raise InvalidParameter("a strategy must hold numbers other than zero, of which 2^51 squares can be added")
        object.__setattr__(self, "asked", found.astype(np.int64))

    @property
    def cells(self) -> int:
        """How many cells the data have."""
        return len(self.asked[0])

    def moves(self, *, rows: int, replaced: bool) -> Sensitivity:
        """Return how far a unit with at most so many rows can move all the sums together.

        Proof: a row of the data moves the sums by one column of `asked`, or, if it is replaced, by the difference of
            two, or by one alone if before or after it lies in no cell; a unit's rows move them by a sum of so many of
            these, which is at most as long as all of them together. Squares of lengths are whole numbers below 2^53,
            so they are exact, and the largest is taken.
        """
        each = self.asked.astype(np.float64)
        sizes = np.abs(each)
        largest, total, square = int(sizes.max()), int(sizes.sum(axis=0).max()), int((each**2).sum(axis=0).max())
        touched = int(np.count_nonzero(self.asked, axis=0).max()) * rows
        if replaced:
            products = each.T @ each
            lengths = np.diag(products)
            square = max(square, int((lengths[:, None] + lengths - 2 * products).max()))
            largest = max(largest, int((each.max(axis=1) - each.min(axis=1)).max()))
            total, touched = 2 * total, 2 * touched
        cells = min(touched, len(self.asked))
        return Sensitivity(largest * rows, cells=cells, l1=total * rows, l2=root_above(Fraction(square * rows**2)))

    @cached_property
    def _solution(self) -> Floats:
        """The counts of the cells by least squares, as weights of the sums."""
        square = self.asked.shape[0] == self.cells == int(np.linalg.matrix_rank(self.asked))
        solution: Floats = np.linalg.inv(self.asked) if square else np.linalg.pinv(self.asked)
        return solution

    def readings(self, questions: ArrayLike) -> Floats:
        """Return the weights of the noisy sums in the answer to each question, which is a row of weights of the cells.

        Proof: of all unbiased weighted sums these have the least variance, if the noises are alike (Gauss and Markov).
        """
        wanted = np.asarray(questions, dtype=np.float64)
        weights: Floats = wanted @ self._solution
        if np.abs(weights @ self.asked - wanted).max(initial=0) > UNREAD * max(np.abs(wanted).max(initial=0), 1):
            raise InvalidParameter("these questions cannot be read off this strategy: they are no sums of what it asks")
        return weights

    def variances(self, questions: ArrayLike) -> Floats:
        """Return the variance of the answer to each question, if every noisy sum has variance 1."""
        found: Floats = (self.readings(questions) ** 2).sum(axis=-1)
        return found
