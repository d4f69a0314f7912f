"""`privet ledger …`: what the owner of the data does with a ledger."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, TextIO, TypeAlias

import typer
from rich.console import Console
from rich.progress import Progress

from privet.cli.exit_status import errors_in_one_sentence, tell
from privet.cli.ledger_tables import show_anchor, show_questions, show_report
from privet.core import Scope, Unit
from privet.core.journals import Journal, Terms, journal_at
from privet.core.journals.anchored import AnchoredJournal
from privet.core.journals.backup import Backup, back_up, is_backup
from privet.core.journals.failures import ALLOWED
from privet.core.journals.reader import Reader, read_journal
from privet.core.journals.report import export_csv, export_json, questions, report
from privet.core.journals.restore import Loss, RestorableJournal
from privet.core.journals.terms import DECLARABLE
from privet.errors import InvalidParameter, LedgerUnavailable
from privet.loss import (
    ConcentratedGuarantee,
    EpsilonSum,
    GaussianSum,
    Guarantee,
    Neighbors,
    Promise,
    RenyiSum,
    SpendingRule,
    ZcdpSum,
)

app = typer.Typer(help="Make, read, check and change ledgers.", no_args_is_help=True, add_completion=False)


SPOOLED = 1 << 26  # bytes that are kept in memory
MANY = 10_000  # rows; the questions of a longer ledger are in its export


class Format(Enum):
    """How to export."""

    JSON = "json"
    CSV = "csv"


Place: TypeAlias = Annotated[str, typer.Argument(help='A file such as ledger.db, or "postgresql://…?ledger=name".')]
AnchorPath: TypeAlias = Annotated[
    Path | None, typer.Option("--anchor", help="Where the anchor is, if not beside the file.")
]
Epsilon: TypeAlias = Annotated[str | None, typer.Option(help="ε, exactly as typed.")]
Delta: TypeAlias = Annotated[str | None, typer.Option(help="δ, exactly as typed.")]
Gamma: TypeAlias = Annotated[str | None, typer.Option(help="γ, for random DP: sensitivities may then be sampled.")]
Rho: TypeAlias = Annotated[str | None, typer.Option(help="ρ of zero-concentrated privacy, instead of ε and δ.")]
HighestEpsilon: TypeAlias = Annotated[
    str | None, typer.Option("--epsilon", help="ε of the highest limit since the backup, if you raised or renewed it.")
]
Analyst: TypeAlias = Annotated[str | None, typer.Option(help="Only spends of this analyst.")]
Purpose: TypeAlias = Annotated[str | None, typer.Option(help="Only spends for this purpose.")]
Reason: TypeAlias = Annotated[str, typer.Option(help="Why, for those who read the ledger later.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Declared: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--declare", help=f"NAME=TEXT, again for each; names: {', '.join(DECLARABLE)}."),
]


@app.command()
def create(  # noqa: PLR0913 - the terms of a ledger, each by name
    place: Place,
    *,
    epsilon: Epsilon = None,
    delta: Delta = None,
    gamma: Gamma = None,
    rho: Rho = None,
    unit: Annotated[str, typer.Option(help="Who is protected: person, household, visit, …")],
    neighbors: Annotated[str, typer.Option(help="add_remove or replace.")] = Neighbors.ADD_REMOVE.name.lower(),
    rule: Annotated[
        str | None, typer.Option(help="How spends add up: epsilon, epsilon:1e-8, zcdp, renyi:16 or gaussian.")
    ] = None,
    dataset: Annotated[str, typer.Option(help="The name of the data.")],
    version: Annotated[str | None, typer.Option(help="Which version of the data.")] = None,
    shared_by: Annotated[
        list[str] | None, typer.Option(help="The name of a copy or view of the data, again for each.")
    ] = None,
    purpose: Annotated[str | None, typer.Option(help="What the data may be used for.")] = None,
    retention: Annotated[str | None, typer.Option(help="How long what is kept.")] = None,
    minimisation: Annotated[str | None, typer.Option(help="What is left out, and why the rest is needed.")] = None,
    security: Annotated[str | None, typer.Option(help="How the data is protected.")] = None,
    failures: Annotated[int, typer.Option(help="After so many failed answers an analyst is frozen.")] = ALLOWED,
    anchor: AnchorPath = None,
) -> None:
    """Make a new ledger: who is protected, how much may be revealed about them, and how spends add up."""
    with errors_in_one_sentence():
        limit = _limit(epsilon, delta, rho, gamma)
        if limit is None:
            raise InvalidParameter("a ledger needs a limit: give --epsilon (and --delta), or --rho")
        given = {"purpose": purpose, "retention": retention, "minimisation": minimisation, "security": security}
        declared = {name: text for name, text in given.items() if text is not None}
        chosen = _rule(rule, limit)
        shared = tuple(shared_by or ())
        terms = Terms(limit, Unit(unit, neighbors), chosen, dataset, version, shared, declared, failures)
        journal = journal_at(place, anchor=anchor)
        _refuse_existing(journal)
        journal.open(terms)
        show_report(report(journal), Console())


@app.command()
def show(
    place: Place,
    *,
    last: Annotated[int, typer.Option("--questions", min=0, help="How many of the last questions to list.")] = 10,
    anchor: AnchorPath = None,
    as_json: AsJson = False,
) -> None:
    """Say what has been promised so far, to whom, and what is left; for everybody who may read the ledger."""
    with errors_in_one_sentence():
        found, asked, compared = read_journal(place, lambda reader: _seen(reader, last=last), anchor=anchor)
        if as_json:
            Console().print_json(data=found | {"questions": asked})
            return
        show_report(found, Console())
        show_questions(asked[-last:] if last else [], Console())
        _tell_uncompared(compared=compared)


@app.command()
def cap(  # noqa: PLR0913 - whose, how much and why, each by name
    place: Place,
    *,
    analyst: Analyst = None,
    purpose: Purpose = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    gamma: Gamma = None,
    rho: Rho = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the cap away.")] = False,
    freeze: Annotated[bool, typer.Option("--freeze", help="Stop every spend.")] = False,
    thaw: Annotated[bool, typer.Option("--thaw", help="Allow spends again.")] = False,
    reason: Reason,
    anchor: AnchorPath = None,
) -> None:
    """Raise, lower, set, remove or freeze the cap of the dataset, an analyst or a purpose."""
    with errors_in_one_sentence():
        limit = _limit(epsilon, delta, rho, gamma)
        if (limit is not None) + remove + freeze + thaw != 1:
            raise InvalidParameter("say one of: a new limit (--epsilon or --rho), --remove, --freeze, --thaw")
        journal, scope = _opened(place, anchor), Scope(analyst, purpose)
        if freeze or thaw:
            journal.freeze(scope, reason=reason, thaw=thaw)
        else:
            journal.cap(limit, scope=scope, frozen=journal.books().account(scope).frozen, reason=reason)
        show_report(report(journal), Console())


@app.command()
def renew(
    place: Place, *, analyst: Analyst = None, purpose: Purpose = None, reason: Reason, anchor: AnchorPath = None
) -> None:
    """Start a new period: the cap counts from zero again, and the promise in total grows by it."""
    with errors_in_one_sentence():
        journal = _opened(place, anchor)
        journal.renew(Scope(analyst, purpose), reason=reason)
        show_report(report(journal), Console())


@app.command()
def unfreeze(
    place: Place,
    analyst: Annotated[str | None, typer.Argument(help="Who; left out, whoever asked without a name.")] = None,
    *,
    everyone: Annotated[bool, typer.Option("--everyone", help="All analysts.")] = False,
    reason: Reason,
    anchor: AnchorPath = None,
) -> None:
    """Let an analyst ask again whose answers failed after the charge, once you know why they did."""
    with errors_in_one_sentence():
        if everyone and analyst is not None:
            raise InvalidParameter("say one of: the name of an analyst, --everyone")
        journal = _opened(place, anchor)
        journal.unfreeze(analyst, everyone=everyone, reason=reason)
        show_report(report(journal), Console())


@app.command()
def share(
    place: Place,
    name: Annotated[str, typer.Argument(help="The name of a copy or view.")],
    *,
    reason: Reason,
    anchor: AnchorPath = None,
) -> None:
    """Record the name of a copy or view of the data: it shares this ledger."""
    with errors_in_one_sentence():
        journal = _opened(place, anchor)
        journal.share(name, reason=reason)
        show_report(report(journal), Console())


@app.command()
def declare(place: Place, *, declared: Declared = None, anchor: AnchorPath = None) -> None:
    """Record what the owner states about the processing: purpose, retention, minimisation, and so on."""
    with errors_in_one_sentence():
        pairs = [each.partition("=") for each in declared or ()]
        if not pairs or not all(middle for _, middle, _ in pairs):
            raise InvalidParameter("say what is declared, such as --declare 'retention=raw rows for one year'")
        journal = _opened(place, anchor)
        journal.declare(**{name: text for name, _, text in pairs})
        show_report(report(journal), Console())


@app.command()
def verify(place: Place, *, anchor: AnchorPath = None) -> None:
    """Check every row against the chain, every total against the rows, and all of it against the anchor."""
    with errors_in_one_sentence():
        with _progress("checking") as told:
            if is_backup(place):
                (rows, head), compared = _verified(_backup(place), told), True
            else:
                (rows, head), compared = read_journal(
                    place, lambda reader: (_verified(reader, told), reader.compared), anchor=anchor
                )
        typer.echo(f"{rows:,} rows are as they were written, up to {head}")
        _tell_uncompared(compared=compared)


@app.command()
def backup(
    place: Place,
    file: Annotated[Path, typer.Argument(help="A new file; nothing is overwritten.")],
    *,
    anchor: AnchorPath = None,
) -> None:
    """Copy a ledger into a file while others go on spending, and check the copy."""
    with errors_in_one_sentence():
        journal = _opened(place, anchor)
        with _progress("copying") as told:
            last = back_up(journal, file, told)
        typer.echo(f"{last.sequence + 1:,} rows are in {file}, up to {last.hash.hex()}")


@app.command()
def restore(  # noqa: PLR0913 - from where, to where, and what is given up, each by name
    file: Annotated[Path, typer.Argument(help="What `privet ledger backup` made.")],
    place: Place,
    *,
    accept_loss: Annotated[
        str | None, typer.Option(help="Give up all that was left of the limit, as rows are lost; say why.")
    ] = None,
    epsilon: HighestEpsilon = None,
    delta: Delta = None,
    gamma: Gamma = None,
    rho: Rho = None,
    anchor: AnchorPath = None,
) -> None:
    """Make a ledger from a backup, if its anchor remembers nothing that the backup does not have."""
    with errors_in_one_sentence():
        limit = _limit(epsilon, delta, rho, gamma)
        if accept_loss is None and limit is not None:
            raise InvalidParameter("a limit is only said beside --accept-loss: the backup has its own")
        loss = None if accept_loss is None else Loss(accept_loss, limit)
        journal = journal_at(place, anchor=anchor)
        if not isinstance(journal, RestorableJournal):
            raise InvalidParameter(f"{journal.place} is not a place that lasts: name a file or a database")
        with _progress("restoring") as told:
            journal.restore(_backup(file), loss=loss, progress=told)
        show_report(report(journal), Console())


@app.command()
def export(
    place: Place,
    *,
    how: Annotated[Format, typer.Option("--format", help="json or csv.")] = Format.JSON,
    output: Annotated[Path | None, typer.Option(help="A file; the screen by default.")] = None,
    anchor: AnchorPath = None,
) -> None:
    """Write everything out, for auditors and spreadsheets."""
    with errors_in_one_sentence():
        write = export_json if how is Format.JSON else export_csv
        with SpooledTemporaryFile(SPOOLED, "w+", encoding="utf-8", errors="backslashreplace", newline="") as text:
            read_journal(place, lambda reader: _rewrite(reader, write, text), anchor=anchor)
            text.seek(0)
            if output is None:
                copyfileobj(text, sys.stdout)
                return
            try:
                with output.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
                    copyfileobj(text, file)
            except OSError as problem:
                raise InvalidParameter(f"{output} cannot be written ({problem.strerror}): name another file") from None


@app.command()
def anchor(  # noqa: PLR0913 - what to do with it, each by name
    place: Place,
    *,
    path: AnchorPath = None,
    move: Annotated[Path | None, typer.Option(help="Move the anchor here, to another volume.")] = None,
    recreate: Annotated[
        bool, typer.Option("--recreate", help="Make a new anchor for a journal that lost it; you vouch for its rows.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Attest what you did without this anchor, from another host.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why that was needed; it is recorded.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show, move, mend or make anew the file that remembers the journal's last row."""
    with errors_in_one_sentence():
        journal = journal_at(place, anchor=path)
        if not isinstance(journal, AnchoredJournal) or journal.anchor is None:
            raise InvalidParameter(f"{journal.place} has no anchor: name one with --anchor")
        if recreate and accept:
            raise InvalidParameter("say one of: --recreate for an anchor that is lost, --accept for one that is there")
        if (recreate or accept) and not reason.strip():
            raise InvalidParameter("say why the anchor was lost or left out with --reason; it is recorded")
        if recreate:
            journal.recreate_anchor(reason=reason)
        if accept:
            journal.accept_acts(reason=reason)
        journal.open()
        if move is not None:
            journal.move_anchor(move)
        show_anchor(journal.anchor, journal.head(), Console(), as_json=as_json)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far a long work is, and give it a way to tell that."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _seen(reader: Reader, *, last: int) -> tuple[dict[str, Any], list[dict[str, Any]], bool]:
    """What a ledger has promised, the questions if they are few enough to count, and whether an anchor was compared."""
    found = report(reader)
    few = last and found["head"]["sequence"] < MANY
    return found, questions(reader) if few else [], reader.compared


def _verified(journal: Journal, told: Callable[[int, int], None]) -> tuple[int, str]:
    return journal.verify(told), journal.head().hash.hex()


def _rewrite(reader: Reader, write: Callable[[Journal, TextIO], None], text: Any) -> None:  # noqa: ANN401 - a file
    """Write everything from the beginning: it may be the second look."""
    text.seek(0)
    text.truncate()
    write(reader, text)


def _tell_uncompared(*, compared: bool) -> None:
    if not compared:
        tell("not compared with an anchor: if the ledger has one, name it with --anchor")


def _backup(path: str | Path) -> Journal:
    found = Backup(path)
    found.open()
    return found


def _opened(place: str, anchor: Path | None) -> Journal:
    journal = journal_at(place, anchor=anchor)
    journal.open()
    return journal


def _refuse_existing(journal: Journal) -> None:
    try:
        journal.open()
    except LedgerUnavailable:
        return
    raise InvalidParameter(f"there is a ledger at {journal.place} already: see it with `privet ledger show`")


def _limit(epsilon: str | None, delta: str | None, rho: str | None, gamma: str | None) -> Promise | None:
    if rho is not None:
        if epsilon is not None or delta is not None or gamma is not None:
            raise InvalidParameter("give --rho, or --epsilon and --delta, not both")
        return ConcentratedGuarantee(rho)
    if epsilon is None:
        if delta is not None or gamma is not None:
            raise InvalidParameter("--delta and --gamma need --epsilon beside them")
        return None
    return Guarantee(epsilon, delta or 0, gamma or 0)


def _rule(text: str | None, limit: Promise) -> SpendingRule:
    if text is None:
        return ZcdpSum() if isinstance(limit, ConcentratedGuarantee) else EpsilonSum()
    name, _, parameter = text.partition(":")
    if name == "epsilon":
        return EpsilonSum(delta_per_answer=parameter or 0)
    if name == "renyi" and parameter:
        return RenyiSum(order=parameter)
    if name in ("zcdp", "gaussian") and not parameter:
        return ZcdpSum() if name == "zcdp" else GaussianSum()
    raise InvalidParameter(f"a rule is epsilon, epsilon:1e-8, zcdp, renyi:16 or gaussian, got {text!r}")
