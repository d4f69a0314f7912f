"""`privet audit`: attack a mechanism or a function, and end with 1 if it breaks its claim."""

import json
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from privet.audit import Domain, Finding, test
from privet.audit.claim import Claim, claim_of
from privet.audit.test import ALPHA
from privet.cli.exit_status import VIOLATED, errors_in_one_sentence, tell
from privet.cli.later import WRONG_COMMAND_LINE
from privet.cli.python_values import imported, value_of
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors

TRIALS = 100_000


class Kind(Enum):
    """Which inputs are neighbors."""

    REPLACE = "replace"
    ADD_REMOVE = "add-remove"


NEIGHBORS = {Kind.REPLACE: Neighbors.REPLACE, Kind.ADD_REMOVE: Neighbors.ADD_REMOVE}
app = typer.Typer(add_completion=False)


@app.command()
def audit(  # noqa: PLR0913 - everything that may be said about an audit, each by name
    subject: Annotated[
        str, typer.Argument(help="What to attack: module:name or file.py:name, a function or a mechanism.")
    ],
    *,
    pair: Annotated[
        str | None, typer.Option(help='Two neighboring inputs: "[0, 1], [0, 100]", "0, nan" or module:name.')
    ] = None,
    bounds: Annotated[
        str | None,
        typer.Option(help='Instead: "0, 100": look for the pair among rows within these bounds and outside.'),
    ] = None,
    rows: Annotated[int, typer.Option(help="With --bounds: rows of the larger neighbor.")] = 3,
    columns: Annotated[int, typer.Option(help="With --bounds: numbers in a row.")] = 1,
    neighbors: Annotated[Kind, typer.Option(help="With --bounds: what a neighbor is.")] = Kind.REPLACE,
    claim: Annotated[
        str | None, typer.Option(help='"epsilon=1", "epsilon=1, delta=1e-6", "rho=0.5" or "mu=1"; by default its own.')
    ] = None,
    delta: Annotated[str | None, typer.Option(help="Of the claim, where it says none.")] = None,
    trials: Annotated[int, typer.Option(help="Runs of each input, at most.")] = TRIALS,
    alpha: Annotated[float, typer.Option(help="How often an accusation may be wrong.")] = ALPHA,
    all_trials: Annotated[
        bool, typer.Option("--all-trials", help="Go on after a violation is sure, for a larger bound.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the finding as one line of JSON.")] = False,
    chart: Annotated[Path | None, typer.Option(help="Draw it into a file ending in .svg, .png or .html.")] = None,
    progress: Annotated[bool | None, typer.Option("--progress/--quiet", help="By default shown on terminals.")] = None,
) -> None:
    """Attack a mechanism or a function with two neighboring inputs, and say what it reveals at least.

    It is run as it is: give it invented inputs, never data.

    Ends with 0 if no violation was found, 1 if the claim is violated, 2 if there was nothing to audit.
    """
    with errors_in_one_sentence(refused=WRONG_COMMAND_LINE):
        if (pair is None) == (bounds is None):
            raise InvalidParameter('say which inputs to compare, --pair "0, 1", or where to look, --bounds "0, 100"')
        found = test(
            _subject(subject),
            pair=None if pair is None else _pair(pair),
            domain=None if bounds is None else Domain(_bounds(bounds), rows, columns, NEIGHBORS[neighbors]),
            claim=_claim(claim, delta),
            trials=trials,
            alpha=alpha,
            stop_early=not all_trials,
            progress=progress,
            name=subject,
        )
        if chart is not None:
            tell(f"drawn into {found.chart().save(chart)}")
    typer.echo(_json(found) if as_json else str(found))
    if found.violated:
        raise typer.Exit(code=VIOLATED)


def _json(found: Finding) -> str:
    return json.dumps(json.loads(found.to_json()), ensure_ascii=False)


def _subject(place: str) -> Any:  # noqa: ANN401 - anything that can be run
    found = imported(place)
    if isinstance(found, type):
        raise InvalidParameter(f"{place} is a class: make one of it in your module, and name that")
    return found


def _pair(text: str) -> Any:  # noqa: ANN401 - two inputs of any kind
    """The two inputs; a name may be of a function that makes them."""
    found = value_of(text)
    made = found() if callable(found) else found
    if not isinstance(made, tuple | list) or len(made) != 2:  # noqa: PLR2004 - two neighbors
        raise InvalidParameter('two neighboring inputs are needed: write --pair "0, 1" or --pair "[1, 2], [1, 100]"')
    return made


def _bounds(text: str) -> tuple[float, float]:
    found = value_of(text)
    if not isinstance(found, tuple | list) or [type(each) in (int, float) for each in found] != [True, True]:
        raise InvalidParameter('bounds are two numbers: write --bounds "0, 100"')
    return found[0], found[1]


def _claim(words: str | None, delta: str | None) -> Claim | None:
    if delta is None:
        return None if words is None else claim_of(words)
    said = None if words is None else claim_of(words)
    if not isinstance(said, Guarantee) or said.delta:
        raise InvalidParameter('--delta is of a claim that says ε alone: write --claim "epsilon=1" --delta 1e-6')
    return Guarantee(said.epsilon, delta)
