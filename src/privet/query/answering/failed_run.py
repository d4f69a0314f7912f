"""Failures: what is said, and what it cost, when an answer cannot be computed or was cancelled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from privet.core import Reservation
from privet.core.refusals import WITHHELD
from privet.core.silence import Failure, silently
from privet.errors import (
    AnalystFrozen,
    AnswerLost,
    BudgetExceeded,
    EntropyError,
    InvalidParameter,
    KeyReused,
    LedgerDamaged,
    LedgerUnavailable,
    PrivetError,
    ReleaseFailed,
)

T = TypeVar("T")
OF_THE_LEDGER = (AnalystFrozen, AnswerLost, BudgetExceeded, EntropyError, KeyReused, LedgerDamaged, LedgerUnavailable)

CANCELLED = (
    "cancelled: the engine has stopped, what was charged stays charged, and this session can go on. To ask again costs "
    "anew, and takes a new key where keys are used"
)
UNREAD = (
    "the public tables of this statement could not be read, and nothing was charged: see whether their files are still "
    "there and whole, and connect again"
)


def paid_for(run: Callable[[], T], reservation: Reservation) -> T:
    """After the charge one error stands for whatever goes wrong, and Ctrl-C says what it cost.

    Privacy: the words of an engine may hold values, and which error it was may depend on them. So may the frames of a
        statement, which hold exact sums: what is raised has none of them, see `silently`. The ledger's own refusals
        pass, because it knows no data. A failure is counted, once for each statement.
    """
    outcome = silently(run, passing=OF_THE_LEDGER)
    if not isinstance(outcome, Failure):
        if not reservation.overtaken():
            return outcome
        del outcome, run  # nor does a frame tell that there is an answer
        raise AnalystFrozen(WITHHELD)
    problem = outcome.problem
    if outcome.interrupted:
        problem = KeyboardInterrupt(CANCELLED)
    elif isinstance(problem, ReleaseFailed):
        problem = reservation.failed(outcome)
    del outcome, run
    try:
        raise problem
    finally:
        del problem  # its own frame would keep it alive


@contextmanager
def unpaid() -> Iterator[None]:
    """Where only public tables are read nothing is charged, and no error says that it was."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt from None
    except Exception as problem:
        if isinstance(problem, PrivetError) and not isinstance(problem, ReleaseFailed):
            raise
        raise InvalidParameter(UNREAD) from None
