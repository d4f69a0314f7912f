"""`privet mcp`: lets an AI agent on this machine ask, through pipes, as one analyst."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from privet.cli.exit_status import errors_in_one_sentence
from privet.errors import InvalidParameter
from privet.loss.exact import exact

MISSING = "privet mcp needs more packages: pip install 'privet[server]'"
app = typer.Typer(add_completion=False)


@app.command()
def mcp(
    catalog: Annotated[Path, typer.Argument(help="The catalog, such as hospital.toml.")],
    *,
    analyst: Annotated[str, typer.Option(help="As whom the agent asks: its spends count against this analyst's cap.")],
    largest_epsilon: Annotated[
        str | None, typer.Option(help="The largest ε of one answer that needs no approval; any by default.")
    ] = None,
    approve: Annotated[
        bool, typer.Option("--approve", help="The owner approves each question, in the console of `privet serve`.")
    ] = False,
    people: Annotated[
        str | None,
        typer.Option(
            help="Where accounts, history and requests are, such as sqlite:///people.db; by default where `privet "
            "serve` keeps them, beside the catalog."
        ),
    ] = None,
) -> None:
    """Let an AI agent ask, by the Model Context Protocol on its standard input and output.

    The program that runs the agent starts this itself. The agent sees what is public about the tables, prices, its own
    budget, and answers with noise; no row, and no other analyst's answers.
    """
    with errors_in_one_sentence():
        largest = None if largest_epsilon is None else _positive(largest_epsilon)
        try:
            from privet.server.agents.local import serve_local  # noqa: PLC0415 - its packages may be missing
        except ModuleNotFoundError as missing:
            if str(missing.name).startswith("privet"):
                raise
            raise InvalidParameter(MISSING) from None
        serve_local(catalog, analyst=analyst, largest_epsilon=largest, needs_approval=approve, people=people)


def _positive(text: str) -> Fraction:
    found = exact(text, "--largest-epsilon")
    if found < 0:
        raise InvalidParameter(f"--largest-epsilon must be at least 0, got {text:.60}")
    return found
