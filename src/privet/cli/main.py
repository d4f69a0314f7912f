"""The commands of `privet`."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from privet import demo
from privet.cli import ask, catalog, ledger
from privet.cli.exit_status import errors_in_one_sentence

app = typer.Typer(
    help="Let others learn from data about people without exposing anyone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(catalog.app, name="catalog")
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


app.command("ask")(ask.ask)


@app.command("demo")
def show_demo(
    *,
    patients: Annotated[int, typer.Option(help="How many patients to invent.")] = 20_000,
    epsilon: Annotated[str, typer.Option(help="The privacy loss all answers together may cost.")] = "1",
    folder: Annotated[Path | None, typer.Option(help="Keep the hospital in this new folder, to go on asking.")] = None,
) -> None:
    """Invent a hospital, ask it questions in SQL, and show what each answer cost."""
    with errors_in_one_sentence():
        demo.run(patients=patients, epsilon=epsilon, console=Console(), folder=folder)
