"""Merging: several statements become one, in which aggregations of the same rows are one aggregation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.relations import Join, Relation, Released, Table, Union, Values
from privet.query.plan.same_relation import exchanged, matched
from privet.query.plan.statement import Aggregate, Output, Part, Stage, Statement
from privet.query.plan.where_as_filter import filters_for_wheres
from privet.query.scalars.expressions import Column


@dataclass(eq=False)
class Pool:
    """An aggregation that several statements share.

    Args:
        first: the aggregation of the statement that asked first.
        items: the aggregates of all of them, equal ones once.
    """

    first: Aggregate
    items: list[tuple[Column, Aggregation]] = field(default_factory=list)

    def takes(self, aggregate: Aggregate) -> dict[Column, Column] | None:
        """Add what an aggregation asks for, if it is about the same rows, groups and limits; else None.

        Returns:
            the released column of the pool that each released column of the aggregation is.
        """
        one = self.first
        other = aggregate
        if one.keys and _counts_units(one) != _counts_units(other):
            return None  # units are held to few groups where they are counted: that is not done to other questions
        columns = matched((one.source, one.keys, one.limits), (other.source, other.keys, other.limits))
        if columns is None:
            return None
        found = {key.column: columns[key.column] for key in aggregate.keys}
        for column, wanted in aggregate.items:
            found[column] = self._added(column, _of_columns(wanted, columns))
        return found

    def _added(self, column: Column, wanted: Aggregation) -> Column:
        for known, item in self.items:
            if item == wanted and known.facts == column.facts:
                return known
        self.items.append((column, wanted))
        return column


def merged(statements: Sequence[Statement]) -> Statement:
    """One statement with the stages of all, and what each of them takes from it.

    Privacy: each aggregation is one that a single statement could have asked for: the same rows, groups and limits,
        with more columns. So what holds for a statement holds for this one: it is checked, priced and charged as one.
    """
    wider = filters_for_wheres(
        stage.source for each in statements for stage in each.stages if isinstance(stage.source, Aggregate)
    )
    pools: list[Pool] = []
    made: list[tuple[Stage, Pool | Relation]] = []
    parts = []
    for number, statement in enumerate(statements, 1):
        names = {stage.name: f"{number}:{stage.name}" for stage in statement.stages}
        asked: list[Column] = []
        for stage in statement.stages:
            if not isinstance(stage.source, Aggregate):
                made.append((replace(stage, name=names[stage.name]), _renamed(stage.source, names)))
                continue
            source = wider.get(stage.source, stage.source)
            aggregate = replace(source, source=_renamed(source.source, names))
            pool, columns = _pooled(aggregate, pools)
            asked += [columns[column] for column, _ in aggregate.items]
            asked += [columns[key.column] for key in aggregate.keys if key.domain is None]
            made.append((replace(stage, name=names[stage.name], output=_output(stage.output, columns)), pool))
        parts.append(Part(statement.text, tuple(names.values()), tuple(dict.fromkeys(asked))))
    whole = {pool: replace(pool.first, items=tuple(pool.items)) for pool in pools}
    stages = [replace(stage, source=whole[each] if isinstance(each, Pool) else each) for stage, each in made]
    return Statement(";\n".join(each.text for each in statements), tuple(stages), tuple(parts))


def _pooled(aggregate: Aggregate, pools: list[Pool]) -> tuple[Pool, Mapping[Column, Column]]:
    for pool in pools:
        if (columns := pool.takes(aggregate)) is not None:
            return pool, columns
    pools.append(Pool(aggregate, list(aggregate.items)))
    released = (*(key.column for key in aggregate.keys), *(column for column, _ in aggregate.items))
    return pools[-1], {column: column for column in released}


def _counts_units(aggregate: Aggregate) -> bool:
    return any(item.function is Function.COUNT_UNITS for _, item in aggregate.items)


def _of_columns(wanted: Aggregation, columns: Mapping[Column, Column]) -> Aggregation:
    return wanted.changed(lambda part: exchanged(part, columns))


def _output(output: Output, columns: Mapping[Column, Column]) -> Output:
    """The same output of shared columns."""
    return output.changed(lambda each: exchanged(each, columns))


def _renamed(relation: Relation, names: Mapping[str, str]) -> Relation:
    """The same relation, where earlier stages have other names; its columns stay what they are."""
    match relation:
        case Table() | Values():
            return relation
        case Released():
            return replace(relation, stage=names[relation.stage])
        case Join():
            return replace(relation, left=_renamed(relation.left, names), right=_renamed(relation.right, names))
        case Union():
            return replace(relation, sources=tuple(_renamed(each, names) for each in relation.sources))
        case _:
            return replace(relation, source=_renamed(relation.source, names))
