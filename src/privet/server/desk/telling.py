"""Telling: what those who ask are told when something goes wrong: our own sentences, or one of a few constant ones."""

import logging
import traceback
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from privet.errors import (
    AnswerLost,
    BudgetExceeded,
    KeyReused,
    LedgerDamaged,
    LedgerUnavailable,
    PrivetError,
    ServiceFailed,
)

P = ParamSpec("P")
T = TypeVar("T")
LOG = logging.getLogger("privet.server")
UNAVAILABLE = (
    "the ledger cannot be used just now, so nothing is answered: try again in a while; with the same key nothing is "
    "paid twice"
)
DAMAGED = "the ledger needs its owner to look at it, and nothing is answered before: tell the owner"
LOST = (
    "spent, answer lost: this was paid for, and its answer could not be kept, so it is not shown. It is not computed "
    "again; to ask anew costs anew, and takes a new key where keys are used"
)
REUSED = "this key belongs to another question: use a new key for each question"
CANCELLED = (
    "cancelled: what was charged stays charged, and its answer is not computed any more; to ask again costs anew, and "
    "takes a new key where keys are used"
)
UNFORESEEN = "this went wrong for a reason that nobody foresaw, which only the owner is told; it may have been paid for"
NO_ROOM = "this is more than remains for you: ask for less, or for a smaller ε, or ask the owner for more"


def telling(act: Callable[P, T]) -> Callable[P, T]:
    """A method that raises what may be told, and nothing else.

    Privacy: places of files, numbers of entries, which limit a spend does not fit, and what others have spent, are the
        owner's to know. The log says where in the code it went wrong, and no text of an error, which may hold anything.
        What is raised has no cause and no context, whose frames might hold more.
    """

    @wraps(act)
    def telling_act(*given: P.args, **named: P.kwargs) -> T:
        try:
            return act(*given, **named)
        except Exception as problem:  # noqa: BLE001 - an interrupt passes
            found = told(problem)
        try:
            raise found
        finally:
            del found  # its own frame would keep it alive

    return telling_act


def told(problem: Exception) -> Exception:
    """What is raised in the place of an error; itself, if it may be told."""
    if isinstance(problem, BudgetExceeded):
        return BudgetExceeded(problem.told or NO_ROOM)
    if isinstance(problem, AnswerLost):
        return AnswerLost(LOST)
    if isinstance(problem, KeyReused):
        return KeyReused(REUSED)
    if isinstance(problem, LedgerDamaged | LedgerUnavailable):
        LOG.error("the ledger: %s", problem)
        return LedgerUnavailable(DAMAGED if isinstance(problem, LedgerDamaged) else UNAVAILABLE)
    if isinstance(problem, PrivetError):
        problem.__cause__ = problem.__context__ = None
        return problem.with_traceback(None)
    frames = traceback.extract_tb(problem.__traceback__)[-6:]
    where = ", ".join(f"{each.filename.rpartition('privet/')[2]}:{each.lineno}" for each in frames)
    LOG.error("unforeseen: %s at %s", type(problem).__name__, where)
    return ServiceFailed(UNFORESEEN)
