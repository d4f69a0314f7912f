"""What the demonstration asks, and how it shows the answers, the truth beside them and the receipt."""

import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from shlex import quote

import numpy as np
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from privet.core import Ledger
from privet.core.journals.report import in_words
from privet.demo.hospital import CLINICS, Hospital, open_hospital
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import exact, readable
from privet.query.connect import connect
from privet.query.results.answer import Answer
from privet.query.session import Session

NEXT = "SELECT sex, AVG(age) AS age FROM patient GROUP BY sex"
SELECTING = Fraction(1, 10**6)  # δ of the one question whose groups are private


@dataclass(frozen=True)
class Example:
    """One question.

    Args:
        words: what it asks, for people.
        sql: the same, for Privet.
        share: of ε.
        truth: the exact answer in words, which only invented data may tell.
        delta: whether its groups are private, which costs δ.
    """

    words: str
    sql: str
    share: Fraction
    truth: Callable[[Hospital], str]
    delta: bool = False


def _by_sex(hospital: Hospital) -> str:
    age, sex = (hospital.patient[name].to_numpy() for name in ("age", "sex"))
    return "; ".join(f"{each}: {sum(sex == each):,}, {np.mean(age[sex == each]):.2f}" for each in ("F", "M"))


def _by_region(hospital: Hospital) -> str:
    region = np.array([CLINICS[each] for each in hospital.visit["clinic"].to_pylist()])
    pid = hospital.visit["pid"].to_numpy()
    return "; ".join(f"{each}: {len(set(pid[region == each])):,}" for each in ("north", "south"))


def _towns(hospital: Hospital) -> str:
    names, counts = np.unique(hospital.patient["town"].to_pylist(), return_counts=True)
    return f"{len(names)} towns, {names[np.argmax(counts)]} the largest with {max(counts):,}"


QUESTIONS = (
    Example(
        "How many visits were there?",
        "SELECT COUNT(*) AS visits FROM visit",
        Fraction(1, 10),
        lambda hospital: f"{hospital.visit.num_rows:,}",
    ),
    Example(
        "How many women and men, and how old are they?",
        "SELECT sex, COUNT(*) AS patients, AVG(age) AS mean_age FROM patient GROUP BY sex",
        Fraction(2, 10),
        _by_sex,
    ),
    Example(
        "Where do patients live? (Nobody has listed the towns.)",
        "SELECT town, COUNT(*) AS patients FROM patient GROUP BY town ORDER BY patients DESC",
        Fraction(3, 10),
        _towns,
        delta=True,
    ),
    Example(
        "What does a visit cost, in the median?",
        "SELECT MEDIAN(cost) AS median_cost FROM visit",
        Fraction(2, 10),
        lambda hospital: f"{np.median(hospital.visit['cost'].to_numpy()):.2f}",
    ),
    Example(
        "How many patients does each region see? (Regions are public.)",
        "SELECT region, COUNT(DISTINCT pid) AS patients FROM visit JOIN clinic USING (clinic) GROUP BY region",
        Fraction(2, 10),
        _by_region,
    ),
)


def ask(session: Session, question: Example, *, epsilon: Fraction) -> Answer:
    """One answer, for its share of ε."""
    delta = SELECTING if question.delta else None
    return session.sql(question.sql, epsilon=question.share * epsilon, delta=delta, purpose=question.words)


def run(*, patients: int, epsilon: str, console: Console, folder: Path | None = None) -> None:
    """Invent the hospital, ask, and show.

    Args:
        patients: how many.
        epsilon: what all answers together cost, as typed.
        console: where to show it.
        folder: keep the hospital here, to go on asking with as much again; otherwise it is thrown away.
    """
    if not 1 <= patients <= 1_000_000:  # noqa: PLR2004 - what a demonstration can hold
        raise InvalidParameter(f"patients must be between 1 and 1,000,000, got {patients}")
    total = exact(epsilon, "epsilon")
    if not Fraction(1, 10_000) <= total <= 100:  # noqa: PLR2004 - beyond, the tables say nothing, or hide nothing
        raise InvalidParameter(f"epsilon must be between 0.0001 and 100, got {epsilon}: 0.1 to 1 is usual")
    with tempfile.TemporaryDirectory() if folder is None else nullcontext(str(folder)) as place:
        with console.status(f"inventing {patients:,} patients"):
            hospital = open_hospital(Path(place), patients=patients, epsilon=2 * total)
        with connect(hospital.catalog, create=True) as session:
            _show_all(session, hospital, total, console)
    if folder is not None:
        _show_next(hospital.catalog, total, console)


def _show_next(catalog: Path, spent: Fraction, console: Console) -> None:
    """What to type next, each on a line of its own that can be pasted."""
    ask = f'privet ask {quote(str(catalog))} "{NEXT}" --epsilon {readable(spent / 5)}'
    console.print(Text(f"\nThe hospital stays in {catalog.parent}, with ε={readable(spent)} to go on. Next:\n"))
    for command in (
        f"{ask} --explain",
        ask,
        f"privet ledger show {quote(str(catalog.with_suffix('.ledger.db')))}",
    ):
        console.print(Text(f"  {command}", style="bold"), soft_wrap=True)


def _show_all(session: Session, hospital: Hospital, epsilon: Fraction, console: Console) -> None:
    visits = hospital.visit.num_rows
    console.print(f"An invented hospital: {hospital.patient.num_rows:,} patients, {visits:,} visits.\n")
    first = QUESTIONS[0]
    console.print("[bold]Before anything is spent, Privet says what a question costs and how good its answer will be:")
    _show_sql(first, console)
    console.print(session.explain(first.sql, epsilon=first.share * epsilon))
    for question in QUESTIONS:
        console.print(f"\n[bold]{question.words}")
        _show_sql(question, console)
        with console.status("asking"):
            answer = ask(session, question, epsilon=epsilon)
        console.print(answer)
        console.print(Text(f"true, and shown only because it is invented: {question.truth(hospital)}", style="dim"))
    _show_receipt(session.ledger, console)


def _show_sql(question: Example, console: Console) -> None:
    console.print(Syntax(question.sql, "sql", word_wrap=True, background_color="default"))


def _show_receipt(ledger: Ledger, console: Console) -> None:
    """What the ledger recorded, and what it all reveals about one patient."""
    receipt = Table(title="\nThe ledger", title_justify="left", caption_justify="left")
    for column in ("", "question", "charged"):
        receipt.add_column(column)
    charged = (entry for entry in ledger.entries if any(entry.cost.parts))
    for number, entry in enumerate(charged, start=1):
        receipt.add_row(str(number), Text(entry.purpose), str(entry.cost))
    spent, left = ledger.spent, ledger.remaining
    receipt.caption = f"spent {spent}; {left} left"
    console.print(receipt)
    meaning = in_words(Guarantee(*spent.parts), "patient")
    console.print(f"That is: {meaning}, whatever else they know.")
