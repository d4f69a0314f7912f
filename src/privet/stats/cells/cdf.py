"""cdf: which share of the values lies below each edge."""

from dataclasses import dataclass
from typing import Any, NoReturn, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.question import Question
from privet.core import Release, Uncertainty
from privet.core.release import CONFIDENCE
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.noise.lazy import Floats
from privet.postprocessing.hierarchy import Hierarchy
from privet.postprocessing.isotonic import increasing
from privet.stats.cells.binning import increasing_edges
from privet.stats.cells.hierarchical_counts import of_bins

ASKED = 64  # edges at which the law of the error is computed in full
BLOCK = 256  # edges treated at once


@dataclass(frozen=True, repr=False, eq=False)
class Cdf(Release[NDArray[Any]]):
    """The shares below each edge: from 0 at the first edge to 1 at the last, never falling.

    Args:
        edges: where the shares are known.
        shares: the least-squares estimates before they were made to increase, around which intervals lie.
        hierarchy: the counts they were made from.
    """

    edges: NDArray[Any]
    shares: Floats
    hierarchy: Hierarchy

    def at(self, value: float) -> float:
        """The share below any value, straight between edges."""
        return float(np.interp(value, self.edges.astype(np.float64), self.value))

    def margins(self, confidence: float = CONFIDENCE) -> Floats:
        """Half the width of an interval that holds each exact share; 0 at both ends.

        Proof: with A rows below an edge of T in all, and F = A/T, the estimates satisfy that A' - F T' has the law of a
            weighted sum of the noises (Fieller 1954). Its margin at the estimated F, over the estimated T, is the
            share's; if the total is public it is exact, and T' = T. At too small a total nothing is known: 1. With
            more than 64 edges the law is computed at 64, and between two of them the larger of their two ratios of
            margin to standard deviation is taken; the standard deviation itself is exact everywhere.
        """
        refuse_certainty(confidence, "confidence")
        total = float(self.hierarchy.levels[0][0])
        found = np.zeros(len(self.edges))
        inner = np.arange(1, len(self.edges) - 1)
        rows = self.hierarchy.total
        if total <= (0.0 if rows.uncertainty is None else rows.uncertainty.margin(confidence)):
            found[inner] = 1.0  # there may be no rows at all, and no share of nothing is known
        elif inner.size:
            sizes = self._deviations(inner)
            asked = np.unique(np.linspace(0, inner.size - 1, min(inner.size, ASKED)).astype(int))
            ratios = np.array([self._law(int(inner[place])).margin(confidence) / sizes[place] for place in asked])
            after = np.searchsorted(asked, np.arange(inner.size))
            widest = np.maximum(ratios[after], ratios[np.maximum(after - 1, 0)])
            found[inner] = np.minimum(widest * sizes / total, 1.0)
        return found

    def _weights(self, places: NDArray[np.int64]) -> Floats:
        """The weights of the leaves in A - F T, for some edges."""
        below = np.arange(self.hierarchy.squares.tree.leaves) < places[:, None]
        return below - np.clip(self.shares[places], 0, 1)[:, None]

    def _deviations(self, places: NDArray[np.int64]) -> Floats:
        squares = np.zeros(len(places))
        for start in range(0, len(places), BLOCK):
            piece = slice(start, start + BLOCK)
            for each in self.hierarchy.squares.weights(self._weights(places[piece])):
                squares[piece] += (each**2).sum(axis=-1)
        return np.sqrt(squares)

    def _law(self, place: int) -> Uncertainty:
        error = self.hierarchy.error(self._weights(np.array([place]))[0])
        if error is None:
            raise InvalidParameter("a share without noise has no margin")
        return error

    def intervals(self, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
        """The lower and upper ends of intervals that each hold the exact share with this confidence."""
        # which is no farther from the truth
        margins = self.margins(confidence)
        center = np.clip(self.shares, 0, 1)
        return np.clip(center - margins, 0, 1), np.clip(center + margins, 0, 1)

    def margin(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = False
    ) -> NoReturn:
        """Refuse: every edge has its own."""
        del confidence, simultaneous, population
        raise InvalidParameter("every share has a margin of its own: take margins(confidence) or intervals(confidence)")


@called_as("cdf(ages, edges=range(0, 111, 10), epsilon=1)")
def cdf(values: Any, *, edges: Any, branching: int | None = None, **asking: Unpack[Asking]) -> Cdf:  # noqa: ANN401 - any column
    """Return which share of the values lies below each edge.

    Args:
        values: a column of numbers; values beyond the edges are clipped into the end bins.
        edges: increasing numbers, public.
        branching: as in `hierarchical_counts`.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: post-processing of `hierarchical_counts`, so the noise of a share hardly grows with the number of bins.
        The shares are made to increase by least squares, which moves none farther from the truth than the worst was.

    Example:
        >>> answer = cdf(range(1000), edges=range(0, 1001, 100), epsilon=1)
        >>> answer.value[[0, -1]].tolist(), bool((answer.value[1:] >= answer.value[:-1]).all())
        ([0.0, 1.0], True)
    """
    known = increasing_edges(edges)
    question = Question.of("cdf", (values,), asking)
    hierarchy = of_bins(question, known, branching=branching, clip=True, prefixes=True)
    total = float(hierarchy.levels[0][0])
    below = np.concatenate([[0.0], np.cumsum(hierarchy.levels[-1])])
    shares = below / total if total > 0 else np.linspace(0, 1, len(known))
    shares[0] = 0.0
    shares[-1] = 1.0
    value = np.clip(increasing(shares), 0, 1)
    parts = (hierarchy.loss, hierarchy.purpose, hierarchy.mechanism, hierarchy.unit)
    return Cdf(value, None, *parts, known, shares, hierarchy, gamma=hierarchy.gamma)
