"""`privet demo`: an invented hospital, asked in SQL."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from privet import demo
from privet.cli.exit_status import errors_in_one_sentence

app = typer.Typer(add_completion=False)


@app.command()
def show(
    *,
    patients: Annotated[int, typer.Option(help="How many patients to invent.")] = 20_000,
    epsilon: Annotated[str, typer.Option(help="The privacy loss all answers together may cost.")] = "1",
    folder: Annotated[Path | None, typer.Option(help="Keep the hospital in this new folder, to go on asking.")] = None,
) -> None:
    """Invent a hospital, ask it questions in SQL, and show what each answer cost."""
    with errors_in_one_sentence():
        demo.run(patients=patients, epsilon=epsilon, console=Console(), folder=folder)
