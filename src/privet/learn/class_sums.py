"""ClassSums: the exact counts, sums and sums of squares of the rows of each class, as whole numbers."""

import numpy as np
from numpy.typing import NDArray

from privet.learn.features import BITS, Box, Floats
from privet.learn.rows import Rows

UNIT = 2**BITS
CACHED = 2**18  # numbers of a chunk

Whole = NDArray[np.int64]


class ClassSums:
    """The exact sums of a plan, as whole numbers of 2^-15, computed once from rows that are paid for."""

    def __init__(self, box: Box, classes: int) -> None:
        self._box, self._classes = box, classes
        self._found: tuple[Whole, Whole, Whole] | None = None  # for all draws of the plan

    def counts(self, rows: Rows) -> Whole:
        """How many rows each class has."""
        return self._sums(rows)[0]

    def sums(self, rows: Rows) -> Whole:
        """The sums of z by class."""
        return self._sums(rows)[1]

    def squares(self, rows: Rows) -> Whole:
        """The sums of 2z² - 1 by class."""
        return self._sums(rows)[2]

    def squares_of_all(self, rows: Rows) -> Whole:
        """The sums of 2z² - 1, in one row."""
        found: Whole = self._sums(rows)[2].sum(axis=0, keepdims=True)
        return found

    def _sums(self, rows: Rows) -> tuple[Whole, Whole, Whole]:
        if self._found is None:
            if rows.target is None:
                features = rows.read_features()
                codes = np.zeros(len(features), dtype=np.int64)
            else:
                features, codes = rows.read_pairs()
            self._found = self._of(features, codes)
        return self._found

    def _of(self, features: Floats, codes: Whole) -> tuple[Whole, Whole, Whole]:
        """Some rows at a time, which fit a cache. All sums are exact in any order: multiples of 2^-15 below 2^38."""
        width = features.shape[1]
        first, second = np.zeros((self._classes, width)), np.zeros((self._classes, width))
        chunk = max(64, CACHED // (width + self._classes))
        for start in range(0, len(features), chunk):
            places = self._box.unit(features[start : start + chunk])
            labels = codes[start : start + chunk]
            members = np.zeros((self._classes, len(labels)))
            members[labels, np.arange(len(labels))] = 1.0
            first += members @ places
            places *= places
            places *= 2 * UNIT
            places -= UNIT
            second += members @ np.rint(places, out=places)
        counts = np.bincount(codes, minlength=self._classes).astype(np.int64)
        return counts, (first * UNIT).astype(np.int64), second.astype(np.int64)
