"""HistogramDensity: how densely rows lie, from noisy counts in the cells of a grid, for few features."""

import math
from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from privet.asking.payment import Payment
from privet.learn.class_tables import count_noise, released_tables
from privet.learn.features import Floats
from privet.learn.grid import Grid, bins_of
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.table_nb import foreseen_counts
from privet.loss.exact import whole
from privet.postprocessing.simplex import with_total


class HistogramDensity(DensityMixin, PrivateEstimator):
    """A density that is even in each cell, from noisy counts that are made consistent: none negative, shares of 1.

    Args:
        bounds: public bounds of the features; there is no density beyond them.
        bins: how many bins each column has, one number or one for each column.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `cell_counts_` (as released, an axis for each column), `shares_`, `bin_edges_`, `privacy_`.

    Privacy: as promised by the price.
    Proof: a row counts in one cell (`moved_counts`, one table); shares follow from the noisy counts, and their total is
        that of the noisy counts too, or the public number of rows.

    Example:
        >>> model = HistogramDensity(bounds=(0, 10), bins=5, epsilon=2).fit([[1.0], [1.5], [9.0]] * 1000)
        >>> bool(abs(np.exp(model.score_samples([[1.2]]))[0] - 1 / 3) < 0.02)  # two thirds in a bin of width 2
        True
    """

    @priced
    def __init__(
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        bins: Any = 16,  # noqa: ANN401 - a number, or several
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.bins = bins

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Count rows, and keep noisy counts and shares."""
        fitting = self._begin(X, groups=groups)
        self._grid = Grid.of(self._box(), self.bins)
        tables, release = released_tables(fitting, self._grid.cells, sizes=(self._grid.size,))
        counts = tables.counts[0]
        public = fitting.public_length
        total = max(float(counts.sum()), 1.0) if public is None else float(max(public, 1))
        self.cell_counts_ = counts.reshape(self._grid.bins)
        self.shares_ = (with_total(counts, total) / total).reshape(self._grid.bins)
        self.bin_edges_ = self._grid.ends
        said = {"bounds": f"of {self._grid.size} cells"} | ({} if public is None else {"rows": "their number"})
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public=said)
        return self

    def score_samples(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The logarithm of the density at each row; -inf beyond the bounds, and in cells that look empty."""
        rows = self._matrix(X)
        inside = ((rows >= self._grid.box.lower) & (rows <= self._grid.box.upper)).all(axis=1)
        shares = np.where(inside, self.shares_.ravel()[self._grid.cells(rows).ravel()], 0.0)
        with np.errstate(divide="ignore"):
            found: Floats = np.log(shares / self._grid.volume)
        return found

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """The mean logarithm of the density at the rows; of private rows it is as private as they are."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> Floats:  # noqa: ANN401 - a seed
        """Draw rows from the density, for free.

        Args:
            n_samples: how many.
            random_state: a seed, or a numpy RandomState.
        """
        check_is_fitted(self)
        draw = check_random_state(random_state)
        size = whole(n_samples, "n_samples")
        cells = draw.choice(self._grid.size, size=size, p=self.shares_.ravel())
        places = np.stack(np.unravel_index(cells, self._grid.bins), axis=1) + draw.uniform(
            size=(size, self._grid.box.width)
        )
        found: Floats = self._grid.box.lower + 2 * self._grid.box.half * places / np.array(self._grid.bins)
        return found

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of each count."""
        cells = math.prod(bins_of(self.bins, columns))
        _, mechanism = count_noise(payment, 1, self._most_rows())
        return {"cells": f"{cells:,}", **foreseen_counts(mechanism, rows, cells, "cell")}
