"""Cap needs: what finding a limit needs from the engine, and where there is nothing to find."""

from dataclasses import replace

from privet.query.aggregates.clipping_report import one_row_each
from privet.query.aggregates.needs import Draw, Needs, needs_of
from privet.query.aggregates.rule import Added
from privet.query.aggregates.table import rule_of
from privet.query.measures.automatic_caps import bins_of, largest_cap
from privet.query.measures.request import Bounded
from privet.query.plan.relations import Filter, Project, Relation, Table
from privet.query.plan.statement import Aggregate, Statement


def cap_needs(needs: Needs) -> Needs:
    """The needs of the choice of a limit, for those of an aggregation whose limit is found first."""
    request = limited_request(needs)
    counted = needs_of(bins_of(needs.aggregate, request))
    (draw,) = counted.draws
    return replace(counted, draws=(Draw(draw.measure, largest=largest_cap(needs.aggregate, request)),))


def limited_request(needs: Needs) -> Bounded:
    """What the limit is for: all measures together."""
    return replace(needs.request, measures=tuple(draw.measure for draw in needs.draws))


def settled(statement: Statement, *, row_level: bool) -> Statement:
    """The statement with limits of 1 where they would be searched for, and no unit can have more.

    Args:
        statement: with its limits.
        row_level: whether every row is a unit.
    """
    sources = dict.fromkeys(stage.source for stage in statement.stages if isinstance(stage.source, Aggregate))
    new: dict[object, Aggregate] = {source: _settled(source, row_level=row_level) for source in sources}
    return replace(
        statement,
        stages=tuple(replace(stage, source=new.get(stage.source, stage.source)) for stage in statement.stages),
    )


def _settled(aggregate: Aggregate, *, row_level: bool) -> Aggregate:
    limits = aggregate.limits
    units = all(rule_of(item).added == {Added.UNITS} for _, item in aggregate.items)
    once = one_row_each(aggregate.source) or (row_level and _is_stored(aggregate.source))
    ungrouped = not aggregate.keys and (units or not limits.of_rows)
    return replace(aggregate, limits=limits.found(1)) if limits.automatic and (once or ungrouped) else aggregate


def _is_stored(relation: Relation) -> bool:
    """Whether rows are those of one table, each once at most."""
    return isinstance(relation, Table) or (isinstance(relation, Filter | Project) and _is_stored(relation.source))
