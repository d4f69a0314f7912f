"""Searches: which arguments of a statement's aggregates have no bounds and are searched for first."""

from dataclasses import replace

from privet.query.aggregates.table import bounded_arguments
from privet.query.measures.automatic_bounds import search_for
from privet.query.plan.statement import Aggregate, Statement
from privet.query.scalars.expressions import Expression, facts_of


def searched(statement: Statement) -> Statement:
    """The statement with a search for each argument that needs bounds and has none."""
    sources = dict.fromkeys(stage.source for stage in statement.stages if isinstance(stage.source, Aggregate))
    new: dict[object, Aggregate] = {source: _searched(source) for source in sources}  # one that is shared stays so
    return replace(
        statement,
        stages=tuple(replace(stage, source=new.get(stage.source, stage.source)) for stage in statement.stages),
    )


def _searched(source: Aggregate) -> Aggregate:
    conditions: dict[Expression, set[Expression | None]] = {}
    for _, item in source.items:
        for argument in bounded_arguments(item):
            if not facts_of(argument).bounded:
                conditions.setdefault(argument, set()).add(item.condition)
    searches = [search_for(source, argument, under) for argument, under in conditions.items()]
    return replace(source, searches=tuple(searches)) if searches else source
