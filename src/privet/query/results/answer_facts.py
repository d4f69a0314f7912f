"""answer_facts: an answer for programs, as plain JSON: its rows, and beside them what a reader must know."""

from typing import Any

from privet.loss import Amount
from privet.loss.exact import readable
from privet.query.results.answer import Answer
from privet.query.results.answers import Answers


def answer_facts(answer: Answer) -> dict[str, Any]:
    """The rows of one answer, and what is known of them."""
    return {
        "rows": [{name: plain_value(value) for name, value in row.items()} for row in answer.rows],
        "spent": amount_words(answer.spent),
        "unit": answer.unit.name,
        "neighbors": answer.unit.neighbors.name.lower(),
        "purpose": answer.purpose,
        "confidence": answer.confidence,
        "hidden": answer.hidden,
        "notes": answer.notes,
        "bounds": answer.bounds,
        "rank_margins": answer.rank_margins,
        "clipped": answer.clipped,
        "limits": answer.limits,
        "stand_ins": answer.stand_ins,
        "clipping": answer.clipping,
        "at_bounds": answer.at_bounds,
        "advice": answer.advice,
    }


def answers_facts(answers: Answers) -> dict[str, Any]:
    """The answers of a batch, and what all of them cost."""
    return {
        "answers": [answer_facts(each) for each in answers],
        "spent": amount_words(answers.spent),
        "unit": answers.unit.name,
        "alone": amount_words(answers.alone),
    }


def amount_words(amount: Amount) -> dict[str, str]:
    """An amount by its units, as people write numbers."""
    return dict(zip(amount.units, map(readable, amount.parts), strict=True))


def plain_value(value: Any) -> Any:  # noqa: ANN401 - whatever a table holds
    """A value of a table as JSON has it: what is no number there is null, times are texts."""
    if isinstance(value, float) and value - value != 0:  # NaN and the infinities are no JSON
        return None
    return value.isoformat() if hasattr(value, "isoformat") else value
