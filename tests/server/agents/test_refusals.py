import pytest

from privet import errors
from privet.core.refusals import WITHHELD
from privet.server.agents.refusals import LONGEST, TO_DO, refusal_facts

RAISED = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.PrivetError) and kind is not errors.PrivetError
]


@pytest.mark.parametrize("kind", RAISED)
def test_every_error_says_what_it_cost_and_what_to_do(kind: type[errors.PrivetError]) -> None:
    told = refusal_facts(kind("a sentence of the ledger"))
    assert told["message"].startswith("a sentence of the ledger")
    assert told["error"] == kind.__name__
    assert (told["charged"], told["what_to_do"]) == TO_DO[kind]


def test_what_is_spent_is_said_to_be() -> None:
    assert refusal_facts(errors.ReleaseFailed("x"))["charged"] == "yes"
    assert refusal_facts(errors.AnalystFrozen(WITHHELD))["charged"] == "yes"
    assert refusal_facts(errors.AnalystFrozen("frozen"))["charged"] == "nothing"


def test_a_sentence_is_short_and_can_be_seen() -> None:
    told = refusal_facts(errors.QueryRefused("\x1b[2J" + "x" * 10**6))
    assert told["message"].isprintable()
    assert len(told["message"]) < LONGEST + 10
