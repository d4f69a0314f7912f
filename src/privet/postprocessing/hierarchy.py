"""Hierarchy: released counts of nested cells that add up, with the exact error of every sum."""

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Release, Uncertainty
from privet.core.release import CONFIDENCE
from privet.errors import InvalidParameter
from privet.noise.lazy import Floats
from privet.postprocessing.labeled_counts import LabeledCounts
from privet.postprocessing.simplex import whole_numbers, with_total
from privet.postprocessing.strategy_squares import StrategySquares
from privet.postprocessing.tree import LeastSquares, Tree
from privet.postprocessing.weighted_noise import WeightedNoiseError, variance_of


@dataclass(frozen=True, repr=False, eq=False)
class Hierarchy(Release[NDArray[Any]]):
    """Counts of nested cells: the value holds the leaves, `levels` all cells from the root down.

    Args:
        labels: of every level, from the root down.
        levels: the least-squares estimates, of which every cell is the sum of its children.
        noise: the law of the noise on each count, before least squares; None for a view.
        squares: how the estimates were made.
        edges: the edges of the leaves, if they are bins.

    Privacy: everything here is computed from the released noisy counts, so it is free.
    """

    labels: tuple[tuple[str, ...], ...]
    levels: tuple[NDArray[Any], ...]
    noise: Uncertainty | None
    squares: LeastSquares | StrategySquares
    edges: NDArray[Any] | None = None

    @classmethod
    def of(
        cls,
        release: Release[Any],
        tree: Tree,
        *,
        labels: tuple[tuple[str, ...], ...],
        total: int | None = None,
        edges: NDArray[Any] | None = None,
    ) -> "Hierarchy":
        """Return the estimates from noisy counts of all cells, level by level; of the root only if it was asked for."""
        noise = release.uncertainty
        if noise is None:
            raise InvalidParameter(f"{release.mechanism} does not say how it errs: use Laplace or Gaussian noise")
        counts = np.asarray(release.value, dtype=np.float64)
        asks_root = len(counts) == sum(tree.sizes)
        if not asks_root:
            counts = np.concatenate([[0.0 if total is None else float(total)], counts])
        noisy = np.split(counts, np.cumsum(tree.sizes)[:-1])
        squares = LeastSquares(tree, variance_of(noise), known_total=total is not None, asks_root=asks_root)
        levels = tuple(squares.estimate(list(noisy)))
        parts = (release.loss, release.purpose, release.mechanism, release.unit)
        return cls(levels[-1], None, *parts, labels, levels, noise, squares, edges, gamma=release.gamma)

    @classmethod
    def read_off(
        cls,
        release: Release[Any],
        squares: StrategySquares,
        *,
        labels: tuple[tuple[str, ...], ...],
        total: int | None = None,
        edges: NDArray[Any] | None = None,
    ) -> "Hierarchy":
        """Return the estimates from the noisy sums that a strategy asked for."""
        noisy = np.asarray(release.value, dtype=np.float64)
        levels = tuple(squares.estimate(noisy, total=0.0 if total is None else float(total)))
        parts = (release.loss, release.purpose, release.mechanism, release.unit)
        return cls(levels[-1], None, *parts, labels, levels, release.uncertainty, squares, edges, gamma=release.gamma)

    @property
    def total(self) -> Release[float]:
        """The estimate of all rows together."""
        return self.range(0, self.squares.tree.leaves)

    def range(self, first: int, after: int) -> Release[float]:
        """How many rows the leaves number `first` to `after` - 1 hold together, with the law of its error."""
        leaves = self.squares.tree.leaves
        if not 0 <= first < after <= leaves:
            raise InvalidParameter(f"a range must be 0 <= first < after <= {leaves}, got {first} and {after}")
        chosen = np.zeros(leaves)
        chosen[first:after] = 1
        return self.weighted(chosen)

    def between(self, low: float, high: float) -> Release[float]:
        """How many values lie between two edges of bins."""
        if self.edges is None:
            raise InvalidParameter("between needs bins with edges: for labels use at(…)")
        places = [np.flatnonzero(self.edges == edge) for edge in (low, high)]
        if not all(place.size for place in places):
            raise InvalidParameter(f"low and high must be edges of bins, got {low} and {high}")
        return self.range(int(places[0][0]), int(places[1][0]))

    def cell(self, level: int, number: int) -> Release[float]:
        """One cell of a level, with the law of its error."""
        inside = np.arange(self.squares.tree.leaves)
        for parents in reversed(self.squares.tree.parents[level:]):
            inside = parents[inside]
        return self.weighted((inside == number).astype(np.float64))

    def at(self, *path: str) -> Release[float]:
        """The cell with these labels from the top down; without any, the total."""
        name = " > ".join(map(str, path)) if path else self.labels[0][0]
        level = len(path)
        if level >= len(self.labels) or name not in self.labels[level]:
            raise InvalidParameter(f"no cell is labeled {name}: give the labels from the top down")
        return self.cell(level, self.labels[level].index(name))

    def weighted(self, leaves: ArrayLike) -> Release[float]:
        """Any weighted sum of leaves, with the law of its error: a numeric law, see `WeightedNoiseError`."""
        weights = np.asarray(leaves, dtype=np.float64)
        value = float(weights @ np.asarray(self.value, dtype=np.float64))
        return replace(_plain(self), value=value, uncertainty=self.error(weights))

    def error(self, leaves: Floats) -> Uncertainty | None:
        """The law of the error of a weighted sum of leaves; None for a view, or if nothing noisy is in it."""
        if self.noise is None:
            return None
        weights = np.concatenate(self.squares.weights(leaves))
        return WeightedNoiseError.of(self.noise, weights) if np.abs(weights).max() > TINY else None

    def margin(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = False
    ) -> NoReturn:
        """Refuse: every cell has its own."""
        del confidence, simultaneous, population
        raise InvalidParameter("cells of a hierarchy err differently: ask range, cell, at or total for their margins")

    def level(self, number: int) -> LabeledCounts:
        """The counts of one level with their labels, without margins."""
        named = replace(_plain(self), value=self.levels[number])
        return LabeledCounts.of(
            named, (self.labels[number],), (self.edges if number + 1 == len(self.levels) else None,)
        )

    def nonnegative(self, *, whole_counts: bool = True) -> "Hierarchy":
        """The nearest counts that are not negative, cell by cell from the root down, and still add up.

        Args:
            whole_counts: True makes them whole numbers, too.

        Children are projected onto the counts that are not negative and add up to their parent (`with_total`). No law
        of the error is known for it, so margins are dropped.
        """
        root = max(float(self.levels[0][0]), 0.0)
        found: list[NDArray[Any]] = [np.array([round(root) if whole_counts else root])]
        for parents, cells in zip(self.squares.tree.parents, self.levels[1:], strict=True):
            starts = np.searchsorted(parents, np.arange(len(found[-1]) + 1))
            below = np.empty(len(cells), dtype=found[0].dtype)
            for cell, goal in enumerate(found[-1].tolist()):
                piece = slice(starts[cell], starts[cell + 1])
                near = with_total(cells[piece], goal)
                below[piece] = whole_numbers(near, goal) if whole_counts else near
            found.append(below)
        return replace(self, value=found[-1], levels=tuple(found), noise=None)

    def _shown(self) -> str:
        widths = ", ".join(f"{size:,}" for size in self.squares.tree.sizes)
        total = self.total._shown() if self.noise is not None else f"{self.levels[0][0]:,}"  # noqa: SLF001 - a release too
        return f"{self.level(len(self.levels) - 1).table(12)}\nin levels of {widths} cells, in all {total}"


TINY = 1e-12  # a weight that only rounding left over


def _plain(release: Hierarchy) -> Release[Any]:
    words = (release.purpose, release.mechanism)
    gamma = release.gamma
    return Release(release.value, None, release.loss, *words, release.unit, gamma=gamma)
