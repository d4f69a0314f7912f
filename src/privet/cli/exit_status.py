"""How the command line speaks, and with which status it ends.

0  it is done
1  refused: a mistake in what was asked or declared; nothing was spent
2  the command line itself was wrong
3  the budget does not allow it, or too many answers failed; nothing was spent
4  spent, but there is no answer
5  the ledger cannot be used now, so nothing is released
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

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

SPENT = 4
STATUS: dict[type[PrivetError], int] = {
    BudgetExceeded: 3,
    AnalystFrozen: 3,
    ReleaseFailed: SPENT,
    AnswerLost: SPENT,
    LedgerUnavailable: 5,
    LedgerDamaged: 5,
}


@contextmanager
def errors_in_one_sentence() -> Iterator[None]:
    """Print a warning or an error of Privet as one sentence, and end with an error's status."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", NewLedger)
            warnings.showwarning = _show  # type: ignore[assignment] # it is called with all of them by place
            yield
    except PrivetError as error:
        typer.echo(f"privet: {printable(_spoken(error))}", err=True)
        raise typer.Exit(code=next((code for kind, code in STATUS.items() if isinstance(error, kind)), 1)) from None
    except KeyboardInterrupt as stopped:
        if not stopped.args:  # nothing was spent
            raise
        typer.echo(f"privet: {printable(str(stopped))}", err=True)
        raise typer.Exit(code=SPENT) from None


def _spoken(error: PrivetError) -> str:
    """What an error says, in the words of the command line; those of statements and catalogs stay."""
    said = str(error)
    return with_options(said, keywords_only=isinstance(error, QueryRefused) or ".toml: " in said)


def _show(message: Warning | str, category: type[Warning], *_: object) -> None:
    name = "" if issubclass(category, NewLedger) else f"{category.__name__}: "
    said = str(message).partition("; in Python ")[0]
    typer.echo(f"privet: {name}{printable(said)}", err=True)
