"""WHERE as FILTER: counts of rows under different WHEREs are counts of the same rows under different conditions."""

from collections.abc import Iterable
from dataclasses import replace

from privet.query.functions import call
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.relations import Filter, Relation, mentioned
from privet.query.plan.same_relation import exchanged, matched
from privet.query.plan.statement import Aggregate
from privet.query.scalars.expressions import Expression

COUNTS = {Function.COUNT_ROWS, Function.COUNT}


def filters_for_wheres(aggregates: Iterable[Aggregate]) -> dict[Aggregate, Aggregate]:
    """What is asked instead of those aggregations of which there are several, of the same rows but for their WHERE.

    Privacy: each is an aggregation that a statement could have asked for.
    Not covered: of a unit with more rows than the one that counts, each row is weighed down by all that any of the
        statements is about, as in one statement with FILTERs, and not by those that its own WHERE leaves.
    """
    classes: list[list[tuple[Aggregate, Aggregate]]] = []
    for aggregate in aggregates:
        wide = _without_where(aggregate)
        if wide is None:
            continue
        for known in classes:
            one = known[0][1]
            if matched((one.source, one.limits), (wide.source, wide.limits)) is not None:
                known.append((aggregate, wide))
                break
        else:
            classes.append([(aggregate, wide)])
    return {
        aggregate: wide for known in classes if len(known) > 1 for aggregate, wide in known if aggregate is not wide
    }


def _without_where(aggregate: Aggregate) -> Aggregate | None:
    """The same counts of all rows, each under its condition; None where that might be something else.

    Where more than one row of a unit counts, a unit with many might have all of its own in each statement.
    """
    counts = all(item.function in COUNTS for _, item in aggregate.items)
    if aggregate.keys or aggregate.searches or aggregate.limits.automatic or aggregate.limits.rows > 1 or not counts:
        return None
    source: Relation = aggregate.source
    items = aggregate.items
    while isinstance(source, Filter):
        items = tuple((column, _under(item, source)) for column, item in items)
        source = source.source
    if mentioned(source):  # what other statements released is something else under the same name
        return None
    return aggregate if source is aggregate.source else replace(aggregate, source=source, items=items)


def _under(item: Aggregation, where: Filter) -> Aggregation:
    """A count of the rows that a filter leaves, as one of those before it."""
    before = dict(where.renewed)
    moved = item.changed(lambda part: exchanged(part, before))
    return replace(moved, condition=_and(where.condition, moved.condition))


def _and(one: Expression, other: Expression | None) -> Expression:
    return one if other is None else call("and", one, other)
