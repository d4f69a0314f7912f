"""Failing: what is said, and what it cost, when an answer cannot be computed or was cancelled."""

from collections.abc import Iterator
from contextlib import contextmanager

from privet.core.ledger import FAILED
from privet.errors import InvalidParameter, PrivetError, ReleaseFailed

CANCELLED = (
    "cancelled: the engine has stopped, what was charged stays charged, and this session can go on. To ask again costs "
    "anew, and takes a new key where keys are used"
)
UNREAD = (
    "the public tables of this statement could not be read, and nothing was charged: see whether their files are still "
    "there and whole, and connect again"
)


@contextmanager
def paid_for() -> Iterator[None]:
    """After the charge one error stands for whatever goes wrong, and Ctrl-C says what it cost.

    Privacy: the words of an engine may hold values, and which error it was may depend on them.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(CANCELLED) from None
    except Exception as problem:
        if isinstance(problem, PrivetError) and not isinstance(problem, ReleaseFailed):
            raise
        raise ReleaseFailed(FAILED) from None


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
