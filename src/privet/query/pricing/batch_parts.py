"""Parts: one statement of several that were planned together, as if it stood alone."""

from collections.abc import Container
from dataclasses import replace

from privet.loss import PrivacyLoss
from privet.loss.privacy_loss import sum_of
from privet.query.aggregates.table import bounded_arguments
from privet.query.plan.statement import Part, Statement
from privet.query.pricing.priced import Priced, PricedStage
from privet.query.pricing.quote import Planned
from privet.query.scalars.expressions import Column


def parts_of(plan: Planned) -> tuple[Planned, ...]:
    """The plan of each statement: its stages, with the mechanisms that the joint plan has for them.

    The loss of each is that of the draws it is read off. What two share is in both, so that their losses may add up to
    more than the joint one, and never to less.
    """
    return tuple(_part_of(plan, part) for part in plan.statement.parts) or (plan,)


def _part_of(plan: Planned, part: Part) -> Planned:
    kept = tuple(stage for stage in plan.statement.stages if stage.name in part.stages)
    whole = {stage.name: plan.stages[stage.name] for stage in kept if stage.name in plan.stages}
    stages = {name: restricted(stage, part.columns) for name, stage in whole.items()}
    searches = {search: plan.searches[search] for stage in stages.values() for search in stage.needs.aggregate.searches}
    once = {id(whole[name]): stage for name, stage in stages.items()}
    losses = [*(_loss(stage) for stage in once.values()), *(stage.loss for stage in searches.values())]
    priced = Priced(plan.priced.asked, (*searches.values(), *once.values()), sum_of(losses))
    return Planned(Statement(part.text, kept), priced, stages, searches)


def restricted(stage: PricedStage, columns: Container[Column]) -> PricedStage:
    """The stage with these released columns only; its draws and mechanisms stay, for others are read off them."""
    aggregate = stage.needs.aggregate
    items = tuple((column, item) for column, item in aggregate.items if column in columns)
    bounded = [argument for _, item in items for argument in bounded_arguments(item)]
    searches = tuple(search for search in aggregate.searches if search.argument in bounded)
    needs = replace(
        stage.needs,
        aggregate=replace(aggregate, items=items, searches=searches),
        readings=tuple(each for each in stage.needs.readings if each.column in columns),
    )
    return replace(stage, needs=needs)


def _loss(stage: PricedStage) -> PrivacyLoss:
    """Of what is read, and the selection of groups."""
    draws = sorted({reading.draw for reading in stage.needs.readings})
    chosen = [] if stage.selection is None else [stage.selection.loss]
    return sum_of([*chosen, *(stage.mechanisms[draw].loss for draw in draws)])
