"""Data for benchmarks/learn.py, and what is public about it: bounds and classes as round numbers an expert would give.

scikit-learn brings some sets. Others are read from a folder that is told by --data or PRIVET_DATA: the UCI files of
Adult, bike sharing, protein structure, airfoil noise, car mileage, Istanbul's stock market and red wine, and
California's housing, packed by gzip or not. A set whose file is not there is left out.
"""

import csv
import gzip
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

Pairs = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Dataset:
    """Rows with what is public about them.

    Args:
        name: how it is called on the page.
        rows: X, clipped to the bounds.
        target: y: whole numbers from 0, or numbers clipped to target_bounds.
        lower, upper: public bounds of every column.
        target_bounds: public bounds of a number; None for classes.
        norm: the longest that a row can be whose columns are mapped to [0, 1], where that is less than √columns.
    """

    name: str
    rows: Any
    target: Any
    lower: Any
    upper: Any
    target_bounds: tuple[float, float] | None = None
    norm: float | None = None

    @classmethod
    def of(  # noqa: PLR0913 - the fields
        cls,
        name: str,
        rows: Any,  # noqa: ANN401 - an array
        target: Any,  # noqa: ANN401 - an array
        bounds: Pairs | tuple[float, float],
        *,
        target_bounds: tuple[float, float] | None = None,
        norm: float | None = None,
    ) -> "Dataset":
        """Clip the rows to their bounds; what is missing becomes the middle."""
        table = np.asarray(rows, dtype=float)
        ends = np.broadcast_to(np.asarray(bounds, dtype=float), (table.shape[1], 2))
        lower, upper = ends[:, 0].copy(), ends[:, 1].copy()
        table = np.where(np.isnan(table), (lower + upper) / 2, np.clip(table, lower, upper))
        wanted = np.asarray(target) if target_bounds is None else np.clip(np.asarray(target, float), *target_bounds)
        return cls(name, table, wanted, lower, upper, target_bounds, norm)

    @property
    def classes(self) -> list[int] | None:
        """The labels, which are public."""
        return None if self.target_bounds else list(range(int(self.target.max()) + 1))


def bundled() -> list[Dataset]:
    """What scikit-learn brings."""
    iris, wine, cells, digits, diabetes = (
        load(return_X_y=True)
        for load in (
            datasets.load_iris,
            datasets.load_wine,
            datasets.load_breast_cancer,
            datasets.load_digits,
            datasets.load_diabetes,
        )
    )
    wine_most = (20, 10, 5, 50, 200, 5, 10, 1, 5, 20, 2, 5, 2000)
    means = (30, 50, 200, 3000, 0.2, 0.5, 0.5, 0.5, 0.5, 0.1)
    errors = (5, 5, 25, 600, 0.05, 0.2, 0.5, 0.1, 0.1, 0.05)
    worst = (50, 50, 300, 5000, 0.5, 2, 2, 0.5, 1, 0.5)
    return [
        Dataset.of("iris", iris[0], iris[1], (0, 10)),
        Dataset.of("wine", wine[0], wine[1], [(0, most) for most in wine_most]),
        Dataset.of("breast cancer", cells[0], cells[1], [(0, most) for most in (*means, *errors, *worst)]),
        Dataset.of("digits", digits[0], digits[1], (0, 16)),
        Dataset.of("diabetes", diabetes[0], diabetes[1], (-0.2, 0.2), target_bounds=(0, 400)),
    ]


HOUSES = ((-125, -114), (32, 42), (0, 60), (0, 10_000), (0, 2_000), (0, 5_000), (0, 2_000), (0, 15))
BIKES = ((1, 4), (0, 1), (1, 12), (0, 23), (0, 1), (0, 6), (0, 1), (1, 4), (0, 1), (0, 1), (0, 1), (0, 1))
PROTEINS = ((0, 50_000), (0, 20_000), (0, 1), (0, 500), (0, 6e6), (0, 700), (0, 10_000), (0, 400), (0, 70))
WINES = ((0, 20), (0, 2), (0, 1), (0, 20), (0, 1), (0, 100), (0, 300), (0.98, 1.01), (2, 5), (0, 3), (5, 20))
CARS = ((3, 8), (0, 500), (0, 250), (1500, 5500), (5, 25), (70, 82), (1, 3))
SOUNDS = ((0, 20_000), (0, 25), (0, 0.5), (0, 100), (0, 0.1))


def from_folder(folder: Path) -> list[Dataset]:
    """The sets whose files are in the folder, or in its folder uci_regression."""
    found = []
    makers: list[Callable[[Path], Dataset | None]] = [adult, houses, *(partial(numbers, *each) for each in NUMBERS)]
    for make in makers:
        made = make(folder)
        if made is not None:
            found.append(made)
            if made.name == "adult":
                found.append(only_numbers(made))
    return found


def only_numbers(data: Dataset) -> Dataset:
    """Adult without its categories."""
    few = len(AGES)
    return Dataset(f"{data.name}, numbers", data.rows[:, :few], data.target, data.lower[:few], data.upper[:few])


# A file, its name on the page, the column of the target, the columns that are used, and bounds of these and the target.
NUMBERS: tuple[tuple[str, str, int, Iterable[int], Pairs | tuple[float, float], tuple[float, float]], ...] = (
    ("hour.csv", "bikes", 18, range(4, 16), BIKES, (0, 1000)),
    ("CASP.csv", "proteins", 0, range(1, 10), PROTEINS, (0, 25)),
    ("airfoil_self_noise.dat.txt", "airfoil", 5, range(5), SOUNDS, (100, 150)),
    ("auto-mpg.txt", "cars", 0, range(1, 8), CARS, (0, 50)),
    ("stock.txt", "stocks", 3, range(4, 12), (-0.1, 0.1), (-0.1, 0.1)),
    ("winequality-red.csv", "red wine", 11, range(11), WINES, (0, 10)),
)


def numbers(  # noqa: PLR0913, PLR0917 - the columns of the table above
    file: str,
    name: str,
    target: int,
    columns: Iterable[int],
    bounds: Pairs | tuple[float, float],
    target_bounds: tuple[float, float],
    folder: Path,
) -> Dataset | None:
    """A table of numbers without a head."""
    lines = _lines(folder, file)
    if lines is None:
        return None
    rows = [line.replace(",", " ").replace(";", " ").split() for line in lines]
    table = np.array([[_number(value) for value in row] for row in rows])  # dates are no numbers, and not used
    return Dataset.of(name, table[:, list(columns)], table[:, target], bounds, target_bounds=target_bounds)


def houses(folder: Path) -> Dataset | None:
    """California's blocks in 1990."""
    lines = _lines(folder, "california_housing.csv")
    if lines is None:
        return None
    table = np.array([[_number(value) for value in row[:9]] for row in list(csv.reader(lines))[1:]])
    return Dataset.of("houses", table[:, :8], table[:, 8], HOUSES, target_bounds=(0, 500_000))


AGES = {0: (17, 90), 4: (1, 16), 10: (0, 20_000), 11: (0, 3_000), 12: (0, 80)}  # columns of Adult that are numbers
KINDS = {
    1: "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked",
    5: "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse",
    6: "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
    "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces",
    7: "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    8: "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    9: "Female Male",
}


def adult(folder: Path) -> Dataset | None:
    """Adult: five numbers, and six columns of public categories as zeros and ones; education is among the numbers."""
    parts = [_lines(folder, "adult.data"), _lines(folder, "adult.test")]
    if None in parts:
        return None
    rows = [[each.strip() for each in row] for part in parts for row in csv.reader(part or []) if len(row) == 15]
    plain = [[_number(row[place]) for row in rows] for place in AGES]
    marks = [[float(row[place] == kind) for row in rows] for place, kinds in KINDS.items() for kind in kinds.split()]
    bounds = [*AGES.values(), *[(0, 1)] * len(marks)]
    target = np.array([int(row[14].startswith(">50K")) for row in rows])
    longest = float(np.sqrt(len(AGES) + len(KINDS)))  # of each kind one mark at most
    return Dataset.of("adult", np.array([*plain, *marks]).T, target, bounds, norm=longest)


def synthetic(*, classes: bool) -> Dataset:
    """100,000 rows of 20 columns, for times."""
    rows, labels = datasets.make_classification(
        100_000, 20, n_informative=10, n_redundant=4, n_classes=2, class_sep=1.0, random_state=7
    )
    if classes:
        return Dataset.of("100,000 x 20", rows, labels, (-10, 10))
    source = np.random.default_rng(1)
    target = np.clip(rows, -10, 10) @ source.normal(size=20) * 3 + source.normal(size=len(rows)) * 10
    return Dataset.of("100,000 x 20", rows, target, (-10, 10), target_bounds=(-200, 200))


def _lines(folder: Path, name: str) -> list[str] | None:
    opened: dict[str, Callable[..., Any]] = {"": open, ".gz": gzip.open}
    for place in (folder, folder / "uci_regression"):
        for ending, opener in opened.items():
            if (place / (name + ending)).exists():
                with opener(place / (name + ending), "rt", encoding="utf-8") as file:
                    return [line for line in file.read().splitlines() if line.strip()]
    return None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
