"""`privet train`: a private model of a table, chosen by public numbers, paid for from the ledger, scored and saved."""

import json
from enum import Enum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

import privet.learn  # noqa: F401 - asked for first, because it says in one sentence what is missing
from privet.cli.exit_status import errors_in_one_sentence
from privet.cli.train_data import TABLE, DeclaredFile
from privet.cli.train_words import train_lines
from privet.cli.training import Prices, Training, Wanted
from privet.errors import InvalidParameter
from privet.query.catalog.toml_file import read_catalog
from privet.query.connect import connect
from privet.wording.printable import printable

Repeated: TypeAlias = list[str] | None
app = typer.Typer(add_completion=False)


class Format(Enum):
    """How to print what came out."""

    TEXT = "text"
    JSON = "json"


@app.command()
def train(  # noqa: PLR0913 - everything that may be said about a training, each by name
    data: Annotated[Path, typer.Argument(help="A catalog such as hospital.toml, or a CSV or Parquet file.")],
    *,
    target: Annotated[str, typer.Option(help="The column to predict.")],
    epsilon: Annotated[str, typer.Option(help="What everything may cost: model, score and count.")],
    delta: Annotated[str | None, typer.Option(help="With it most models err much less: 1e-6 or so.")] = None,
    table: Annotated[str | None, typer.Option(help="Of a catalog, if it has several private ones.")] = None,
    columns: Annotated[
        str | None, typer.Option(help="To learn from: age,sex; by default all that are declared.")
    ] = None,
    bounds: Annotated[
        Repeated, typer.Option(help="Of a file: public ends of a number, age=0:120; again for each.")
    ] = None,
    values: Annotated[Repeated, typer.Option(help="Of a file: all categories, sex=F,M; again for each.")] = None,
    unit_column: Annotated[
        str | None, typer.Option(help="Of a file: whose a row is; without, each row is a unit.")
    ] = None,
    rows_per_unit: Annotated[int | None, typer.Option(help="Of a file: how many rows of a unit count.")] = None,
    ledger: Annotated[
        str | None, typer.Option(help="Of a file: the ledger that pays; a catalog names its own.")
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="How many rows are expected, if that is public.")] = None,
    model: Annotated[str | None, typer.Option(help="Instead of the choice: LogisticRegression, …")] = None,
    public: Annotated[Path | None, typer.Option(help="Rows that anybody may see, to foresee the score with.")] = None,
    output: Annotated[Path | None, typer.Option(help="A new file for the model, such as model.joblib.")] = None,
    score: Annotated[bool, typer.Option("--score/--no-score", help="Spend a tenth of ε on the score.")] = True,
    analyst: Annotated[str | None, typer.Option(help="Who asks, if the catalog names its analysts.")] = None,
    purpose: Annotated[str | None, typer.Option(help="What it is for; recorded in the ledger.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what it would do and cost; spend nothing.")] = False,
    how: Annotated[Format, typer.Option("--format", help="Text or JSON.")] = Format.TEXT,
) -> None:
    """Learn to predict a column of a private table: choose a model, foresee its score, pay, fit, score and save.

    Bounds, categories and classes are those declared in the catalog or here, never read from rows. Ends with 0 if it is
    done, 1 if refused, 3 if the budget does not allow it, 4 if it was spent in vain, 5 if the ledger cannot be used.
    """
    with errors_in_one_sentence():
        _refuse_output(output)
        of_files: dict[str, object] = {
            "--bounds": bounds,
            "--values": values,
            "--unit-column": unit_column,
            "--ledger": ledger,
        }
        total = Prices.of(epsilon, delta, scored=score, counted=False).total
        if data.suffix.lower() == ".toml":
            for name, said in {**of_files, "--rows-per-unit": rows_per_unit}.items():
                if said:
                    raise InvalidParameter(f"{name} is for files: a catalog declares that itself")
            catalog = read_catalog(data)
        else:
            declared = DeclaredFile(data, bounds or [], values or [], unit_column, rows_per_unit, ledger)
            catalog, table = declared.catalog(total), TABLE
        with connect(catalog, analyst=analyst) as session:
            training = Training.of(session, table, target, columns)
            prices = Prices.of(epsilon, delta, scored=score, counted=rows is None and training.expected is None)
            told = training.run(prices, Wanted(rows, model, public, purpose, output), explain=explain)
    if how is Format.JSON:
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        for line in train_lines(told):
            typer.echo(printable(line))


def _refuse_output(output: Path | None) -> None:
    """Refuse before anything is spent what could not be written afterwards."""
    if output is None:
        return
    try:
        with output.open("xb"):
            pass
        output.unlink()
    except FileExistsError:
        raise InvalidParameter(f"{output} is there already: name a new file") from None
    except OSError as problem:
        raise InvalidParameter(f"{output} cannot be written ({problem.strerror}): name another file") from None
