"""price_facts: what a question would cost and how good its answer would be, as an agent reads it."""

from typing import Any

from privet.loss import Amount
from privet.loss.exact import readable
from privet.query.results.column_plans import ColumnPlan
from privet.query.results.explanation import FREE, UNKNOWN, Explanation


def price_facts(told: Explanation) -> dict[str, Any]:
    """Price, margins and rules; no query of the engine, which is the owner's business.

    Args:
        told: of one statement.
    """
    if not told.loss.parts:
        return {"price": None, "affordable": True, "meaning": FREE, "columns": [], "rules": []}
    return {
        "price": amount_said(told.price),
        "remaining": amount_said(told.remaining),
        "affordable": told.affordable,
        "meaning": told.meaning,
        "confidence": told.confidence,
        "columns": [_column(each) for each in told.columns],
        "rules": list(told.rules),
    }


def amount_said(amount: Amount) -> dict[str, Any]:
    """An amount in words, and each of its parts as a text that can be handed back."""
    parts = {unit: readable(part) for unit, part in zip(amount.units, amount.parts, strict=True)}
    return {"said": repr(amount), **parts}


def _column(plan: ColumnPlan) -> dict[str, Any]:
    said = {"name": plan.name, "expected_margin": plan.margin or UNKNOWN}
    more = {"cut_off_by_limits_and_bounds": plan.cut_words if plan.cut is not None else "", "remark": plan.remark}
    return {**said, **{word: text for word, text in more.items() if text}}
