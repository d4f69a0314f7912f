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

from privet.errors import InvalidParameter
from privet.loss import DiscreteLaplaceCurve, LaplaceCurve, PrivacyLoss
from privet.noise import DiscreteLaplaceLaw, Entropy, GaussianLaw, LaplaceLaw, Lattice
from privet.noise.for_tests import seeded_entropy_for_tests

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


def ask_everything(people: People, *, epsilon: Fraction, entropy: Entropy) -> list[Answer]:
    """Return the answers to the demonstration's questions; together they are epsilon-DP.

    Privacy:
        A person is present or absent in one row. Each row counts once (sensitivity 1), adds at most the upper bound to
        the sum of clipped salaries, and lies in one age group; so count, sum and histogram cost their shares of
        epsilon, which add up by basic composition. The mean is computed from released numbers only.
    """
    count = _ask_count(people, SHARES["count"] * epsilon, entropy)
    mean = _ask_mean(people, count, SHARES["mean"] * epsilon, entropy)
    return [count, mean, *_ask_histogram(people, SHARES["histogram"] * epsilon, entropy)]


def loss_of_everything(epsilon: Fraction) -> PrivacyLoss:
    """Return what all the answers together reveal: three noises, fixed before the first answer, composed exactly."""
    count, mean, histogram = (SHARES[name] * epsilon for name in ("count", "mean", "histogram"))
    counts = PrivacyLoss.of(DiscreteLaplaceCurve(1 / count)) + PrivacyLoss.of(DiscreteLaplaceCurve(1 / histogram))
    return counts + PrivacyLoss.of(LaplaceCurve(mean))


def _ask_count(people: People, epsilon: Fraction, entropy: Entropy) -> Answer:
    noise = DiscreteLaplaceLaw(1 / epsilon).one(entropy)
    truth = len(people.age)
    return Answer("people", truth + noise, _margin(1 / epsilon, CONFIDENCE), truth, epsilon)


def _ask_mean(people: People, count: Answer, epsilon: Fraction, entropy: Entropy) -> Answer:
    low, high = map(float, SALARY_BOUNDS)
    clipped = np.clip(people.salary, low, high)
    lattice = Lattice.finer_than(high / epsilon)
    scale = lattice.widened(high) / epsilon  # in lattice steps
    noisy = lattice.total(lattice.to_steps(clipped)) + LaplaceLaw(scale).one(entropy)
    total, number = lattice.to_float(noisy), count.value
    value = min(max(total / number, low), high) if number > 0 else (low + high) / 2
    # Each part fails with half the remaining probability, so both hold together at the stated confidence.
    total_margin = _margin(scale, (1 + CONFIDENCE) / 2) * float(lattice.step)
    number_margin = _margin(1 / count.price, (1 + CONFIDENCE) / 2)
    if number > number_margin:
        low = max(low, (total - total_margin) / (number + number_margin))
        high = min(high, (total + total_margin) / (number - number_margin))
    margin = max(high - value, value - low)
    return Answer("mean salary", value, margin, float(np.mean(clipped)), epsilon)


def _ask_histogram(people: People, epsilon: Fraction, entropy: Entropy) -> list[Answer]:
    truth, _ = np.histogram(people.age, bins=AGE_EDGES)
    noise = DiscreteLaplaceLaw(1 / epsilon).many(entropy, len(truth))
    margin = _margin(1 / epsilon, 1 - (1 - CONFIDENCE) / len(truth))  # holds for all groups together
    names = [f"aged {low} to {high - 1}" for low, high in pairwise(AGE_EDGES)]
    prices = [epsilon] + [Fraction(0)] * (len(names) - 1)  # one price for all the disjoint groups
    rows = zip(names, truth + noise, truth, prices, strict=True)
    return [Answer(name, float(value), margin, float(exact), price) for name, value, exact, price in rows]


def _margin(scale: Fraction, confidence: float) -> float:
    """Return the distance from zero that rounded or discrete Laplace noise keeps with at least this confidence."""
    return math.ceil(float(scale) * -math.log1p(-confidence))


def show(answers: list[Answer], *, rows: int, epsilon: Fraction, console: Console) -> None:
    """Print the answers as a table with margins and prices, and what was spent."""
    table = Table(title=f"{rows:,} generated people", title_justify="left", caption_justify="left")
    table.add_column("question")
    for column in ("private answer", f"± ({CONFIDENCE:.0%})", "true answer", "spent ε"):
        table.add_column(column, justify="right")
    for answer in answers:
        price = f"{float(answer.price):.3g}" if answer.price else "with above"
        numbers = (f"{number:,.0f}" for number in (answer.value, answer.margin, answer.truth))
        table.add_row(answer.question, *numbers, price)
    table.caption = f"spent ε = {float(sum(a.price for a in answers)):.3g} of {float(epsilon):.3g}"
    console.print(table)
    loss = loss_of_everything(epsilon)
    even_odds = loss.posterior(0.5)[1]
    console.print(
        "The true answers are shown only because these people are invented.\n"
        "Whether one person's row is there or not changes the chance of any\n"
        f"such table by a factor of at most e^ε = {math.exp(epsilon):.4g}: who was 50% sure that\n"
        f"someone is in the data can become at most {even_odds:.0%} sure. On average over\n"
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
    show(ask_everything(people, epsilon=exact, entropy=Entropy()), rows=rows, epsilon=exact, console=console)
