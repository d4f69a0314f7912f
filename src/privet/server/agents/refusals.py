"""refusal_facts: what an agent is told when it gets no answer: whether it was charged, and what to do next."""

from typing import Any

from privet.core.refusals import WITHHELD
from privet.errors import (
    AnalystFrozen,
    AnswerLost,
    ApprovalNeeded,
    BudgetExceeded,
    Busy,
    Cancelled,
    EntropyError,
    InvalidParameter,
    KeyReused,
    LedgerDamaged,
    LedgerUnavailable,
    NotAllowed,
    PrivetError,
    QueryRefused,
    ReleaseFailed,
    ServiceFailed,
    SignInNeeded,
)
from privet.wording.printable import printable

STOP = "Stop asking, and tell the owner of the data."
LONGEST = 2_000  # letters of a sentence: it may quote what was asked
TO_DO: dict[type[PrivetError], tuple[str, str]] = {  # what it cost, and what to do
    InvalidParameter: ("nothing", "Change what the message names, and call again."),
    QueryRefused: ("nothing", "Write the statement as the message says, and call again."),
    BudgetExceeded: ("nothing", "Ask for less: see budget, then price with a smaller epsilon or a larger error."),
    AnalystFrozen: ("nothing", STOP),
    ReleaseFailed: ("yes", "Do not ask it again unless it is worth its price once more: why it failed is not told."),
    AnswerLost: ("nothing", "It was paid for before and its answer is gone: asking it anew costs its price again."),
    KeyReused: ("nothing", "Change what the message names, and call again."),
    LedgerUnavailable: ("perhaps", "Wait, then call again with the same arguments: what is stored comes back free."),
    LedgerDamaged: ("nothing", STOP),
    EntropyError: ("perhaps", STOP),
    SignInNeeded: ("nothing", "Ask whoever set you up for a token that is good."),
    NotAllowed: ("nothing", "Do without it: this account or token may not do it."),
    ApprovalNeeded: ("nothing", "Ask something that costs less, or tell the owner what it is for."),
    Cancelled: ("perhaps", "Ask it again only if it is worth its price: what was charged stays charged."),
    Busy: ("nothing", "Wait a few seconds, then call again with the same arguments."),
    ServiceFailed: ("perhaps", STOP),
}


def refusal_facts(problem: Exception) -> dict[str, Any]:
    """Privet's own sentence and what follows from it.

    Args:
        problem: as the desk tells it: never what an engine or a library says.
    """
    charged, todo = next((told for kind, told in TO_DO.items() if isinstance(problem, kind)), ("nothing", STOP))
    if isinstance(problem, AnalystFrozen) and str(problem) == WITHHELD:
        charged = "yes"
    return {
        "status": "refused",
        "charged": charged,
        "error": type(problem).__name__,
        "message": printable(str(problem)[:LONGEST]),
        "what_to_do": todo,
    }
