"""How the command line speaks."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from privet.errors import PrivetError


@contextmanager
def errors_in_one_sentence() -> Iterator[None]:
    """Print an error of Privet as one sentence and end with status 1."""
    try:
        yield
    except PrivetError as error:
        typer.echo(f"privet: {printable(str(error))}", err=True)
        raise typer.Exit(code=1) from None


def printable(text: str) -> str:
    """The text without anything that could move the cursor or change colors: others wrote parts of it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
