"""ClassTables: noisy counts of the rows of each class in the cells of one or several tables."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.core import Release, Sensitivity
from privet.learn.features import Floats
from privet.learn.fitting import Fitting, budget_of, replaces
from privet.learn.moved_counts import moved_counts
from privet.learn.rows import Rows
from privet.learn.sum_noise import sum_noise
from privet.mechanisms.least_noise import Noise, standard_deviation

Codes = Callable[[Floats], NDArray[np.int64]]


@dataclass(frozen=True)
class ClassTables:
    """Counts of the rows of each class, in tables side by side.

    Args:
        counts: a row for each class, with the cells of all tables.
        sizes: how many cells each table has.
        noise: the standard deviation of each count.
    """

    counts: Floats
    sizes: tuple[int, ...]
    noise: float

    def __add__(self, other: "ClassTables") -> "ClassTables":
        return ClassTables(self.counts + other.counts, self.sizes, math.hypot(self.noise, other.noise))

    @property
    def totals(self) -> tuple[Floats, float]:
        """How many rows each class has, and the standard deviation of that: every table says it, small ones best.

        Proof: each table's cells add up to the rows of a class, with the noise of its cells; the weights of the least
            variance are inverse to variances, so to sizes.
        """
        weights = 1 / np.array(self.sizes, dtype=np.float64)
        sums = np.stack([table.sum(axis=1) for table in self.tables])
        found: Floats = (weights[:, None] * sums).sum(axis=0) / weights.sum()
        return found, self.noise / math.sqrt(float(weights.sum()))

    @property
    def tables(self) -> list[Floats]:
        """The counts of each table, a row for each class."""
        return np.split(self.counts, np.cumsum(self.sizes)[:-1], axis=1)


def count_noise(payment: Payment, tables: int, moved: int) -> tuple[Sensitivity, Noise]:
    """How far a unit moves counts in so many tables, and the noise of the least variance for that.

    Args:
        payment: the price, and who is protected.
        tables: in each of which a row counts in one cell.
        moved: how many rows a unit can have.

    Privacy: from public numbers only.
    """
    sensitivity = moved_counts(tables, moved, replaces=replaces(payment))
    return sensitivity, sum_noise(budget_of(payment), sensitivity)


def released_tables(
    fitting: Fitting, codes: Codes, *, sizes: tuple[int, ...], classes: int = 1
) -> tuple[ClassTables, Release[NDArray[np.float64]]]:
    """Pay for the counts, and release them.

    Args:
        fitting: the rows; with a target if there are several classes.
        codes: for rows of X, the cell of each row in each table: of that row and public facts alone.
        sizes: how many cells each table has.
        classes: how many classes.

    Privacy: as `fitting.release`; a row counts in one cell of each table, whatever it holds (`moved_counts`).
    """
    sensitivity, mechanism = count_noise(fitting.payment, len(sizes), fitting.moved_rows)
    starts = np.cumsum((0, *sizes[:-1]))
    cells = sum(sizes)

    def counts(rows: Rows) -> NDArray[np.int64]:
        if rows.target is None:
            features, labels = rows.read_features(), np.zeros(1, dtype=np.int64)
        else:
            features, labels = rows.read_pairs()
        places = codes(features) + starts + labels[:, None] * cells
        found = np.bincount(places.ravel(), minlength=classes * cells).astype(np.int64)
        return found.reshape(classes, cells)

    release = fitting.release(counts, sensitivity, mechanism)
    return ClassTables(np.asarray(release.value, dtype=np.float64), sizes, standard_deviation(mechanism)), release
