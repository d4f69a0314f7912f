"""How the command line speaks, and with which status it ends.

0  it is done
1  refused: a mistake in what was asked or declared; nothing was spent
2  the command line itself was wrong
3  the budget does not allow it, or too many answers failed; nothing was spent
4  spent, but there is no answer
5  the ledger cannot be used now, so nothing is released

An audit ends with 1 if it finds a violation, and with 2 if it was refused, so that a check of a project can tell.
"""

import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

import typer

from privet.cli.option_names import with_options
from privet.errors import (
    AnalystFrozen,
    AnswerLost,
    BudgetExceeded,
    LedgerDamaged,
    LedgerUnavailable,
    NewLedger,
    PrivetError,
    QueryRefused,
    ReleaseFailed,
)
from privet.wording.printable import printable

REFUSED = VIOLATED = 1
SPENT = 4
NARROW = 30  # columns of a terminal that can be written to
STATUS: dict[type[PrivetError], int] = {
    BudgetExceeded: 3,
    AnalystFrozen: 3,
    ReleaseFailed: SPENT,
    AnswerLost: SPENT,
    LedgerUnavailable: 5,
    LedgerDamaged: 5,
}


@contextmanager
def errors_in_one_sentence(*, refused: int = REFUSED) -> Iterator[None]:
    """Print a warning or an error of Privet as one sentence, and end with an error's status.

    Args:
        refused: the status of errors that have none of their own.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", NewLedger)
            warnings.showwarning = _show  # type: ignore[assignment] # it is called with all of them by place
            yield
    except PrivetError as error:
        tell(_spoken(error))
        raise typer.Exit(
            code=next((code for kind, code in STATUS.items() if isinstance(error, kind)), refused)
        ) from None
    except KeyboardInterrupt as stopped:
        if not stopped.args:  # nothing was spent
            raise
        tell(str(stopped))
        raise typer.Exit(code=SPENT) from None


def _spoken(error: PrivetError) -> str:
    """What an error says, in the words of the command line; those of statements and catalogs stay."""
    said = str(error)
    return with_options(said, keywords_only=isinstance(error, QueryRefused) or ".toml: " in said)


def _show(message: Warning | str, category: type[Warning], *_: object) -> None:
    name = "" if issubclass(category, NewLedger) else f"{category.__name__}: "
    said = str(message).partition("; in Python ")[0]
    tell(f"{name}{said}")


def tell(sentence: str) -> None:
    """Print a sentence as all of them are: on the standard error, wrapped between words where that is a terminal."""
    told = f"privet: {printable(sentence)}"
    if sys.stderr.isatty():
        width = max(get_terminal_size().columns, NARROW)
        told = textwrap.fill(told, width, break_long_words=False, break_on_hyphens=False)
    typer.echo(told, err=True)
