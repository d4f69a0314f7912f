"""Relations: where rows come from, as typed nodes.

A relation is public, or owned: each of its rows then belongs to one unit and was made from that unit's own rows and
public tables only. That is the invariant on which every guarantee of a query rests (docs/proofs/queries.md):

    relation(data) is the disjoint union, over the units u, of relation(rows of u)

Each node below keeps it, or cannot be built. So no node needs to know how far it spreads one unit's rows: however many
they became, `plan.Aggregate` bounds what a unit contributes at the very end, inside the engine.

Relation
├── Table        a table of the catalog
├── Released     a table of answers that were paid for by an earlier stage: public
├── Values       literal rows: public
├── Filter       the rows that satisfy a condition
├── Project      new columns computed from each row
├── Join         pairs of rows; of two owned relations only pairs of the same unit
├── Union        all rows of several relations
├── Group        exact aggregates: of a public relation, or within each unit of an owned one
├── Window       exact window functions: of a public relation, or within each unit of an owned one
└── Few          some of each unit's rows, where it has many, before they multiply
"""

import enum
from dataclasses import dataclass
from typing import TypeAlias

from privet.query.plan.aggregation import Aggregation
from privet.query.plan.limits import Limits
from privet.query.plan.window_frame import Frame
from privet.query.scalars.expressions import Column, Expression
from privet.query.scalars.facts import Value


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
        outside: columns beside them that say where a value was clipped as it was read, each with the one it is about.
    """

    name: str
    columns: tuple[Column, ...]
    owner: Owner | None
    outside: tuple[tuple[Column, Column], ...] = ()


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
    DENSE_RANK = "DENSE_RANK"
    NTILE = "NTILE"
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
        number: of LAG and LEAD, how many rows away; of NTILE, into how many parts.
        frame: of an aggregate with an order: which rows, if it is not all up to those that are equal in it.
    """

    source: "Relation"
    item: Column
    function: Ranking | Aggregation
    argument: Expression | None
    partition: tuple[Expression, ...]
    order: tuple[tuple[Expression, bool], ...]
    renewed: tuple[tuple[Column, Column], ...]
    owner: Owner | None
    number: int = 1
    frame: Frame | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The source's, renewed, and the new one."""
        return (*(new for new, _ in self.renewed), self.item)


@dataclass(frozen=True, eq=False)
class Few:
    """At most so many rows of each unit, before they multiply in a join. Its columns are the source's.

    Args:
        rows: of each unit; those beyond are left out, chosen by what is in them.
    """

    source: "Relation"
    rows: int
    owner: Owner | None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The source's."""
        return self.source.columns


Relation: TypeAlias = Table | Released | Values | Filter | Project | Join | Union | Group | Window | Few


def sources(relation: Relation) -> tuple[Relation, ...]:
    """The relations that one is made of."""
    if isinstance(relation, Table | Released | Values):
        return ()
    if isinstance(relation, Join):
        return (relation.left, relation.right)
    return relation.sources if isinstance(relation, Union) else (relation.source,)


def mentioned(relation: Relation) -> set[str]:
    """The earlier stages that a relation reads."""
    if isinstance(relation, Released):
        return {relation.stage}
    return set().union(*map(mentioned, sources(relation)))
