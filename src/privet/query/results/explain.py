"""Explaining: from a receipt to what a reader is told of it beforehand."""

from privet.loss import Amount
from privet.query.backends.backend import Backend
from privet.query.pricing.quote import Planned
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
    plan, unit, confidence = receipt.plan, receipt.unit, receipt.confidence
    columns, groups, contributions = explain_plan(plan, unit=unit, whose=whose, confidence=confidence)
    return Explanation(
        statement=plan.statement.text,
        price=receipt.cost,
        remaining=remaining,
        promise=plan.priced.asked.promise,
        loss=receipt.loss,
        unit=unit,
        columns=tuple(columns),
        groups=tuple(groups),
        contributions=tuple(contributions),
        confidence=confidence,
        queries=queries_of(plan, backend),
    )


def queries_of(plan: Planned, backend: Backend) -> tuple[str, ...]:
    """The engine's SQL for the paid stages, each once."""
    requests = [each for stage in plan.priced.stages for each in (stage.needs.request, *stage.needs.rankings)]
    return tuple(dict.fromkeys(map(backend.text, requests)))
