"""HistogramClassifier: the classes of rows in each cell of a grid, for few features."""

import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from privet.asking.payment import Payment
from privet.learn.bayes_classifier import BayesClassifier, Learned, class_shares
from privet.learn.class_tables import ClassTables, count_noise, released_tables
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.grid import Grid, bins_of
from privet.learn.priced import Priced, priced
from privet.learn.table_nb import foreseen_counts


class HistogramClassifier(BayesClassifier):
    """Predicts the class that is most frequent in a row's cell, from noisy counts; for up to about four features.

    Args:
        classes: the labels that y may hold.
        bounds: public bounds of the features.
        bins: how many bins each column has, one number or one for each column; the cells that they make together must
            be few against the rows.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `classes_`, `class_count_`, `class_prior_`, `cell_counts_` (a row for each class), `bin_edges_`,
        `privacy_`.

    Privacy: as promised by the price.
    Proof: a row counts in one cell of one class (`moved_counts`, one table); all else follows from the noisy counts.

    Example:
        >>> rows, labels = [[0, 0], [1, 1], [0, 1], [1, 0]] * 100, ["same", "same", "other", "other"] * 100
        >>> model = HistogramClassifier(classes=["same", "other"], bounds=(0, 1), bins=2, epsilon=2)
        >>> model.fit(rows, labels).predict([[0.2, 0.2], [0.2, 0.8]]).tolist()
        ['same', 'other']
    """

    @priced
    def __init__(
        self,
        *,
        classes: Any = None,  # noqa: ANN401 - any labels
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        bins: Any = 6,  # noqa: ANN401 - a number, or several
        **_: Unpack[Priced],
    ) -> None:
        self.classes = classes
        self.bounds = bounds
        self.bins = bins

    def _released(self, fitting: Fitting) -> Learned:
        """One table, of all cells."""
        self._grid = Grid.of(self._box(), self.bins)
        tables, release = released_tables(
            fitting, self._grid.cells, sizes=(self._grid.size,), classes=len(self.classes_)
        )
        public = {"classes": f"{len(self.classes_)} labels", "bounds": f"of {self._grid.size} cells"}
        return Learned(tables, release.loss, release.mechanism, public)

    def _read(self, counts: ClassTables) -> None:
        """Counts below 0 are none; each cell gets as many rows of all classes as its noise could hide."""
        totals, noise = counts.totals
        self.class_count_ = totals
        self.class_prior_ = class_shares(totals, noise)
        self.cell_counts_ = counts.counts
        self.bin_edges_ = self._grid.ends
        hidden = (1 + counts.noise) * self.class_prior_
        self._weights = np.log(np.maximum(counts.counts, 0) + hidden[:, None])

    def _joint(self, rows: Floats) -> Floats:
        found: Floats = self._weights[:, self._grid.cells(rows).ravel()].T
        return found

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of each count."""
        cells = math.prod(bins_of(self.bins, columns))
        _, mechanism = count_noise(payment, 1, self._most_rows())
        return {"cells": f"{cells:,}", **foreseen_counts(mechanism, rows, len(self._labels()) * cells, "cell")}
