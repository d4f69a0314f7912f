"""`privet survey`: make a survey, see its result, close it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.exit_status import errors_in_one_sentence
from privet.errors import InvalidParameter
from privet.wording.printable import printable

if TYPE_CHECKING:
    from privet.server.collector import Collector

app = typer.Typer(add_completion=False, no_args_is_help=True)
NEEDS = "privet survey needs the extra server: pip install 'privet[server]'"
ADDRESS = "http://127.0.0.1:8420"
Store = Annotated[str, typer.Option(help="A file of SQLite, or postgresql://…; made if it is not there.")]
Address = Annotated[str, typer.Option(help="Where the collector will be reached.")]
Name = Annotated[str, typer.Argument(help="The id of the survey, or its first letters.")]


@app.command()
def new(  # noqa: PLR0913 - options
    question: Annotated[str, typer.Argument(help="Answered with yes or no.")] = "",
    *,
    design: Annotated[
        str, typer.Option(help="two-coins, forced, warner, mirrored, disguised or classroom.")
    ] = "two-coins",
    epsilon: Annotated[str | None, typer.Option(help="What an answer may cost; real coins have ln 3.")] = None,
    language: Annotated[str, typer.Option(help="en or de.")] = "en",
    by: Annotated[str, typer.Option(help="Who asks, and where to reach them.")] = "This survey's owner",
    purpose: Annotated[str | None, typer.Option(help="What the result is for.")] = None,
    minimum: Annotated[int, typer.Option(help="How many answers a result needs.")] = 10,
    step: Annotated[int, typer.Option(help="How many new answers a live result needs; 0: only when closed.")] = 5,
    store: Store = "survey.db",
    address: Address = ADDRESS,
    qr: Annotated[Path | None, typer.Option(help="Write the code to take part to this SVG file.")] = None,
) -> None:
    """Make a survey: a link, and a code for phones. Serve it with `privet collect`."""
    with errors_in_one_sentence():
        surveys, collector = _opened(store)
        if not question and design == "classroom":
            question = surveys.classroom(language=language).title
        made = surveys.new_survey(
            question,
            design=design,
            epsilon=epsilon,
            language=language,
            controller=by,
            purpose=purpose,
            minimum=minimum,
            step=step or None,
        )
        collector.publish(made)
        link = f"{address.rstrip('/')}/survey/{made.id}"
        typer.echo(printable(made.title))
        typer.echo(f"each answer costs its person ε={_short(made.epsilon)}; results from {minimum} answers on")
        typer.echo(f"take part   {link}\nresults     {link}/results")
        typer.echo(f"who asks    {link.replace('/survey/', '/collections/')}/privacy")
        from privet.server.survey.qr_code import in_terminal, qr_code  # noqa: PLC0415 - an extra

        typer.echo(in_terminal(link))
        if qr is not None:
            code = qr_code(link)
            box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {code.size} {code.size}"'
            drawn = f'<rect width="{code.size}" height="{code.size}" fill="#fff"/><path stroke="#000" d="{code.path}"/>'
            qr.write_text(f"<svg {box}>{drawn}</svg>", encoding="utf-8")


@app.command("list")
def show_all(*, store: Store = "survey.db") -> None:
    """All collections, their ids and states."""
    with errors_in_one_sentence():
        _, collector = _opened(store)
        for entry in collector.entries:
            typer.echo(f"{entry.collection.id}  {entry.state:8}  {printable(entry.collection.title)}")


@app.command()
def result(name: Name, *, store: Store = "survey.db") -> None:
    """The released result, or the one so far."""
    with errors_in_one_sentence():
        _, collector = _opened(store)
        entry = _found(collector, name)
        told = collector.releases(entry.id) or (collector.live(entry.id) if entry.live_step else [])
        if not told:
            raise InvalidParameter("there are too few answers for a result yet")
        _tell(told[-1])


@app.command()
def close(name: Name, *, store: Store = "survey.db") -> None:
    """Take no more answers, and release the result once; answers are deleted."""
    with errors_in_one_sentence():
        _, collector = _opened(store)
        entry = _found(collector, name)
        collector.stop(entry.id)
        _tell(collector.release(entry.id, 0, entry.periods - 1))


@app.command()
def delete(name: Name, *, store: Store = "survey.db") -> None:
    """Delete all that is held of a survey but its public description."""
    with errors_in_one_sentence():
        _, collector = _opened(store)
        collector.delete(_found(collector, name).id)


def _opened(store: str) -> "tuple[Any, Collector]":
    try:
        from privet.server import survey as surveys  # noqa: PLC0415 - an extra
        from privet.server.collect import open_collector  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise InvalidParameter(NEEDS) from None
    return surveys, open_collector(store)


def _found(collector: "Collector", name: str) -> Any:  # noqa: ANN401 - a collection, of an extra
    found = [entry.collection for entry in collector.entries if entry.collection.id.startswith(name)]
    if len(found) != 1:
        raise InvalidParameter("there is no survey whose id begins so, or several do: see `privet survey list`")
    return found[0]


def _tell(found: dict[str, Any]) -> None:
    typer.echo(f"{printable(found['title'])}: {found['reports']:,} answers")
    for row in found["rows"]:
        low, high = (min(max(row[f"share_{end}"], 0.0), 1.0) for end in ("low", "high"))
        share = min(max(row["share"], low), high)
        typer.echo(f"  {printable(row['value'])}: {share:.1%}, from {low:.1%} to {high:.1%} (95 %)")
    typer.echo(f"  each answer cost ε={found['local_guarantee']['epsilon_of_one_report']}")


def _short(epsilon: object) -> str:
    return f"{float(epsilon):.4f}"  # type: ignore[arg-type] # a fraction
