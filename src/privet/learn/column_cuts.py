"""ColumnCuts: where rows lie within public bounds, so that cuts are drawn where there is something to tell apart."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.random_trees import Questions, blocks

SHARE = Fraction(1, 20)  # of the budget
BINS = 64  # equal parts of a column's bounds
QUANTILES = 32  # cuts of a column, which have about equally many rows between them
SURE = 2.0  # bins that are not fuller than so many deviations of the noise are taken to be empty
ENOUGH = 20.0  # and a column that has not so many deviations in all is cut anywhere within its bounds


@dataclass(frozen=True)
class ColumnCuts:
    """Noisy histograms of all columns that are numbers.

    Args:
        questions: what may be asked; what comes out is asked instead.
        moved_rows: how many rows one unit has, at most.
        replaces: whether neighbors have a unit replaced.

    Privacy: the histograms are released with noise, and cuts are computed from what came out.
    Proof: a row is in one bin of each of d columns, or in none where it is missing: d in L1 and √d in L2; where it is
        replaced, twice and √2 times that.
    """

    questions: Questions
    moved_rows: int
    replaces: bool

    @classmethod
    def of(cls, questions: Questions, fitting: Fitting) -> "ColumnCuts":
        """The histograms of a fit."""
        return cls(questions, fitting.moved_rows, fitting.replaces)

    @property
    def columns(self) -> list[int]:
        """The columns that are numbers."""
        return [column for column, listed in enumerate(self.questions.categories) if listed is None]

    @property
    def sensitivity(self) -> Sensitivity:
        """Of all histograms together."""
        cells = len(self.columns) * (2 if self.replaces else 1)
        return Sensitivity(
            self.moved_rows,
            cells=cells * self.moved_rows,
            l1=cells * self.moved_rows,
            l2=self.moved_rows * root_above(Fraction(cells)),
        )

    def exact(self, rows: Floats) -> NDArray[np.int64]:
        """Count [column, bin]."""
        found = np.zeros((len(self.columns), BINS), dtype=np.int64)
        low, high = self.questions.box.lower[:, None], self.questions.box.upper[:, None]
        for _, columns in blocks(rows):
            with np.errstate(all="ignore"):
                np.subtract(columns, low, out=columns)  # a block is a copy
                np.multiply(columns, BINS / (high - low), out=columns)
            missing = np.isnan(columns)
            np.clip(columns, 0, BINS - 1, out=columns)
            columns[missing] = BINS
            for number, column in enumerate(self.columns):
                found[number] += np.bincount(columns[column].astype(np.intp), minlength=BINS + 1)[:BINS]
        return found

    def asked(self, noisy: Floats, deviation: float) -> Questions:
        """The questions whose cuts have about equally many rows between them, where the noise lets that be seen."""
        cuts = list(self.questions.cuts)
        lower, upper = self.questions.box.lower, self.questions.box.upper
        for column, counts in zip(self.columns, noisy, strict=True):
            full = np.where(counts > SURE * deviation, counts, 0.0)
            if full.sum() > ENOUGH * deviation:
                ends = np.linspace(lower[column], upper[column], BINS + 1)
                shares = np.concatenate([[0.0], np.cumsum(full) / full.sum()])
                wanted = (np.arange(QUANTILES) + 0.5) / QUANTILES
                cuts[column] = np.interp(wanted, shares, ends)
        return replace(self.questions, cuts=tuple(cuts))
