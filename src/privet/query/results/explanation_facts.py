"""explanation_facts: an explanation for programs, as JSON can hold it."""

from dataclasses import asdict
from typing import Any

from privet.query.results.answer import amount_facts
from privet.query.results.column_plans import ColumnPlan
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations


def explanation_facts(told: Explanation) -> dict[str, Any]:
    """Price, columns and rules of one statement; numbers are None where nothing public tells them."""
    return {
        "statement": told.statement,
        "price": amount_facts(told.price),
        "remaining": amount_facts(told.remaining),
        "affordable": told.affordable,
        "meaning": told.meaning if told.loss.parts else None,
        "unit": {"name": told.unit.name, "neighbors": told.unit.neighbors.name.lower()},
        "confidence": told.confidence,
        "columns": [_column(each) for each in told.columns],
        "advice": told.advice,
        "clipped": told.clipped,
        "limits": told.contributions,
        "groups": told.groups,
        "choices": [asdict(each) for each in told.choices],
        "queries": told.queries,
    }


def batch_facts(told: Explanations) -> dict[str, Any]:
    """The price of several statements, and the facts of each."""
    return {
        "price": amount_facts(told.price),
        "remaining": amount_facts(told.remaining),
        "affordable": told.affordable,
        "statements": [explanation_facts(each) for each in told],
    }


def _column(plan: ColumnPlan) -> dict[str, Any]:
    cut = plan.cut
    return {
        "name": plan.name,
        "margin": plan.margin or None,
        "noise": plan.noise,
        "cut_by_limits": None if cut is None else cut.by_limits,
        "cut_by_bounds": None if cut is None else cut.by_bounds,
        "at_most": cut is not None and cut.most,
        "in_all": plan.total,
        "mostly": plan.mostly or None,
        "better_rows_per_unit": None if cut is None else cut.rows_per_unit,
        "better_upper_bound": None if cut is None else cut.upper,
        "in_all_then": None if cut is None else cut.then,
        "mechanism": plan.mechanism,
        "note": plan.note,
        "remark": plan.remark,
    }
