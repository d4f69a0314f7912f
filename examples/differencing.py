"""Differencing: two harmless answers, one person's secret between them.

Three stories. The total of a midterm (hence its average), before and after one student joins. The total of salaries,
with and without one person. The slope of a model, fitted with and without one person. Without privacy the difference is
her value, to the last digit; with privacy the attack still runs, and what it finds is noise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from telling import show, tell

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.mechanisms import Laplace

PERSON = Unit("person")
EPSILON = Fraction(1)


@dataclass(frozen=True)
class Story:
    """What is published twice, what the attacker makes of the two, and what the secret is."""

    name: str
    low: float
    high: float
    secret: float
    published: tuple[
        np.ndarray, np.ndarray
    ]  # sums with her and without her: one person moves a cell by at most `moves`
    moves: float
    recover: Callable[[np.ndarray, np.ndarray], float]
    magnified: float = 1.0  # how much an error of a sum grows on the way


def midterm() -> Story:
    """The total of scores between 0 and 100 is published before and after she joins a class of 30."""
    scores = np.random.default_rng(15).integers(40, 101, 30)
    her = 37.0
    return Story(
        "midterm score",
        0,
        100,
        her,
        (np.array([scores.sum() + her]), np.array([scores.sum()])),
        100,
        lambda after, before: float(after[0] - before[0]),
    )


def salary() -> Story:
    """A total of salaries is published, and one "without the management", which is one person."""
    salaries = np.clip(np.rint(np.random.default_rng(16).lognormal(10.9, 0.4, 200)), 20_000, 200_000)
    her = 187_500.0
    return Story(
        "salary",
        20_000,
        200_000,
        her,
        (np.array([salaries.sum() + her]), np.array([salaries.sum()])),
        200_000,
        lambda everyone, others: float(everyone[0] - others[0]),
    )


def model() -> Story:
    """A line y = slope x is fitted with her and without her; the attacker knows her x, and the sum of squares.

    The slope is (sum of x y) / (sum of x²), so two slopes give her x y, hence y. What is published is the two sums.
    """
    random = np.random.default_rng(17)
    x = random.random(500)
    y = np.clip(0.8 * x + random.normal(0, 0.1, 500), 0, 1)
    her_x, her_y = 0.9, 0.15
    others = np.array([x @ y, x @ x])
    with_her = others + np.array([her_x * her_y, her_x**2])

    def recovered(after: np.ndarray, before: np.ndarray) -> float:
        slopes = after[0] / after[1], before[0] / before[1]
        return float((slopes[0] * after[1] - slopes[1] * before[1]) / her_x)

    return Story("y behind a model", 0, 1, her_y, (with_her, others), 1, recovered, 1 / her_x)


def attacked_privately(story: Story) -> tuple[float, float]:
    """The same attack on private answers: what it finds, and how far off that may be (95%)."""
    cells = len(story.published[0])
    moved = Sensitivity(Fraction(story.moves), cells=cells)
    mechanism = Laplace.calibrated(epsilon=EPSILON / 2, sensitivity=moved)
    ledger = Ledger(Guarantee(EPSILON), unit=PERSON)  # two answers about the same people: half of the limit each
    after, before = (
        ledger.release(
            Sensitive.later(partial(np.copy, sums), moved, PERSON), mechanism, purpose=f"{story.name}, {when}"
        )
        for sums, when in zip(story.published, ("with her", "without her"), strict=True)
    )
    found = story.recover(np.asarray(after.value), np.asarray(before.value))
    return found, 2 * story.magnified * after.margin(0.975)


STORIES = (midterm, salary, model)


def main() -> None:
    lines = []
    for story in (make() for make in STORIES):
        exact = story.recover(*story.published)
        found, margin = attacked_privately(story)
        lines.append(
            (
                story.name,
                f"{story.low:,g} to {story.high:,g}",
                f"{story.secret:,.10g}",
                f"{exact:,.10g}",
                f"{found:,.4g}",
                f"{margin:,.0f}",
            )
        )
    show(
        f"One person's secret, from two answers (private: ε = {EPSILON} for both together)",
        ("what", "can be", "secret", "found without privacy", "found with privacy", "± (95%)"),
        lines,
        note="With privacy the attacker's interval is wider than everything the secret could be.",
    )
    tell("Both private answers stay useful for the many: the noise does not grow with the number of people.")


if __name__ == "__main__":
    main()
