"""The commands of `privet`."""

from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console

from privet import demo
from privet.cli import ledger
from privet.cli.saying import errors_in_one_sentence

app = typer.Typer(
    help="Let others learn from data about people without exposing anyone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(ledger.app, name="ledger")


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"privet {version('privet')}")
        raise typer.Exit


@app.callback()
def main(
    *,
    show_version: Annotated[
        bool, typer.Option("--version", callback=lambda value: _print_version(wanted=value), is_eager=True)
    ] = False,
) -> None:
    """Let others learn from data about people without exposing anyone."""


@app.command("demo")
def show_demo(
    *,
    rows: Annotated[int, typer.Option(help="How many people to invent.")] = 100_000,
    epsilon: Annotated[float, typer.Option(help="The privacy loss all answers together may cost.")] = 1.0,
) -> None:
    """Answer questions about invented people, privately, and show what each answer cost."""
    with errors_in_one_sentence():
        demo.run(rows=rows, epsilon=epsilon, console=Console())
