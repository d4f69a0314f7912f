"""Explaining: from a receipt to what a reader is told of it beforehand."""

from privet.core import Unit
from privet.loss import Amount
from privet.query.backends.backend import Backend
from privet.query.measures.overflow import bounding_note, counts_rows
from privet.query.pricing.quote import Quote
from privet.query.results.advice import advice_before
from privet.query.results.answer_columns import answer_columns
from privet.query.results.column_plans import column_plans
from privet.query.results.explanation import Explanation
from privet.query.results.limit_words import clipped_in, hidden_by, holds_nobody, limits_in_force
from privet.query.results.notes import own_stages
from privet.query.results.receipt import Receipt

SAMPLED = (
    "these margins are of the noise alone; the answer's will be for the population, and wider by what samples differ"
)


def explained(receipt: Receipt, backend: Backend, *, remaining: Amount) -> Explanation:
    """Price, mechanisms and margins of a statement, before anything is spent or read.

    Args:
        receipt: of the statement.
        backend: whose SQL is shown.
        remaining: what may still be charged.
    """
    quote = receipt.quote
    unit = receipt.unit
    whose = receipt.whose
    confidence = receipt.confidence
    plans = tuple(column_plans(quote, whose=whose, confidence=confidence, tables=receipt.tables))
    return Explanation(
        statement=quote.statement.text,
        price=receipt.cost,
        remaining=remaining,
        promise=quote.options.promise,
        loss=receipt.loss,
        unit=unit,
        columns=plans,
        groups=_groups_shown(quote, unit),
        contributions=(
            *limits_in_force(quote, whose=whose, tables=receipt.tables),
            *([SAMPLED] if quote.options.population else []),
        ),
        confidence=confidence,
        queries=queries_of(quote, backend),
        clipped=clipped_in(quote),
        bounding=_bounding_of(quote, whose),
        choices=quote.choices,
        advice=advice_before(plans, whose=whose),
        answer=answer_columns(quote),
    )


def _groups_shown(quote: Quote, unit: Unit) -> tuple[str, ...]:
    found = []
    for stage in own_stages(quote).values():
        if stage.selection is not None and stage.needs.aggregate.limits.automatic:
            found.append(
                f"groups are private: how many {unit.name}s one needs to be shown follows from the limit found"
            )
        elif stage.selection is not None:
            found.append(hidden_by(stage.selection, unit=unit))
        elif stage.needs.aggregate.keys:
            found.append("every group of the public domain is shown, empty ones too")
    return tuple(dict.fromkeys(found))


def _bounding_of(quote: Quote, whose: str) -> tuple[str, ...]:
    """How rows beyond the limits are treated, each way once."""
    requests = [
        each
        for stage in own_stages(quote).values()
        for each in (stage.needs.request, *stage.needs.rankings)
        if counts_rows(each) and not holds_nobody(stage, whose)
    ]
    return tuple(dict.fromkeys(bounding_note(each, whose=whose) for each in requests))


def queries_of(quote: Quote, backend: Backend) -> tuple[str, ...]:
    """The engine's SQL for the paid stages, each once."""
    requests = [each for stage in quote.stages for each in stage.requests]
    return tuple(dict.fromkeys(map(backend.text, requests)))
