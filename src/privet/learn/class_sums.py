"""ClassSums: the exact counts, sums and sums of squares of the rows of each class, as whole numbers."""

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import BITS, Box, Floats
from privet.learn.rows import Rows

UNIT = 2**BITS


class ClassSums:
    """The exact sums of a plan, as whole numbers of 2^-15, computed from rows once they are paid for."""

    def __init__(self, box: Box, classes: int) -> None:
        self._box, self._classes = box, classes
        self._seen: tuple[Floats, Floats] | None = None  # read once for all draws of the plan

    def counts(self, rows: Rows) -> NDArray[np.int64]:
        """How many rows each class has."""
        found: NDArray[np.int64] = self._read(rows)[1].sum(axis=0).astype(np.int64)
        return found

    def sums(self, rows: Rows) -> NDArray[np.int64]:
        """The sums of z by class."""
        places, members = self._read(rows)
        return self._summed(members, places)

    def squares(self, rows: Rows) -> NDArray[np.int64]:
        """The sums of 2z² - 1 by class."""
        places, members = self._read(rows)
        return self._summed(members, np.rint((2 * places * places - 1) * UNIT) / UNIT)

    def squares_of_all(self, rows: Rows) -> NDArray[np.int64]:
        """The sums of 2z² - 1, in one row."""
        found: NDArray[np.int64] = self.squares(rows).sum(axis=0, keepdims=True)
        return found

    def _summed(self, members: Floats, places: Floats) -> NDArray[np.int64]:
        """Exact in any order: multiples of 2^-15 whose sums stay below 2^38."""
        found: NDArray[np.int64] = np.rint(members.T @ places * UNIT).astype(np.int64)
        return found

    def _read(self, rows: Rows) -> tuple[Floats, Floats]:
        if self._seen is None:
            if rows.target is None:
                features = rows.read_features()
                codes = np.zeros(len(features), dtype=np.int64)
            else:
                features, codes = rows.read_pairs()
            members = np.zeros((len(features), self._classes))
            members[np.arange(len(features)), codes] = 1.0
            self._seen = self._box.unit(features), members
        return self._seen
