"""Explanations as JSON that loses nothing, so that one from afar is shown as one from here."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from privet.core import Unit
from privet.core.journals.terms import promise_facts, promise_of
from privet.loss import PrivacyLoss
from privet.mechanisms.chosen_way import ChosenWay
from privet.query.pricing.cut_off import CutOff
from privet.query.results.answer import amount_facts, amount_of
from privet.query.results.answer_columns import AnswerColumn
from privet.query.results.column_plans import ColumnPlan
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.query.scalars.facts import Type


def explanation_to_json(told: Explanation | Explanations) -> str:
    """Everything, as `explanation_from_json` reads it."""
    return json.dumps(_facts(told), ensure_ascii=False, allow_nan=False)


def explanation_from_json(text: str) -> Explanation | Explanations:
    """What `explanation_to_json` wrote."""
    facts = json.loads(text)
    return _of_batch(facts) if "explanations" in facts else _of_one(facts)


def _facts(told: Explanation | Explanations) -> dict[str, Any]:
    shared = {
        "price": amount_facts(told.price),
        "remaining": amount_facts(told.remaining),
        "promise": promise_facts(told.promise),
        "loss": json.loads(told.loss.to_json()),
        "unit": {"name": told.unit.name, "neighbors": told.unit.neighbors.name.lower()},
        "queries": told.queries,
    }
    if isinstance(told, Explanations):
        return {**shared, "names": told.names, "explanations": [_facts(each) for each in told]}
    return {
        **shared,
        "statement": told.statement,
        "columns": [{**_plain(each), "cut": None if each.cut is None else _plain(each.cut)} for each in told.columns],
        "groups": told.groups,
        "contributions": told.contributions,
        "confidence": told.confidence,
        "clipped": told.clipped,
        "bounding": told.bounding,
        "choices": [_plain(each) for each in told.choices],
        "advice": told.advice,
        "answer": [{"name": each.name, "type": each.type.value, "interval": each.interval} for each in told.answer],
    }


def _plain(record: ColumnPlan | CutOff | ChosenWay) -> dict[str, Any]:
    """The fields of a record; numbers that JSON has not are texts."""
    return {each.name: _number(getattr(record, each.name)) for each in fields(record)}


def _number(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    return {name: _number(each) for name, each in value.items()} if isinstance(value, Mapping) else value


def _restored(value: Any) -> Any:  # noqa: ANN401 - the same
    if not isinstance(value, dict):
        return value
    return float(value["number"]) if value.keys() == {"number"} else {k: _restored(each) for k, each in value.items()}


def _shared(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "price": amount_of(facts["price"]),
        "remaining": amount_of(facts["remaining"]),
        "promise": promise_of(facts["promise"]),
        "loss": PrivacyLoss.from_json(json.dumps(facts["loss"])),
        "unit": Unit(**facts["unit"]),
        "queries": tuple(facts["queries"]),
    }


def _of_batch(facts: Mapping[str, Any]) -> Explanations:
    return Explanations(tuple(map(_of_one, facts["explanations"])), tuple(facts["names"]), **_shared(facts))


def _of_one(facts: Mapping[str, Any]) -> Explanation:
    return Explanation(
        **_shared(facts),
        statement=facts["statement"],
        columns=tuple(map(_plan, facts["columns"])),
        groups=tuple(facts["groups"]),
        contributions=tuple(facts["contributions"]),
        confidence=facts["confidence"],
        clipped={name: (low, high) for name, (low, high) in facts["clipped"].items()},
        bounding=tuple(facts["bounding"]),
        choices=tuple(ChosenWay(**_restored(each)) for each in facts["choices"]),
        advice=tuple(facts["advice"]),
        answer=tuple(AnswerColumn(each["name"], Type(each["type"]), each["interval"]) for each in facts["answer"]),
    )


def _plan(facts: Mapping[str, Any]) -> ColumnPlan:
    cut = facts["cut"]
    return ColumnPlan(**{**_restored(dict(facts)), "cut": None if cut is None else CutOff(**_restored(cut))})
