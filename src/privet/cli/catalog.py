"""`privet catalog …`: what the owner of the data does with a catalog."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from privet.cli.exit_status import errors_in_one_sentence
from privet.errors import InvalidParameter
from privet.query.catalog.check import Check, State, check_catalog
from privet.query.catalog.convert import convert as convert_files
from privet.query.catalog.convert import types_of
from privet.query.connect import schema_of, writable_of
from privet.query.drafting.draft import draft_catalog
from privet.wording.printable import plain, printable

app = typer.Typer(
    help="Draft and check catalogs: what is public about tables.", no_args_is_help=True, add_completion=False
)
LONG_PLACE = 44  # letters of a place in a catalog that stay on one line
STYLES = {
    State.WRONG: "bold red",
    State.TODO: "yellow",
    State.DOUBTFUL: "magenta",
    State.OPEN: "cyan",
    State.GOOD: "green",
}


@app.command()
def draft(
    data: Annotated[
        str, typer.Argument(help="A DuckDB database, a Parquet or CSV file, a folder of such files, or postgresql://…")
    ],
    *,
    output: Annotated[Path | None, typer.Option(help="A new file; the screen by default.")] = None,
    look: Annotated[
        bool, typer.Option("--look", help="Read the rows of CSV files for types, as their owner; judge what it found.")
    ] = False,
) -> None:
    """Write a first draft from the schema alone, with everything that only you know left as a TODO."""
    with errors_in_one_sentence():
        text = draft_catalog(data, folder=None if output is None else output.parent, look=look)
        if output is None:
            typer.echo(text, nl=False)
            return
        try:
            with output.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise InvalidParameter(f"{output} is there already: name a new file") from None
        except OSError as problem:
            raise InvalidParameter(f"{output} cannot be written ({problem.strerror}): name another file") from None
        typer.echo(f"{output} is drafted; fill in its TODOs, then run: privet catalog check {output}")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The catalog, such as hospital.toml.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is missing, what contradicts the data's schema, and what each declaration unlocks; reads no rows."""
    with errors_in_one_sentence():
        found = check_catalog(file, schema_of=schema_of, writable_of=writable_of)
    console = Console()
    if as_json:
        rows = [{"state": each.state.value, "place": each.place, "sentence": each.sentence} for each in found.findings]
        console.print_json(data={"usable": found.usable, "finished": found.finished, "findings": rows})
    else:
        _show(found, file, console)
    if not found.finished:
        raise typer.Exit(code=1)


@app.command()
def convert(
    files: Annotated[
        list[Path], typer.Argument(help="CSV, TSV or Parquet files with the same columns, then the new one.")
    ],
    *,
    catalog: Annotated[Path | None, typer.Option(help="A catalog that declares the types; texts by default.")] = None,
    table: Annotated[str | None, typer.Option(help="Its table; needed if it has several.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the new file if it is there.")] = False,
) -> None:
    """Write files as one Parquet file: fields may hold line breaks, and what cannot be read is shown to you alone."""
    with errors_in_one_sentence():
        *read, out = files
        if not read or out.suffix.lower() != ".parquet":
            raise InvalidParameter("name the files that are read, and then a new one that ends with .parquet")
        for file in read:
            if not file.is_file():
                raise InvalidParameter(f"{file}: there is no such file: name one that is there")
        types = {} if catalog is None else types_of(catalog, table)
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("converting", total=sum(file.stat().st_size for file in read))
            rows = convert_files(
                read, out, types=types, force=force, told=lambda done: bar.update(task, completed=done)
            )
        typer.echo(f"{out} is written: {rows:,} rows")


def _show(found: Check, file: Path, console: Console) -> None:
    table = Table(title=printable(str(file)), title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
    longest = max((len(each.place) for each in found.findings), default=0)
    table.add_column()
    table.add_column(no_wrap=longest <= LONG_PLACE, overflow="fold")  # names are shown whole
    table.add_column(overflow="fold")
    for each in found.findings:
        state = Text(each.state.value, style=STYLES[each.state])
        table.add_row(state, plain(each.place), plain(each.sentence))
    console.print(table)
    todos = sum(each.state is State.TODO for each in found.findings)
    if not found.usable:
        console.print("Nothing can be asked yet: put right what is wrong first.")
    elif todos:
        console.print(
            f"It can be used; {todos} TODO{'s are' if todos > 1 else ' is'} left. Ask by: privet ask {file} …"
        )
    else:
        console.print(Text(f'Ready: privet ask {file} "SELECT …" --epsilon 0.5 --explain'))
