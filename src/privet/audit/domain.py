"""Domain: what inputs may be, and the neighbors in it that an attacker would try."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import whole

STRANGE = (math.nan, math.inf, -math.inf, -0.0, 0.0, 5e-324, -5e-324, 1e308, -1e308)
FAR = 1e9  # widths beyond the bounds, of an outlier
Row = Any
Rows = list[Row]


@dataclass(frozen=True)
class Domain:
    """Inputs as lists of rows, each a number or several, within bounds that are declared and need not be kept.

    Args:
        bounds: (low, high): what the mechanism is told that numbers lie within.
        rows: how many rows the larger neighbor has.
        columns: numbers of one row; 1 for rows that are plain numbers.
        neighbors: whether a row is replaced, or is there or not.
        strange: whether values outside of the bounds are tried, NaN, infinite, huge and tiny ones, and both zeros.
        make: what the mechanism is given, made of a list of rows, such as `numpy.array`.

    Example:
        >>> pairs = list(Domain(bounds=(0, 10), rows=2, neighbors=Neighbors.ADD_REMOVE, strange=False).pairs())
        >>> len(pairs), pairs[0], ([10], [10, 0]) in pairs
        (12, ([0], [0, 0]), True)
    """

    bounds: tuple[float, float]
    rows: int = 3
    columns: int = 1
    neighbors: Neighbors = Neighbors.REPLACE
    strange: bool = True
    make: Callable[[Rows], Any] = list

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not low < high or not math.isfinite(high - low):
            raise InvalidParameter("bounds must be two finite numbers, the lower one first: write bounds=(0, 100)")
        whole(self.rows, "rows", low=1)
        whole(self.columns, "columns", low=1)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Neighbors worth a try, the plainest first; each as the mechanism is given it."""
        known = set()
        for one, other in self._pairs():
            words = repr((one, other))
            if words not in known and repr(one) != repr(other):
                known.add(words)
                yield self.make(one), self.make(other)

    def _pairs(self) -> Iterator[tuple[Rows, Rows]]:
        for values in (self._corners(), self._strange() if self.strange else []):
            for base in self._bases():
                for value in values:
                    yield from self._around(base, value)
            if self.neighbors is Neighbors.ADD_REMOVE:
                yield from (([], [self._row(value)]) for value in values)

    def _around(self, base: Rows, value: float) -> Iterator[tuple[Rows, Rows]]:
        """The pair in which one row of the larger neighbor has this value."""
        row = self._row(value)
        if self.neighbors is Neighbors.ADD_REMOVE:
            yield base[:-1], [*base[:-1], row]
            return
        yield base, [*base[:-1], row]
        if self.columns > 1:
            yield base, [*base[:-1], self._row(value, alone=True)]

    def _bases(self) -> Iterator[Rows]:
        """The rows that both neighbors have: all at one end, in the middle, or half and half."""
        low, middle, high = self._corners()
        for value in (low, high, middle):
            yield [self._row(value)] * self.rows
        half = self.rows // 2
        if half:
            yield [self._row(low)] * half + [self._row(high)] * (self.rows - half)

    def _corners(self) -> tuple[float, float, float]:
        low, high = self.bounds
        middle = (low + high) / 2
        return low, int(middle) if middle == int(middle) and isinstance(low, int) else middle, high

    def _strange(self) -> list[float]:
        """Outliers, just outside and far away, and what is no plain number."""
        low, high = self.bounds
        width = high - low
        return [high + width, low - width, high + FAR * width, low - FAR * width, *STRANGE]

    def _row(self, value: float, *, alone: bool = False) -> Row:
        if self.columns == 1:
            return value
        rest = self.bounds[0] if alone else value
        return (value, *[rest] * (self.columns - 1))
