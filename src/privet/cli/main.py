"""The commands of `privet`."""

from importlib.metadata import version
from typing import Annotated, Any

import typer

from privet.cli.later import LaterCommand, LaterGroup

COMMANDS = {  # in the order of the first hour
    "demo": ("privet.cli.demo", "Invent a hospital, ask it questions in SQL, and show what each answer cost."),
    "catalog": ("privet.cli.catalog", "Draft and check catalogs: what is public about tables."),
    "ask": ("privet.cli.ask", "Ask one question in SQL, or several from a file at once, and pay from the ledger."),
    "serve": ("privet.cli.serve", "Serve a dataset to browsers, programs, SQL clients and agents."),
    "people": ("privet.cli.people", "Say who may ask a server."),
    "token": ("privet.cli.token", "Make, show and revoke the tokens of a server's programs."),
    "mcp": ("privet.cli.mcp", "Let an AI agent on this machine ask, as one analyst with a cap."),
    "audit": ("privet.cli.audit", "Attack a mechanism or a function, and end with 1 if it breaks its claim."),
    "train": ("privet.cli.train", "Learn to predict a column of a private table, score the model and save it."),
    "survey": ("privet.cli.survey", "Ask a question with coins: a link, a code for phones, and the result."),
    "collect": ("privet.cli.collect", "Receive privatized reports, and serve surveys."),
    "ledger": ("privet.cli.ledger", "Make, read, check and change ledgers."),
}


class Commands(LaterGroup):
    """All commands."""

    def __init__(self, **words: Any) -> None:  # noqa: ANN401 - as typer has it
        super().__init__(**words)
        for name, (module, told) in COMMANDS.items():
            self.add_command(LaterCommand(name, module, told))


app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"privet {version('privet')}")
        raise typer.Exit


@app.callback()
def main(
    *,
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda value: _print_version(wanted=value),
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Let others learn from data about people without exposing anyone.

    Begin with `privet demo --folder hospital`, or with your own file: `privet catalog draft people.csv`.
    """
