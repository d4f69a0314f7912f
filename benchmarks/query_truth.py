"""What is public about the table that queries are measured on, and how far answers are from the truth.

It runs in the environments of all peers, so it needs nothing but Python.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

CITIES = tuple(f"city{number:02d}" for number in range(50))
LOW, HIGH = 20_000, 200_000  # the bounds of a salary
ROWS_PER_UNIT = 4
KINDS = ("count", "sum", "avg")

Truth = Mapping[str, list[float]]  # by city: what each kind should be


@dataclass(frozen=True)
class Error:
    """A root mean squared error over all cities and answers, and its own standard error."""

    rmse: float
    give_or_take: float
    answers: int

    def no_larger_than(self, other: "Error") -> bool:
        """Whether it is no larger, as far as three standard errors of their difference can tell."""
        return self.rmse <= other.rmse + 3 * math.hypot(self.give_or_take, other.give_or_take)

    def __str__(self) -> str:
        return f"{rounded(self.rmse, 3)} ± {rounded(self.give_or_take, 1)}"


def error_of(kind: str, answers: Iterable[Mapping[str, float]], truth: Truth) -> Error:
    """How far answers, each by city, are from the truth. A city without an answer counts as 0, NaN as the low end."""
    place = KINDS.index(kind)
    squares = []
    number = 0
    for number, answer in enumerate(answers, 1):  # noqa: B007 - how many there were
        for city, exact in truth.items():
            found = float(answer.get(city) or 0)
            squares.append(((LOW if math.isnan(found) else found) - exact[place]) ** 2)
    mean = math.fsum(squares) / len(squares)
    spread = math.fsum((square - mean) ** 2 for square in squares) / max(1, len(squares) - 1)
    rmse = math.sqrt(mean)
    return Error(rmse, math.sqrt(spread / len(squares)) / (2 * rmse) if rmse else 0.0, number)


def rounded(number: float, digits: int) -> str:
    """A number with so many digits that mean something.

    Example:
        >>> rounded(1_131_370.8, 3), rounded(5.657, 3), rounded(43.1, 1), rounded(0.0, 1)
        ('1,130,000', '5.66', '40', '0')
    """
    places = digits - 1 - math.floor(math.log10(number)) if number > 0 else 0
    return f"{round(number, places):,.{max(0, places)}f}"


def read_truth(file: Path) -> dict[str, list[float]]:
    """As `query_data.bounded_truth` wrote it."""
    truth: dict[str, list[float]] = json.loads(file.read_text(encoding="utf-8"))
    return truth
