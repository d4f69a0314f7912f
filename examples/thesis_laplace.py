"""Ferrari's thesis, tables 4.1 to 4.4: the mean of n numbers in [0, 1] with Laplace noise.

One person's number is replaced by another, so the mean moves by at most 1/n and the noise has scale 1/(n ε): its mean
magnitude is that scale. The numbers are invented, so the exact mean may be shown beside the private one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from telling import folder_for_pictures, keep, rounded_up, show, tell

import privet
from privet import Guarantee, Ledger, Release, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import Laplace

PERSON = Unit("person", neighbors="replace")
SIZES = (10**6, 10**4, 100)
TABLES = {1: "4.1", 2: "4.2", 5: "4.3"}  # by ε
THESIS = {
    (10**6, 1): 1.22,
    (10**6, 2): 0.50,
    (10**6, 5): 0.41,
    (10**4, 1): 0.88,
    (10**4, 2): 0.15,
    (10**4, 5): 1.12,
    (100, 1): 0.13,
    (100, 2): 0.40,
    (100, 5): 0.45,
}
MISPRINTS = """Misprints of the thesis, which are not repeated here:
  Table 4.2, n = 10,000: .5106 beside f(D) = .5015 is {scales:.0f} scales off, a chance of 1 in 10^{digits}.
  Table 4.4, n = 10,000, ε = 2: 7.532e-6 is not the difference that Table 4.2 shows (9.1e-3).
  f(D) of the same data changes from table to table (5.234 and 5.237, 5.014 and 5.015)."""


@dataclass(frozen=True)
class Row:
    """One line of the tables."""

    size: int
    epsilon: int
    exact: float
    release: Release[Any]
    scale: float

    @property
    def difference(self) -> float:
        """How far the private mean is off."""
        return abs(float(self.release.value) - self.exact)


def numbers(size: int) -> np.ndarray:
    """Invented numbers between 0 and 1, the same on every run."""
    return np.random.default_rng(size).random(size)


def private_mean(values: np.ndarray, *, epsilon: int, ledger: Ledger) -> Release[Any]:
    """The mean of numbers in [0, 1] whose number is public, through the ledger."""
    noise = Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(Fraction(1, len(values))))
    return privet.mean(values, bounds=(0, 1), missing="none", mechanism=noise, ledger=ledger)


def rows() -> Iterator[Row]:
    """Every line of tables 4.1 to 4.3."""
    for size in SIZES:
        values = numbers(size)
        ledger = Ledger(Guarantee(sum(TABLES)), unit=PERSON)
        for epsilon in TABLES:
            release = private_mean(values, epsilon=epsilon, ledger=ledger)
            yield Row(size, epsilon, float(values.mean()), release, 1 / (size * epsilon))


def picture(lines: list[Row]) -> Chart:
    """What table 4.4 says, at a glance."""
    expected = {f"ε = {epsilon}": (SIZES, [1 / (size * epsilon) for size in SIZES]) for epsilon in TABLES}
    seen = {
        f"ε = {epsilon}": (SIZES, [row.difference for row in lines if row.epsilon == epsilon]) for epsilon in TABLES
    }
    title = "Error of a private mean: 1/(n ε) on average (lines); this run (dots)"
    return Chart.lines(
        expected, x="people (n)", y="|private mean - mean|", title=title, log_x=True, log_y=True
    ) + Chart.points(seen, x="", y="", log_x=True, log_y=True)


def main() -> None:
    folder, lines = folder_for_pictures(__doc__), list(rows())
    for epsilon, table in TABLES.items():
        show(
            f"Table {table}: ε = {epsilon}",
            ("n", "f(D)", "private", "± (95%)", "expected |difference|"),
            [
                (
                    f"{row.size:,}",
                    f"{row.exact:.7f}",
                    f"{row.release.value:.7f}",
                    rounded_up(row.release.margin()),
                    f"{row.scale:.0e}",
                )
                for row in lines
                if row.epsilon == epsilon
            ],
        )
    show(
        "Table 4.4: absolute differences, and how many scales they are",
        ("n", "ε", "|difference|", "in scales", "in the thesis", "chance of more"),
        [
            (
                f"{row.size:,}",
                row.epsilon,
                f"{row.difference:.3e}",
                f"{row.difference / row.scale:.2f}",
                f"{THESIS[row.size, row.epsilon]:.2f}",
                f"{math.exp(-row.difference / row.scale):.2f}",
            )
            for row in lines
        ],
        note="On average a difference is one scale.",
    )
    scales = abs(0.5106 - 0.5015) * 10**4 * 2
    freely = privet.mean(numbers(100), bounds=(0, 1), missing="none", epsilon=1, unit=PERSON)
    tell(f"Left to itself, privet.mean takes the noise that errs least: {freely.mechanism}.")
    tell(MISPRINTS.format(scales=scales, digits=f"{scales / math.log(10):.0f}"))
    keep(picture(lines), folder, "table-4.4")


if __name__ == "__main__":
    main()
