"""moved_counts: how far one unit moves counts of rows in cells."""

from fractions import Fraction

from privet.core import Sensitivity
from privet.core.sensitivity import root_above


def moved_counts(tables: int, moved: int, *, replaces: bool) -> Sensitivity:
    """How far one unit moves tables in each of which a row counts in one cell.

    Proof: each of `moved` rows adds 1 to one cell of each table. In a table they are farthest in one cell: `moved` in
        L1 and in L2. A replaced unit leaves one cell and enters another: twice as far in L1, √2 times in L2.
    """
    times = 2 if replaces else 1
    length = root_above(Fraction(moved) ** 2 * tables * times)
    return Sensitivity(moved, cells=tables * moved * times, l1=tables * moved * times, l2=length)
