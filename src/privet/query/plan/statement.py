"""Statement: what it means: stages, each a private aggregation or a public query, and what is made of it.

`Aggregate` is the only way from an owned relation (`plan/relations.py`) to released numbers.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace

from privet.query.plan.aggregation import Aggregation
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Relation
from privet.query.plan.released_window import ReleasedWindow
from privet.query.scalars.expressions import Column, Expression
from privet.query.scalars.facts import Value


@dataclass(frozen=True)
class Key:
    """What an answer is grouped by.

    Args:
        column: as it is released.
        expression: over the source's columns.
        domain: every value it can take, NULL among them if it can be that, when they are public; None when they are
            the units' own, so that a group is named only if enough units are in it.
    """

    column: Column
    expression: Expression
    domain: tuple[Value, ...] | None


@dataclass(frozen=True, eq=False)
class Aggregate:
    """Private aggregates of an owned relation.

    Args:
        source: owned.
        keys: none for a single row.
        items: the released column of each aggregate; equal aggregates occur once.
        limits: what is used of one unit.
        searches: for arguments without bounds: how they are found first.
    """

    source: Relation
    keys: tuple[Key, ...]
    items: tuple[tuple[Column, Aggregation], ...]
    limits: Limits
    searches: "tuple[Search, ...]" = ()

    @property
    def selects(self) -> bool:
        """Whether groups are named only if enough units are in them."""
        return any(key.domain is None for key in self.keys)


@dataclass(frozen=True, eq=False)
class Search:
    """A paid step that finds the bounds of an argument (`measures/automatic_bounds.py`).

    Args:
        argument: of aggregates of the same source.
        bins: how many rows lie in each of public bins.
        middle: the median of the argument.
        again: the count of rows once more, perhaps in other bins, which follow from what was released before.
    """

    argument: Expression
    bins: Aggregate
    middle: Aggregate
    again: Aggregate

    @property
    def steps(self) -> tuple[Aggregate, Aggregate, Aggregate]:
        """What is paid for, in order."""
        return self.bins, self.middle, self.again


@dataclass(frozen=True)
class Output:
    """What is done with released columns before they are shown: free, and computed away from the data.

    Args:
        items: the columns of the answer; every reference is to a column of `source`.
        condition: HAVING, over released columns.
        order: (expression, descending).
        distinct: SELECT DISTINCT over released rows.
        windows: columns that are computed from the rows which the condition leaves, each for items, order and QUALIFY.
        qualify: which rows are shown, seen through windows.
    """

    items: tuple[tuple[Column, Expression], ...]
    condition: Expression | None = None
    order: tuple[tuple[Expression, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False
    windows: tuple[tuple[Column, ReleasedWindow], ...] = ()
    qualify: Expression | None = None

    def changed(self, change: Callable[[Expression], Expression]) -> "Output":
        """The same with each of its expressions changed."""
        return replace(
            self,
            items=tuple((column, change(expression)) for column, expression in self.items),
            condition=None if self.condition is None else change(self.condition),
            order=tuple((change(expression), descending) for expression, descending in self.order),
            windows=tuple((column, window.changed(change)) for column, window in self.windows),
            qualify=None if self.qualify is None else change(self.qualify),
        )


class Report(enum.Enum):
    """What the shares of a stage are of, where it reports on clipping (`aggregates/clipping_report.py`)."""

    ROWS = "rows"
    UNITS = "units"


@dataclass(frozen=True, eq=False)
class Stage:
    """One private aggregation, or a public query, and what is made of it.

    Args:
        name: of the CTE or subquery, or "answer" for the last.
        source: an `Aggregate`, paid for; or a public relation (tables, values, earlier stages), free and exact.
        output: of the released columns.
        report: what its columns are shares of, where it reports on clipping and no other stage reads it.
    """

    name: str
    source: Aggregate | Relation
    output: Output
    report: Report | None = None


@dataclass(frozen=True)
class Part:
    """One of several statements that are answered together.

    Args:
        text: as the analyst wrote it.
        stages: the names of its stages; the last is its answer.
        columns: the released columns that it asked for, and its private keys.
    """

    text: str
    stages: tuple[str, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Statement:
    """A whole statement: stages in the order in which they are answered; the last is the answer.

    Args:
        text: as the analyst wrote it.
        stages: may share an aggregation, which is then answered once.
        parts: where it stands for several statements (`plan/merge.py`).
    """

    text: str
    stages: tuple[Stage, ...]
    parts: tuple[Part, ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """The names of the stages that are shown."""
        return tuple(part.stages[-1] for part in self.parts) or (self.stages[-1].name,)
