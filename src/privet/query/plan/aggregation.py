"""Aggregation: a function of a relation's rows, and which there are. What each means is a rule of `aggregates/`."""

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from privet.query.scalars.expressions import Expression


class Function(enum.Enum):
    """The aggregate functions. Each has one rule (`aggregates/table.py`)."""

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
    COVARIANCE = "COVAR"
    CORRELATION = "CORR"
    SLOPE = "REGR_SLOPE"
    INTERCEPT = "REGR_INTERCEPT"
    PAIRS = "REGR_COUNT"
    ANY = "BOOL_OR"
    ALL = "BOOL_AND"
    LEAST_BY = "ARG_MIN"
    MOST_BY = "ARG_MAX"
    FIRST = "FIRST_VALUE"


@dataclass(frozen=True)
class Aggregation:
    """One aggregate of a relation's rows.

    Args:
        function: which.
        argument: of which expression; None for COUNT(*) and COUNT(DISTINCT unit).
        condition: only of rows for which this is true (FILTER).
        fraction: of a quantile: 1/2 for the median.
        sample: VARIANCE, STDDEV and COVAR divide by n - 1.
        second: the other expression of an aggregate of two; a row where either is NULL does not count.
    """

    function: Function
    argument: Expression | None = None
    condition: Expression | None = None
    fraction: Fraction | None = None
    sample: bool = True
    second: Expression | None = None

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """What it is of: none, one or two expressions."""
        return tuple(part for part in (self.argument, self.second) if part is not None)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """All that it is computed from: the arguments, then the condition."""
        return self.arguments if self.condition is None else (*self.arguments, self.condition)

    def changed(self, change: Callable[[Expression], Expression]) -> "Aggregation":
        """The same with each of its parts changed, in their order."""
        new = iter([change(part) for part in self.parts])
        argument = None if self.argument is None else next(new)
        second = None if self.second is None else next(new)
        condition = None if self.condition is None else next(new)
        return replace(self, argument=argument, second=second, condition=condition)
