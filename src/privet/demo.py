"""The demonstration behind `privet demo`: private answers about a generated table of people.

The people are invented, from a fixed seed, so that the true answers may be shown beside the private ones; the noise is
real and differs from run to run.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import readable
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import DiscreteLaplace
from privet.noise import GaussianLaw, Lattice
from privet.noise.for_tests import seeded_entropy_for_tests

PERSON = Unit("person")
CONFIDENCE = 0.95
SALARY_BOUNDS = (20_000, 200_000)
AGE_EDGES = (18, 30, 40, 50, 60, 70, 100)
SHARES = {"count": Fraction(2, 10), "mean": Fraction(3, 10), "histogram": Fraction(5, 10)}


@dataclass(frozen=True)
class People:
    """A table with a row for each person."""

    age: NDArray[np.int64]
    salary: NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """One private number: what it says, how far off it may be, and what it would have been without privacy."""

    question: str
    value: float
    margin: float
    truth: float
    price: Fraction


def generate_people(rows: int) -> People:
    """Return invented people: ages around 45, salaries lognormal around 49,000, the same on every run."""
    source = seeded_entropy_for_tests(2026)
    fine = Lattice(exponent=-10)
    age = 45 + GaussianLaw(scale=15).many(source, rows)
    spread = fine.to_floats(GaussianLaw(1 / fine.step).many(source, rows))
    return People(np.clip(age.astype(np.int64), 18, 99), np.exp(10.8 + 0.45 * spread))


def ask_everything(people: People, *, ledger: Ledger, epsilon: Fraction) -> list[Answer]:
    """Return the answers to the demonstration's questions; the ledger is charged epsilon for all of them.

    Privacy:
        A person is present or absent in one row. Each row counts once (sensitivity 1), adds at most the upper bound to
        the sum of clipped salaries, and lies in one age group. The mean is computed from released numbers only.
    """
    count = _ask_count(people, ledger, SHARES["count"] * epsilon)
    mean = _ask_mean(people, count, ledger, SHARES["mean"] * epsilon)
    return [count, mean, *_ask_histogram(people, ledger, SHARES["histogram"] * epsilon)]


def _ask_count(people: People, ledger: Ledger, epsilon: Fraction) -> Answer:
    one = Sensitivity(1)
    secret = Sensitive.later(lambda: len(people.age), one, PERSON)
    mechanism = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=one)
    count = ledger.release(secret, mechanism, purpose="how many people")
    return Answer("people", float(count.value), count.margin(CONFIDENCE), len(people.age), epsilon)


def _ask_mean(people: People, count: Answer, ledger: Ledger, epsilon: Fraction) -> Answer:
    low, high = map(float, SALARY_BOUNDS)
    clipped = np.rint(np.clip(people.salary, low, high)).astype(np.int64)  # whole numbers add up exactly
    reach = Sensitivity(SALARY_BOUNDS[1])
    secret = Sensitive.later(lambda: int(clipped.sum()), reach, PERSON)
    mechanism = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=reach)
    total, number = ledger.release(secret, mechanism, purpose="total of salaries"), count.value
    value = min(max(float(total.value) / number, low), high) if number > 0 else (low + high) / 2
    # Each part fails with half the remaining probability, so both hold together at the stated confidence.
    (least, most), spread = total.interval((1 + CONFIDENCE) / 2), _count_margin(count.price)
    if number > spread:
        low = max(low, float(least) / (number + spread))
        high = min(high, float(most) / (number - spread))
    return Answer("mean salary", value, max(high - value, value - low), float(np.mean(clipped)), epsilon)


def _count_margin(epsilon: Fraction) -> float:
    return DiscreteLaplace(l1_sensitivity=1, scale=1 / epsilon).uncertainty.margin((1 + CONFIDENCE) / 2)


def _ask_histogram(people: People, ledger: Ledger, epsilon: Fraction) -> list[Answer]:
    one = Sensitivity(1)
    truth, _ = np.histogram(people.age, bins=AGE_EDGES)
    mechanism = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=one)
    release = ledger.release(Sensitive.later(lambda: truth, one, PERSON), mechanism, purpose="people by age")
    margin = release.margin(CONFIDENCE, simultaneous=True)
    names = [f"aged {low} to {high - 1}" for low, high in pairwise(AGE_EDGES)]
    prices = [epsilon] + [Fraction(0)] * (len(names) - 1)  # one price for all the disjoint groups
    rows = zip(names, np.asarray(release.value), truth, prices, strict=True)
    return [Answer(name, float(value), margin, float(exact), price) for name, value, exact, price in rows]


def show(answers: list[Answer], *, rows: int, console: Console) -> None:
    """Print the answers as a table with margins and prices."""
    table = Table(title=f"{rows:,} generated people", title_justify="left", caption_justify="left")
    table.add_column("question")
    for column in ("private answer", f"± ({CONFIDENCE:.0%})", "true answer", "spent ε"):
        table.add_column(column, justify="right")
    for answer in answers:
        price = readable(answer.price) if answer.price else "with above"
        numbers = (f"{number:,.0f}" for number in (answer.value, answer.margin, answer.truth))
        table.add_row(answer.question, *numbers, price)
    table.caption = "The true answers are shown only because these people are invented."
    console.print(table)


def show_receipt(ledger: Ledger, *, console: Console) -> None:
    """Print what the ledger recorded, and what it all reveals about one person."""
    receipt = Table(title="The ledger", title_justify="left", caption_justify="left")
    for column in ("", "purpose", "mechanism", "charged"):
        receipt.add_column(column)
    for entry in ledger.entries:
        receipt.add_row(str(entry.sequence), entry.purpose, entry.mechanism, f"ε = {readable(entry.cost.epsilon)}")
    spent, left = readable(ledger.spent.epsilon), readable(ledger.remaining.epsilon)
    receipt.caption = f"spent ε = {spent} of {readable(ledger.spent.epsilon + ledger.remaining.epsilon)}, {left} left"
    console.print(receipt)
    loss = sum_of(entry.loss for entry in ledger.entries)
    console.print(
        "Whether one person's row is there or not changes the chance of any\n"
        f"such table by a factor of at most e^ε = {math.exp(float(ledger.spent.epsilon)):.4g}: who was 50% sure that\n"
        f"someone is in the data can become at most {loss.posterior(0.5)[1]:.0%} sure. On average over\n"
        f"the noise the loss is {loss.renyi(1):.2g}."
    )


def run(*, rows: int, epsilon: float, console: Console) -> None:
    """Generate the people, ask, and show."""
    if not 1 <= rows <= 10_000_000:  # noqa: PLR2004 - what a demonstration can hold
        raise InvalidParameter(f"rows must be between 1 and 10,000,000, got {rows}")
    if not 0.0001 <= epsilon <= 100:  # noqa: PLR2004 - beyond, the table says nothing, or hides nothing
        raise InvalidParameter(f"epsilon must be between 0.0001 and 100, got {epsilon}: 0.1 to 1 is usual")
    exact = Fraction(str(epsilon))
    with console.status(f"generating {rows:,} people"):
        people = generate_people(rows)
    ledger = Ledger(Guarantee(exact), unit=PERSON)
    show(ask_everything(people, ledger=ledger, epsilon=exact), rows=rows, console=console)
    show_receipt(ledger, console=console)
