"""Outside bounds: a relation once more, with a column that says of each row whether a value was clipped as it was read.

Tables clip as they read, so no expression of a statement sees what lay outside. `Table.outside` tells it, row by row,
and every node above carries it along: a row of a join says it of both its parts, a group within a unit of any of its
rows. Each such column is a function of the unit's own rows, like any other column, so the relation is owned as before.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, assert_never

from privet.query.functions import call
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.bounds_in_force import Clip
from privet.query.plan.relations import (
    Few,
    Filter,
    Group,
    Join,
    Owner,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Values,
    Window,
)
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type

Told: TypeAlias = tuple[tuple[str, Column], ...]  # what was clipped, and the column that says where
TRUTH = Facts(Type.BOOLEAN, nullable=True, values=(False, True))


def with_outside(relation: Relation, clips: Sequence[Clip]) -> tuple[Relation, dict[str, Expression]]:
    """The relation with columns that tell of clipped values, and of each clip when it is true; NULL of no value.

    Args:
        relation: owned.
        clips: of columns of its tables.
    """
    carried, told = _Carrier({clip.column: str(clip) for clip in clips if clip.column is not None}).of(relation)
    return carried, {name: _any(name, told) for name in dict.fromkeys(name for name, _ in told)}


def _any(name: str, told: Told) -> Expression:
    """Whether one of the values of a row was clipped that have this name."""
    first, *more = [Reference(column) for other, column in told if other == name]
    found: Expression = first
    for each in more:
        found = call("or", found, each)
    return found


def _new(told: Told) -> tuple[tuple[Column, Column], ...]:
    """New versions of columns that tell, each with the old one."""
    return tuple((Column(old.name, old.facts), old) for _, old in told)


class _Carrier:
    """Makes every node once more; one that occurs twice stays one."""

    def __init__(self, wanted: dict[Column, str]) -> None:
        self._wanted = wanted
        self._made: dict[int, tuple[Relation, Told]] = {}

    def of(self, relation: Relation) -> tuple[Relation, Told]:
        if id(relation) not in self._made:
            self._made[id(relation)] = self._carried(relation)
        return self._made[id(relation)]

    def _carried(self, relation: Relation) -> tuple[Relation, Told]:  # noqa: PLR0911 - one return for each node
        match relation:
            case Table():
                return self._table(relation)
            case Released() | Values():
                return relation, ()
            case Join():
                return self._join(relation)
            case Union():
                return self._union(relation)
            case Few():
                source, told = self.of(relation.source)
                return (replace(relation, source=source), told) if told else (relation, ())
            case Filter() | Window() | Project() | Group():
                source, told = self.of(relation.source)
                if not told:
                    return relation, ()
                pairs = _new(told)
                now = tuple((name, new) for (name, _), (new, _) in zip(told, pairs, strict=True))
                if isinstance(relation, Filter | Window):
                    return replace(relation, source=source, renewed=(*relation.renewed, *pairs)), now
                if isinstance(relation, Project):
                    more = tuple((new, Reference(old)) for new, old in pairs)
                    return replace(relation, source=source, items=(*relation.items, *more)), now
                anywhere = tuple((new, Aggregation(Function.ANY, Reference(old))) for new, old in pairs)
                return replace(relation, source=source, items=(*relation.items, *anywhere)), now
            case _:
                assert_never(relation)

    def _table(self, table: Table) -> tuple[Relation, Told]:
        clipped = [column for column in table.columns if column in self._wanted]
        if not clipped:
            return table, ()
        told = tuple((self._wanted[column], Column(f"{column.name}_outside", TRUTH)) for column in clipped)
        outside = tuple((new, old) for (_, new), old in zip(told, clipped, strict=True))
        return replace(table, columns=(*table.columns, *(new for new, _ in outside)), outside=outside), told

    def _join(self, join: Join) -> tuple[Relation, Told]:
        left, one = self.of(join.left)
        right, other = self.of(join.right)
        told = (*one, *other)
        if not told:
            return join, ()
        pairs = _new(told)
        more = tuple((new, Reference(old)) for new, old in pairs)
        now = tuple((name, new) for (name, _), (new, _) in zip(told, pairs, strict=True))
        return replace(join, left=left, right=right, items=(*join.items, *more)), now

    def _union(self, union: Union) -> tuple[Relation, Told]:
        """Every part tells of the same clips in the same order; of one that it does not have, NULL."""
        parts = [(self.of(source), source) for source in union.sources]
        names = tuple(dict.fromkeys(name for (_, told), _ in parts for name, _ in told))
        if not names:
            return union, ()
        now = tuple((name, Column(name, TRUTH)) for name in names)
        sources = tuple(_aligned(carried, told, source, names) for (carried, told), source in parts)
        return replace(union, sources=sources, columns=(*union.columns, *(column for _, column in now))), now


def _aligned(carried: Relation, told: Told, before: Relation, names: Sequence[str]) -> Project:
    """A part of a union with the columns that it had, and one for each clip."""
    new = {old: Column(old.name, old.facts) for old in before.columns}
    known = {name for name, _ in told}
    flags = [_any(name, told) if name in known else Literal(None, Type.BOOLEAN) for name in names]
    items: list[tuple[Column, Expression]] = [(column, Reference(old)) for old, column in new.items()]
    items += [(Column(name, TRUTH), flag) for name, flag in zip(names, flags, strict=True)]
    owner = before.owner
    unit = None if owner is None else Owner(tuple(new[column] for column in owner.unit), owner.limits)
    return Project(carried, tuple(items), unit)
