"""Aggregation: a function of a relation's rows, and which there are."""

import enum
from dataclasses import dataclass
from fractions import Fraction

from privet.query.scalars.expressions import Expression


class Function(enum.Enum):
    """The aggregate functions."""

    COUNT_ROWS = "COUNT(*)"
    COUNT = "COUNT"
    COUNT_DISTINCT = "COUNT(DISTINCT)"
    COUNT_UNITS = "COUNT(DISTINCT unit)"
    SUM = "SUM"
    AVG = "AVG"
    VARIANCE = "VARIANCE"
    STDDEV = "STDDEV"
    QUANTILE = "QUANTILE"
    MINIMUM = "MIN"  # within a unit exact; across units a quantile
    MAXIMUM = "MAX"


@dataclass(frozen=True)
class Aggregation:
    """One aggregate of a relation's rows.

    Args:
        function: which.
        argument: of which expression; None for COUNT(*) and COUNT(DISTINCT unit).
        condition: only of rows for which this is true (FILTER).
        fraction: of a quantile: 1/2 for the median.
        sample: VARIANCE and STDDEV divide by n - 1.
    """

    function: Function
    argument: Expression | None = None
    condition: Expression | None = None
    fraction: Fraction | None = None
    sample: bool = True
