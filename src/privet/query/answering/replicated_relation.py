"""Replicated relations: a public query over released tables, run once for all replicates of these tables.

Every row of a replicated table carries the number of its replicate: rows are joined, grouped and seen through windows
within one replicate. Tables that no noise is in are the same in all of them.
"""

from dataclasses import dataclass, field, replace

from privet.errors import InvalidParameter
from privet.query.functions import call
from privet.query.plan.relations import (
    Filter,
    Group,
    Join,
    JoinKind,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Values,
    Window,
)
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.scalars.facts import Facts, Type

Made = tuple[Relation, Column | None]  # None: no noise is in it
WHOLE = Facts(Type.INTEGER, nullable=True)


class NotSimulatedError(InvalidParameter):
    """Why a query over released tables cannot be simulated."""


@dataclass
class Replicator:
    """Makes a relation one of replicated tables.

    Args:
        noisy: the earlier stages that noise is in; a replicated table of one has the replicate as its last column.
        public: tables of the catalog that are read, by the name they have here.
    """

    noisy: frozenset[str]
    public: dict[str, Relation] = field(default_factory=dict)

    def of(self, relation: Relation) -> Made:
        """The relation, and the column that holds the replicate."""
        match relation:
            case Released() | Values() | Table():
                return self._leaf(relation)
            case Filter() | Project() | Group() | Window():
                source, replicate = self.of(relation.source)
                if replicate is None:
                    return replace(relation, source=source), None
                return _over(relation, source, replicate)
            case Join():
                return self._join(relation)
            case Union():
                return self._union(relation)
        raise NotSimulatedError("it is computed in a way that is not simulated")

    def _leaf(self, relation: Released | Values | Table) -> Made:
        if isinstance(relation, Table):
            name = f"public table {len(self.public) + 1}"
            self.public[name] = relation
            return Released(name, relation.columns), None
        if isinstance(relation, Values) or relation.stage not in self.noisy:
            return relation, None
        replicate = Column("replicate", WHOLE)
        return Released(relation.stage, (*relation.columns, replicate)), replicate

    def _join(self, relation: Join) -> Made:
        (left, one), (right, other) = self.of(relation.left), self.of(relation.right)
        made = replace(relation, left=left, right=right)
        if one is None and other is None:
            return made, None
        kept = {JoinKind.LEFT: (one,), JoinKind.FULL: (one, other)}.get(relation.kind, ())
        if None in kept:
            raise NotSimulatedError("public rows without a partner are kept; write an inner join")
        replicate = Column("replicate", WHOLE)
        both = [Reference(each) for each in (one, other) if each is not None]
        number: Expression = call("coalesce", *both) if relation.kind is JoinKind.FULL else both[0]
        items = (*relation.items, (replicate, number))
        if len(both) == 1:
            return replace(made, items=items), replicate
        same = call("eq", *both)
        condition = same if relation.condition is None else call("and", relation.condition, same)
        kind = JoinKind.INNER if relation.kind is JoinKind.CROSS else relation.kind
        return replace(made, items=items, condition=condition, kind=kind), replicate

    def _union(self, relation: Union) -> Made:
        made = [self.of(source) for source in relation.sources]
        if all(replicate is None for _, replicate in made):
            return replace(relation, sources=tuple(source for source, _ in made)), None
        if any(replicate is None for _, replicate in made):
            raise NotSimulatedError("UNION puts public rows among released ones")
        parts = []
        for before, (source, replicate) in zip(relation.sources, made, strict=True):
            shown = [each for each in source.columns if each is not replicate][: len(before.columns)]
            last = [*shown, replicate]
            parts.append(
                Project(source, tuple((Column(each.name, each.facts), Reference(each)) for each in last if each), None)
            )
        replicate = Column("replicate", WHOLE)
        return replace(relation, sources=tuple(parts), columns=(*relation.columns, replicate)), replicate


def _over(relation: Filter | Project | Group | Window, source: Relation, old: Column) -> Made:
    """A node of one source, within each replicate."""
    new = Column("replicate", WHOLE)
    pair = (new, Reference(old))
    match relation:
        case Filter():
            return replace(relation, source=source, renewed=(*relation.renewed, (new, old))), new
        case Project():
            return replace(relation, source=source, items=(*relation.items, pair)), new
        case Group():
            return replace(relation, source=source, keys=(*relation.keys, pair)), new
        case Window():
            partition = (*relation.partition, Reference(old))
            return replace(relation, source=source, partition=partition, renewed=(*relation.renewed, (new, old))), new


def unfiltered(relation: Relation) -> Relation:
    """The relation without the conditions that only decide which of its rows are shown: that is taken as given."""
    if isinstance(relation, Filter):
        items: tuple[tuple[Column, Expression], ...] = tuple((new, Reference(old)) for new, old in relation.renewed)
        return Project(unfiltered(relation.source), items, None)
    if isinstance(relation, Project):
        return replace(relation, source=unfiltered(relation.source))
    return relation
