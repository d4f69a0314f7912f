"""Explaining: from a receipt to what a reader is told of it beforehand."""

from privet.loss import Amount
from privet.query.backends.backend import Backend
from privet.query.pricing.quote import Quote
from privet.query.results.explanation import Explanation, explain_plan
from privet.query.results.receipt import Receipt


def explained(receipt: Receipt, backend: Backend, *, whose: str, remaining: Amount) -> Explanation:
    """Price, mechanisms and margins of a statement, before anything is spent or read.

    Args:
        receipt: of the statement.
        backend: whose SQL is shown.
        whose: the word for those whose data is held to limits, such as "person".
        remaining: what may still be charged.
    """
    quote = receipt.quote
    unit = receipt.unit
    confidence = receipt.confidence
    columns, groups, contributions = explain_plan(quote, unit=unit, whose=whose, confidence=confidence)
    return Explanation(
        statement=quote.statement.text,
        price=receipt.cost,
        remaining=remaining,
        promise=quote.options.promise,
        loss=receipt.loss,
        unit=unit,
        columns=tuple(columns),
        groups=tuple(groups),
        contributions=tuple(contributions),
        confidence=confidence,
        queries=queries_of(quote, backend),
    )


def queries_of(quote: Quote, backend: Backend) -> tuple[str, ...]:
    """The engine's SQL for the paid stages, each once."""
    requests = [each for stage in quote.stages for each in (stage.needs.request, *stage.needs.rankings)]
    return tuple(dict.fromkeys(map(backend.text, requests)))
