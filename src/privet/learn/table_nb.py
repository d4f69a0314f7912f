"""TableNB: what naive Bayes with a table for each feature shares, however a feature's cells are declared."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.bayes_classifier import BayesClassifier, Learned, class_shares, kept_share
from privet.learn.class_tables import ClassTables, count_noise, released_tables
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.loss.exact import shown

LEAST_KEPT = 0.2  # of differences between classes that noise alone could make
OTHER = -1  # the last cell of a table: values that are missing or not listed


class TableNB(BayesClassifier):
    """Naive Bayes from noisy counts of the rows of each class in the cells of each feature.

    Privacy: as promised by the price.
    Proof: a row counts in one cell of each feature's table, and in one class: `moved_counts`. Values without a cell of
        their own have one together, so each row counts in every table, and the tables' sums say how many rows a class
        has. Everything else is computed from the noisy counts.
    """

    alpha: Any

    @abstractmethod
    def _sizes(self) -> tuple[int, ...]:
        """How many cells each feature has, with that of other values, which is the last one."""

    @abstractmethod
    def _codes(self, rows: Floats) -> NDArray[np.int64]:
        """The cell of each value, the last one for missing values and others that have none."""

    @property
    @abstractmethod
    def _declared(self) -> Mapping[str, str]:
        """What is public about the features, for receipts."""

    def _released(self, fitting: Fitting) -> Learned:
        """The tables."""
        self._smoothing()
        tables, release = released_tables(fitting, self._codes, sizes=self._sizes(), classes=len(self.classes_))
        public = {"classes": f"{len(self.classes_)} labels", **self._declared}
        return Learned(tables, release.loss, release.mechanism, public)

    def _read(self, counts: ClassTables) -> None:
        """Everything that is kept, from released counts."""
        totals, noise = counts.totals
        self.class_count_ = totals
        shares = class_shares(totals, noise)
        self.class_log_prior_ = np.log(shares)
        rows = shares * max(float(totals.sum()), len(totals))
        pseudo = self._smoothing() + counts.noise / 2  # a cell that looks empty may hold as many as noise hides
        self.feature_log_prob_ = [log_shares(table[:, :OTHER], rows, counts.noise, pseudo) for table in counts.tables]

    def _joint(self, rows: Floats) -> Floats:
        """Values without a cell of their own say nothing."""
        codes = self._codes(rows)
        joint = np.tile(self.class_log_prior_, (len(rows), 1))
        for table, column in zip(self.feature_log_prob_, codes.T, strict=True):
            padded = np.concatenate([table, np.zeros((len(table), 1))], axis=1)
            joint += padded[:, column].T
        return joint

    def _smoothing(self) -> float:
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float) or not 0 < self.alpha < math.inf:
            raise InvalidParameter(
                f"alpha must be a number > 0, got {shown(self.alpha)}: rows that are added to each cell"
            )
        return float(self.alpha)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of each count, and of a class's share if there are as many rows as expected."""
        _, mechanism = count_noise(payment, columns, self._most_rows())
        return foreseen_counts(mechanism, rows, len(self._labels()))


def log_shares(counts: Floats, rows: Floats, noise: float, pseudo: float) -> Floats:
    """Return logarithms of the shares of cells in each class, drawn toward those of all by as much as noise explains.

    Args:
        counts: a row for each class.
        rows: how many rows each class has.
        noise: the standard deviation of each count.
        pseudo: rows that are added to each cell.
    """
    own = counts / rows[:, None]
    level = counts.sum(axis=0) / rows.sum()
    expected = float(np.mean((noise / rows) ** 2)) * (1 - 1 / len(rows))
    kept = kept_share(float(np.mean((own - level) ** 2)), expected, LEAST_KEPT)
    smoothed = np.maximum(level + kept * (own - level), 0.0) * rows[:, None] + pseudo
    found: Floats = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
    return found


def foreseen_counts(mechanism: Any, rows: int | None, parts: int, part: str = "class") -> Mapping[str, str]:  # noqa: ANN401 - noise
    """What can be said of noisy counts beforehand.

    Args:
        mechanism: the noise.
        rows: how many are expected, if anybody knows.
        parts: over how many classes or cells they may be spread.
        part: what these are called.
    """
    margin = mechanism.uncertainty.margin(0.95)
    told = {"noise of each count": f"± {margin:.3g} rows (95%)"}
    if rows is not None:
        told["noise of each share"] = f"± {margin * parts / rows:.2g}, of a {part} of {rows / parts:,.0f} rows"
    return told
