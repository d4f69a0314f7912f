"""Parts: one statement of several that were planned together, as if it stood alone."""

from collections.abc import Container
from dataclasses import replace

from privet.loss import PrivacyLoss
from privet.loss.privacy_loss import sum_of
from privet.query.aggregates.table import bounded_arguments
from privet.query.plan.statement import Part, Statement
from privet.query.pricing.priced import PricedStage
from privet.query.pricing.quote import Quote
from privet.query.scalars.expressions import Column


def parts_of(quote: Quote) -> tuple[Quote, ...]:
    """The plan of each statement: its stages, with the mechanisms that the joint plan has for them.

    The loss of each is that of the draws it is read off. What two share is in both, so that their losses may add up to
    more than the joint one, and never to less.
    """
    return tuple(_part_of(quote, part) for part in quote.statement.parts) or (quote,)


def _part_of(quote: Quote, part: Part) -> Quote:
    kept = tuple(stage for stage in quote.statement.stages if stage.name in part.stages)
    whole = {stage.name: quote.by_name[stage.name] for stage in kept if stage.name in quote.by_name}
    stages = {name: restricted(stage, part.columns) for name, stage in whole.items()}
    searches = {
        search: quote.searches[search] for stage in stages.values() for search in stage.needs.aggregate.searches
    }
    caps = {name: quote.caps[name] for name in stages if name in quote.caps}
    once = {id(whole[name]): stage for name, stage in stages.items()}
    bounds = [stage for search in searches.values() for stage in search.stages]
    first = [*bounds, *{id(stage): stage for stage in caps.values()}.values()]
    losses = [*(_loss(stage) for stage in once.values()), *(stage.loss for stage in first)]
    paid = (*first, *once.values())
    statement = Statement(part.text, kept)
    return Quote(quote.options, paid, sum_of(losses), statement, stages, searches, caps, choices=quote.choices)


def restricted(stage: PricedStage, columns: Container[Column]) -> PricedStage:
    """The stage with these released columns only; its draws and mechanisms stay, because others are read off them."""
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
    read = replace(stage, mechanisms=tuple(stage.mechanisms[draw] for draw in draws))
    return read.loss
