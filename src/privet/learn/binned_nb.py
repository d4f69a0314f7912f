"""BinnedNB: naive Bayes for numbers that no normal distribution describes, by public bins."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.learn.bayes_classifier import Learned
from privet.learn.features import Box, Floats
from privet.learn.fitting import Fitting
from privet.learn.priced import Priced, priced
from privet.learn.table_nb import TableNB
from privet.loss.exact import shown, whole

EXAMPLE = "for example edges=[[0, 1, 1000], [0, 30, 60, 120]], ascending numbers for each column, never from the data"


class BinnedNB(TableNB):
    """Naive Bayes from noisy counts of each feature's values in public bins.

    Args:
        classes: the labels that y may hold.
        bounds: public bounds of the features, within which bins are equally wide; or
        edges: the ends of the bins of each column, for skewed features; values beyond count in the outermost bins.
        bins: how many bins, with bounds: the more, the more noise against the rows of a bin.
        alpha: how many rows are added to each cell, beside what noise hides.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `classes_`, `class_count_`, `class_log_prior_`, `feature_log_prob_`, `bin_edges_`, `privacy_`.

    Privacy: as promised by the price, see `TableNB`. Missing values count in a cell of their own.

    Example:
        >>> rows, labels = [[5.0], [20.0], [5_000.0], [90_000.0]] * 100, ["poor", "poor", "rich", "rich"] * 100
        >>> model = BinnedNB(classes=["poor", "rich"], edges=[[0, 10, 1000, 10_000, 100_000]], epsilon=5)
        >>> model.fit(rows, labels).predict([[7.0], [50_000.0]]).tolist()
        ['poor', 'rich']
    """

    @priced
    def __init__(
        self,
        *,
        classes: Any = None,  # noqa: ANN401 - any labels
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        edges: Any = None,  # noqa: ANN401 - lists of numbers
        bins: int = 8,
        alpha: float = 1.0,
        **_: Unpack[Priced],
    ) -> None:
        self.classes = classes
        self.bounds = bounds
        self.edges = edges
        self.bins = bins
        self.alpha = alpha

    def _released(self, fitting: Fitting) -> Learned:
        self.bin_edges_ = self._ends(fitting.rows.width)
        return super()._released(fitting)

    def _ends(self, width: int) -> list[Floats]:
        """The ends of the bins of each column."""
        if (self.bounds is None) == (self.edges is None):
            raise InvalidParameter(
                "BinnedNB needs bounds=(lower, upper) of the features, or edges of bins: one of them"
            )
        if self.edges is None:
            box = self._box()
            return even_ends(box, whole(self.bins, "bins"))
        if not hasattr(self.edges, "__len__") or len(self.edges) != width:
            raise InvalidParameter(f"edges must have one list for each of the {width} columns: {EXAMPLE}")
        return [_ascending(each) for each in self.edges]

    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(each) for each in self.bin_edges_)

    def _codes(self, rows: Floats) -> NDArray[np.int64]:
        columns = [
            np.where(np.isnan(column), len(ends) - 1, np.searchsorted(ends[1:-1], column, side="right"))
            for column, ends in zip(rows.T, self.bin_edges_, strict=True)
        ]
        return np.stack(columns, axis=1).astype(np.int64)

    @property
    def _declared(self) -> Mapping[str, str]:
        name = "bounds" if self.edges is None else "edges"
        return {name: f"of {sum(self._sizes()) - len(self.bin_edges_)} bins in {len(self.bin_edges_)} columns"}


def even_ends(box: Box, bins: int) -> list[Floats]:
    """Return the ends of equally wide bins within the bounds of each column."""
    steps = [Fraction(step, bins) for step in range(bins + 1)]
    return [np.array([float(each.low + each.width * step) for step in steps]) for each in box.columns]


def _ascending(ends: Any) -> Floats:  # noqa: ANN401 - refused in words
    try:
        found = np.asarray(ends, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter(f"edges must be numbers, got {shown(ends)}: {EXAMPLE}") from None
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all() or (np.diff(found) <= 0).any():  # noqa: PLR2004 - a bin
        raise InvalidParameter(f"edges must be at least two ascending numbers for each column: {EXAMPLE}")
    return found
