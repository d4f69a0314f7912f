"""`privet ask`: questions in SQL, answered with noise, margins and a receipt."""

import json
import os
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import typer
from rich.console import Console

from privet.asking.wanted_error import wanted_texts
from privet.cli.exit_status import errors_in_one_sentence
from privet.cli.params import params_of
from privet.cli.statements import statements_in
from privet.errors import InvalidParameter
from privet.query.connect import connect
from privet.query.results.answer import Answer
from privet.query.results.answer_facts import answer_facts, answers_facts
from privet.query.results.answers import Answers
from privet.query.session import Session
from privet.wording.printable import printable

WIDE = 160  # columns of a screen that is none


class Format(Enum):
    """How to print an answer."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


ENDINGS = {".csv": Format.CSV, ".json": Format.JSON, ".parquet": Format.PARQUET, ".pq": Format.PARQUET}
Number: TypeAlias = Annotated[str | None, typer.Option(help="Exactly as typed.")]
Count: TypeAlias = Annotated[int | None, typer.Option(help="In the place of the catalog's.")]
Limit: TypeAlias = Annotated[str | None, typer.Option(help="In the place of the catalog's: a number, or auto.")]
app = typer.Typer(add_completion=False)


@app.command()
def ask(  # noqa: PLR0913 - everything that may be said about a question, each by name
    catalog: Annotated[Path, typer.Argument(help="The catalog, such as hospital.toml.")],
    statement: Annotated[
        str | None, typer.Argument(help='One SELECT, or "-" to read it from the standard input.')
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(help="In its place a file of statements, ended by semicolons: paid for at once."),
    ] = None,
    epsilon: Number = None,
    delta: Number = None,
    rho: Number = None,
    risk: Annotated[
        str | None, typer.Option(help='Instead: what an attacker may gain: "50% to 60%", "advantage 10%", "20% at 1%".')
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option(help='Instead: the ± that will do, of all columns or by name: 5, n=5, "pay=2% of 40000".'),
    ] = None,
    rows: Annotated[int | None, typer.Option(help="With --error: how many rows you expect in a group.")] = None,
    analyst: Annotated[str | None, typer.Option(help="Who asks, if the catalog names its analysts.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what it would cost; spend nothing.")] = False,
    details: Annotated[bool, typer.Option("--details", help="With --explain: mechanisms and scales too.")] = False,
    how: Annotated[Format | None, typer.Option("--format", help="By default a table, or what FILE ends with.")] = None,
    output: Annotated[Path | None, typer.Option(help="A new file; the screen by default.")] = None,
    key: Annotated[str | None, typer.Option(help="Makes asking again safe: the same key, the same answer.")] = None,
    purpose: Annotated[str | None, typer.Option(help="What it is for; recorded in the ledger.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    interval: Annotated[str, typer.Option(help="What intervals are for: data, or the population it samples.")] = "data",
    quantile_intervals: Annotated[
        bool, typer.Option("--quantile-intervals", help="Spend most of what a quantile costs on an interval of it.")
    ] = False,
    rows_per_unit: Limit = None,
    groups_per_unit: Limit = None,
    rows_per_group: Count = None,
    bounding: Annotated[str | None, typer.Option(help="Of rows beyond these limits: weigh or sample.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(help="A value for :name in the statement: name=40, name=text, as often as needed."),
    ] = None,
    automatic_bounds: Annotated[
        str | None, typer.Option(help='"auto", or a share of the budget: find bounds that are not declared.')
    ] = None,
    clipping: Annotated[
        str | None, typer.Option(help='"report" also tells, for a tenth of what is spent, how much was clipped.')
    ] = None,
    memory: Annotated[str | None, typer.Option(help='The most that an engine here may use, such as "4GB".')] = None,
    threads: Annotated[int | None, typer.Option(help="How many an engine here may use.")] = None,
) -> None:
    """Ask one question in SQL, or several from a file at once, and pay for it from the ledger.

    Ends with 0 if it was answered, 1 if it was refused, 2 for a wrong command line, 3 if the budget does not allow it,
    4 if it was spent without an answer, 5 if the ledger cannot be used.
    """
    with errors_in_one_sentence():
        if details and not explain:
            raise InvalidParameter("--details is of explanations: say --explain too, and nothing is spent")
        shape, asked = _format(how, output), _statements(statement, file)
        if isinstance(asked, list) and shape in (Format.CSV, Format.PARQUET):
            raise InvalidParameter("several answers are several tables: print them as a table or as json")
        spending: dict[str, Any] = {
            "epsilon": epsilon,
            "delta": delta,
            "rho": rho,
            "risk": risk,
            "error": wanted_texts(error or []),
            "rows": rows,
            "confidence": confidence,
            "interval": interval,
            "quantile_intervals": quantile_intervals,
            "rows_per_unit": _limit(rows_per_unit),
            "groups_per_unit": _limit(groups_per_unit),
            "rows_per_group": rows_per_group,
            "bounding": bounding,
            "automatic_bounds": automatic_bounds,
            "clipping": clipping,
            "params": params_of(param),
        }
        with connect(catalog, analyst=analyst, memory=memory, threads=threads) as session:
            if explain:
                told = session.explain(asked, **spending)
                if shape is Format.JSON:
                    typer.echo(json.dumps(told.to_dict(), ensure_ascii=False, indent=2))
                else:
                    _screen().print(told.details if details else told)
                return
            answer = _answered(session, asked, {**spending, "key": key, "purpose": purpose})
        _write(answer, shape, output)


def _limit(text: str | None) -> int | str | None:
    """A limit as a question takes it: a number, or a word that is looked at there."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else text


def _statements(statement: str | None, file: Path | None) -> str | list[str]:
    """One statement, or those of a file."""
    if (statement is None) == (file is None):
        raise typer.BadParameter('say what to ask: one statement, "-" to type it, or --file with several')
    if file is None:
        return sys.stdin.read() if statement == "-" else str(statement)
    try:
        return statements_in(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise InvalidParameter(f"{file} cannot be read: name a text file with statements") from None


def _answered(session: Session, asked: str | list[str], asking: dict[str, Any]) -> Answer | Answers:
    return session.sql(asked, **asking) if isinstance(asked, str) else session.batch(asked, **asking)


def _format(how: Format | None, output: Path | None) -> Format:
    """Refuse before anything is spent what could not be written afterwards."""
    if output is None:
        if how is Format.PARQUET:
            raise InvalidParameter("Parquet is not for the screen: name a file with --output")
        return how or Format.TABLE
    shape = how or ENDINGS.get(output.suffix.lower(), Format.TABLE)
    try:
        with output.open("xb"):
            pass
        output.unlink()
    except FileExistsError:
        raise InvalidParameter(f"{output} is there already: name a new file") from None
    except OSError as problem:
        raise InvalidParameter(f"{output} cannot be written ({problem.strerror}): name another file") from None
    return shape


def _write(answer: Answer | Answers, shape: Format, output: Path | None) -> None:
    if output is None:
        if shape is Format.TABLE:
            _screen().print(answer)
        elif shape is Format.CSV and isinstance(answer, Answer):
            typer.echo(_csv(answer), nl=False)
        else:
            typer.echo(_json(answer))
        return
    try:
        if shape is Format.PARQUET and isinstance(answer, Answer):
            pyarrow.parquet.write_table(answer.table, output)
        elif shape is Format.CSV and isinstance(answer, Answer):
            output.write_text(_csv(answer), encoding="utf-8")
        else:
            output.write_text(repr(answer) if shape is Format.TABLE else _json(answer), encoding="utf-8")
    except OSError as problem:  # it is paid for: show it rather than lose it
        typer.echo(f"privet: {output} cannot be written ({problem.strerror}); here it is:", err=True)
        typer.echo(_json(answer))
        raise typer.Exit(code=1) from None
    what = "answers" if isinstance(answer, Answers) else "rows"
    receipt = f"{len(answer):,} {what} in {output}; spent {answer.spent} per {answer.unit.name}"
    typer.echo(f"privet: {printable(receipt)}", err=True)


def _screen() -> Console:
    screen = Console()
    return screen if screen.is_terminal or os.environ.get("COLUMNS") else Console(width=WIDE)


def _csv(answer: Answer) -> str:
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(answer.table, sink)
    return str(sink.getvalue().to_pybytes().decode())


def _json(answer: Answer | Answers) -> str:
    """The rows, and beside them what a reader must know."""
    facts = answer_facts(answer) if isinstance(answer, Answer) else answers_facts(answer)
    return json.dumps(facts, ensure_ascii=False, indent=2)
