"""Differencing: two harmless answers, one person's secret between them.

Three stories. The total of a midterm (hence its average), before and after one student joins. The total of salaries,
with and without one person. The slope of a model, fitted with and without one person. Without privacy the difference is
her value, to the last digit; with privacy the attack still runs, and what it finds is noise.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from telling import rounded_up, show, tell

import privet
from privet import Guarantee, Ledger, Unit

PERSON = Unit("person")
EPSILON = Fraction(1)


@dataclass(frozen=True)
class Story:
    """A column whose total is published with her and without her; she is the last row."""

    name: str
    low: float
    high: float
    secret: float
    column: np.ndarray
    bounds: tuple[int, int]
    factor: float = 1.0  # from the difference of the totals to her secret

    def without_privacy(self) -> float:
        """What the attacker finds in two exact totals."""
        return float(self.column.sum() - self.column[:-1].sum()) * self.factor

    def with_privacy(self) -> tuple[float, float]:
        """The same attack on two private totals: what it finds, and how far off that may be (95%)."""
        ledger = Ledger(Guarantee(EPSILON), unit=PERSON)  # two answers about the same people: half of the limit each
        after, before = (
            privet.total(column, bounds=self.bounds, epsilon=EPSILON / 2, ledger=ledger)
            for column in (self.column, self.column[:-1])
        )
        margin = after.margin(0.975) + before.margin(0.975)
        return (float(after.value) - float(before.value)) * self.factor, margin * self.factor


def midterm() -> Story:
    """The total of scores between 0 and 100 is published before and after she joins a class of 30."""
    others = np.random.default_rng(15).integers(40, 101, 30)
    return Story("midterm score", 0, 100, 37, np.append(others, 37), (0, 100))


def salary() -> Story:
    """A total of salaries is published, and one "without the management", which is one person."""
    others = np.clip(np.rint(np.random.default_rng(16).lognormal(10.9, 0.4, 200)), 20_000, 200_000)
    return Story("salary", 20_000, 200_000, 187_500, np.append(others, 187_500), (20_000, 200_000))


def model() -> Story:
    """A line y = slope x is fitted with her and without her; the attacker knows everybody's x, hers among them.

    The slope is (sum of x y) / (sum of x²). Times the sum of x², which the attacker knows, it is the sum of x y: two
    slopes give her x y, hence her y.
    """
    random = np.random.default_rng(17)
    x = np.append(random.random(500), 0.9)
    y = np.append(np.clip(0.8 * x[:-1] + random.normal(0, 0.1, 500), 0, 1), 0.15)
    return Story("y behind a model", 0, 1, 0.15, x * y, (0, 1), factor=1 / 0.9)


STORIES = (midterm, salary, model)


def main() -> None:
    lines = []
    for story in (make() for make in STORIES):
        found, margin = story.with_privacy()
        lines.append(
            (
                story.name,
                f"{story.low:,g} to {story.high:,g}",
                f"{story.secret:,.10g}",
                f"{story.without_privacy():,.10g}",
                f"{found:,.0f}",
                rounded_up(margin),
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
