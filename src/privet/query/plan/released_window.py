"""ReleasedWindow: a window function over released rows, such as RANK() OVER (ORDER BY COUNT(*) DESC)."""

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace

from privet.query.plan.window_frame import Frame
from privet.query.scalars.expressions import Column, Expression, columns_in


class WindowFunction(enum.Enum):
    """The functions that released rows can be seen through."""

    SUM = "SUM"
    AVG = "AVG"
    COUNT = "COUNT"
    MIN = "MIN"
    MAX = "MAX"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"
    LAG = "LAG"
    LEAD = "LEAD"
    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    PERCENT_RANK = "PERCENT_RANK"
    CUME_DIST = "CUME_DIST"
    NTILE = "NTILE"


@dataclass(frozen=True)
class ReleasedWindow:
    """One window over the rows that HAVING leaves.

    Args:
        function: which.
        arguments: none, one, or for LAG and LEAD also how far to look, for NTILE how many parts.
        partition: rows are seen among those with the same values of these.
        order: (expression, descending).
        frame: None for SQL's own: up to the row at hand and those equal to it if there is an order, else all.
    """

    function: WindowFunction
    arguments: tuple[Expression, ...] = ()
    partition: tuple[Expression, ...] = ()
    order: tuple[tuple[Expression, bool], ...] = ()
    frame: Frame | None = None

    def changed(self, change: Callable[[Expression], Expression]) -> "ReleasedWindow":
        """The same with each of its expressions changed."""
        return replace(
            self,
            arguments=tuple(map(change, self.arguments)),
            partition=tuple(map(change, self.partition)),
            order=tuple((change(expression), descending) for expression, descending in self.order),
        )

    @property
    def columns(self) -> frozenset[Column]:
        """Every column version it reads."""
        parts = (*self.arguments, *self.partition, *(expression for expression, _ in self.order))
        return frozenset().union(*map(columns_in, parts))
