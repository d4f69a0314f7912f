"""StoredRows: rows that an engine keeps, for models that need sums of products only."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privet.core import Ledger


@runtime_checkable
class StoredRows(Protocol):
    """What `session.rows("SELECT …")` gives: rows of the tables of a catalog, unread.

    Privacy: `products` reads rows, and is called within a deferred secret only. What the model relies on: each number
        is, up to rounding it down once, a sum of w v_i v_j over rows v = (1, columns) with coordinates in [-1, 1] that
        depend on that row alone, and the weights w >= 0 of a unit's rows add up to at most rows_per_unit.
    """

    ledger: Ledger
    rows_per_unit: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, in order."""
        ...

    def bounds(self, names: Sequence[str]) -> tuple[tuple[Fraction, Fraction], ...]:
        """What stands for -1 and 1 in each column, public."""
        ...

    def products(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The upper triangle of the sums, row by row, in steps of 2^-30."""
        ...
