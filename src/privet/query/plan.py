"""Plan: what a statement means, as typed nodes.

A relation is public, or owned: each of its rows then belongs to one unit and was made from that unit's own rows and
public tables only. That is the invariant on which every guarantee of a query rests (docs/proofs/queries.md):

    relation(data) is the disjoint union, over the units u, of relation(rows of u)

Each node below keeps it, or cannot be built. So no node needs to know how far it spreads one unit's rows: however many
they became, `Aggregate` bounds what a unit contributes at the very end, inside the engine.

Relation
├── Table        a table of the catalog
├── Released     a table of answers that were paid for by an earlier stage: public
├── Values       literal rows: public
├── Filter       the rows that satisfy a condition
├── Project      new columns computed from each row
├── Join         pairs of rows; of two owned relations only pairs of the same unit
├── Union        all rows of several relations
├── Group        exact aggregates: of a public relation, or within each unit of an owned one
└── Window       exact window functions: of a public relation, or within each unit of an owned one
Aggregate        private aggregates of an owned relation: the only way from owned to released
"""

import enum
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privet.query.expressions import Column, Expression
from privet.query.facts import Value


@dataclass(frozen=True)
class Limits:
    """How much of one unit's data is used: a choice of accuracy, carried out by the engine.

    Args:
        rows_per_unit: rows in all; a unit with more has each of them weighted down.
        groups_per_unit: with rows_per_group: how many groups of a GROUP BY, chosen by a hash of unit and group.
        rows_per_group: rows in each of them; a unit with more has each of them weighted down.

    Either rows_per_unit alone, or the other two.
    """

    rows_per_unit: int | None = None
    groups_per_unit: int | None = None
    rows_per_group: int | None = None

    @property
    def rows(self) -> int:
        """Rows of one unit in all."""
        return self.rows_per_unit or (self.groups_per_unit or 1) * (self.rows_per_group or 1)


ONE_ROW = Limits(rows_per_unit=1)


@dataclass(frozen=True)
class Owner:
    """Who owns the rows of a relation: the columns that tell the unit apart, carried along by every node."""

    unit: tuple[Column, ...]
    limits: Limits


@dataclass(frozen=True, eq=False)
class Table:
    """A table of the catalog, private or public. Columns with bounds hold values clipped to them, as they are read.

    Args:
        name: as in the catalog.
        columns: those that the owner declared; no other can be named.
        owner: None if the table is public.
    """

    name: str
    columns: tuple[Column, ...]
    owner: Owner | None


@dataclass(frozen=True, eq=False)
class Released:
    """The answer of an earlier stage of the same statement."""

    stage: str
    columns: tuple[Column, ...]
    owner: None = None


@dataclass(frozen=True, eq=False)
class Values:
    """Rows written in the statement, such as (SELECT 1 AS k)."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    owner: None = None


@dataclass(frozen=True, eq=False)
class Filter:
    """The rows for which the condition is true. Columns are new versions, with what the condition tells about them.

    Args:
        renewed: (new, old) for every column of the source.
    """

    source: "Relation"
    condition: Expression  # over the source's columns
    renewed: tuple[tuple[Column, Column], ...]
    owner: Owner | None  # its unit columns are among the new ones

    @property
    def columns(self) -> tuple[Column, ...]:
        """The new versions."""
        return tuple(new for new, _ in self.renewed)


@dataclass(frozen=True, eq=False)
class Project:
    """New columns from each row. An owned relation's unit columns are among them, named by the analyst or not."""

    source: "Relation"
    items: tuple[tuple[Column, Expression], ...]
    owner: Owner | None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The new ones, hidden unit columns included."""
        return tuple(column for column, _ in self.items)


class JoinKind(enum.Enum):
    """How rows without a partner are treated."""

    INNER = "inner"
    LEFT = "left"
    FULL = "full"
    CROSS = "cross"


@dataclass(frozen=True, eq=False)
class Join:
    """Pairs of rows of two relations.

    Of two owned relations only rows of one unit are paired: `same_unit` is then true and the compiler adds the
    equality of the unit columns itself, whatever the condition says. Of an owned and a public one, every row of the
    owned side keeps its owner; the public side is never the preserved one.

    Args:
        items: each new column, and what it is made of: a reference to a column of either side, or for the unit of a
            full join the first that is not NULL.
    """

    left: "Relation"
    right: "Relation"
    kind: JoinKind
    condition: Expression | None  # over the columns of both
    same_unit: bool
    items: tuple[tuple[Column, Expression], ...]
    owner: Owner | None

    @property
    def columns(self) -> tuple[Column, ...]:
        """New versions of the columns of both."""
        return tuple(column for column, _ in self.items)


@dataclass(frozen=True, eq=False)
class Union:
    """All rows of several relations, duplicates kept; all public, or all owned with the same kind of unit.

    Args:
        columns: new versions; `sources[i].columns[j]` of every source goes into `columns[j]`.
    """

    sources: "tuple[Relation, ...]"
    columns: tuple[Column, ...]
    owner: Owner | None


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


@dataclass(frozen=True, eq=False)
class Group:
    """Exact aggregates. Of an owned relation the unit columns are among the keys, so they stay within each unit.

    Args:
        keys: new column and the expression it groups by; for an owned relation the unit columns are among them.
        items: new column and its aggregate; MIN and MAX are exact here, SUM adds up lattice integers.
    """

    source: "Relation"
    keys: tuple[tuple[Column, Expression], ...]
    items: tuple[tuple[Column, Aggregation], ...]
    owner: Owner | None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Keys, then aggregates."""
        return tuple(column for column, _ in (*self.keys, *self.items))


class Ranking(enum.Enum):
    """Window functions that are not aggregates."""

    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    LAG = "LAG"
    LEAD = "LEAD"


@dataclass(frozen=True, eq=False)
class Window:
    """One more column: a function of the rows of the same partition, which lies within one unit.

    Args:
        item: the new column.
        function: a ranking, or an aggregate over the partition (up to the row at hand if there is an order).
        partition: expressions; for an owned relation the unit columns are among them.
        order: (expression, descending).
        renewed: (new, old) for every column of the source.
    """

    source: "Relation"
    item: Column
    function: Ranking | Aggregation
    argument: Expression | None
    partition: tuple[Expression, ...]
    order: tuple[tuple[Expression, bool], ...]
    renewed: tuple[tuple[Column, Column], ...]
    owner: Owner | None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The source's, renewed, and the new one."""
        return (*(new for new, _ in self.renewed), self.item)


Relation: TypeAlias = Table | Released | Values | Filter | Project | Join | Union | Group | Window


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
    """A paid step that finds the bounds of an argument (`automatic_bounds.py`).

    Args:
        argument: of aggregates of the same source.
        bins: how many rows lie in each of public bins.
    """

    argument: Expression
    bins: Aggregate


@dataclass(frozen=True)
class Output:
    """What is done with released columns before they are shown: free, and computed away from the data.

    Args:
        items: the columns of the answer; every reference is to a column of `source`.
        condition: HAVING, over released columns.
        order: (expression, descending).
        distinct: SELECT DISTINCT over released rows.
    """

    items: tuple[tuple[Column, Expression], ...]
    condition: Expression | None = None
    order: tuple[tuple[Expression, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False


@dataclass(frozen=True, eq=False)
class Stage:
    """One private aggregation, or a public query, and what is made of it.

    Args:
        name: of the CTE or subquery, or "answer" for the last.
        source: an `Aggregate`, paid for; or a public relation (tables, values, earlier stages), free and exact.
        output: of the released columns.
    """

    name: str
    source: Aggregate | Relation
    output: Output


@dataclass(frozen=True)
class Statement:
    """A whole statement: stages in the order in which they are answered; the last is the answer.

    Args:
        text: as the analyst wrote it.
    """

    text: str
    stages: tuple[Stage, ...]
