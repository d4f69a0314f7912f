"""Tree: nested cells whose counts add up, and the least-squares estimate of all of them together."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.noise.lazy import Floats

BRANCHINGS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 32)
MOST_LEAVES = 1 << 14  # with more, comparing takes longer than it is worth
RANGES = 32  # that trees are compared by
GOLDEN = (math.sqrt(5) - 1) / 2
Nodes = list[Floats]  # one array for each level, from the root down


@dataclass(frozen=True)
class Tree:
    """The shape of nested cells: a root, then levels of cells, each within one cell of the level above.

    Args:
        parents: for every level below the root, the number of each cell's parent; in order, so that the children of a
            cell lie together, and no cell above the last level is without one.

    Example:
        >>> Tree.regular(5, branching=2).sizes
        (1, 2, 3, 5)
    """

    parents: tuple[NDArray[np.int64], ...]

    @classmethod
    def regular(cls, leaves: int, *, branching: int) -> "Tree":
        """Return the tree over so many leaves whose cells have `branching` children, the last one of a level fewer."""
        parents: list[NDArray[np.int64]] = []
        width = leaves
        while width > 1 or not parents:
            parents.append(np.arange(width) // branching)
            width = -(-width // branching)
        return cls(tuple(reversed(parents)))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many cells each level has."""
        return (1, *(len(each) for each in self.parents))

    @property
    def leaves(self) -> int:
        """How many cells the last level has."""
        return self.sizes[-1]

    def sums(self, level: int, cells: Floats) -> Floats:
        """Add the cells of a level up to the level above; further axes come before the last one."""
        starts = np.searchsorted(self.parents[level - 1], np.arange(self.sizes[level - 1]))
        added: Floats = np.add.reduceat(cells, starts, axis=-1)
        return added

    def counts(self, leaves: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The counts of all cells from those of the leaves."""
        found = [leaves]
        for level in range(len(self.parents), 0, -1):
            starts = np.searchsorted(self.parents[level - 1], np.arange(self.sizes[level - 1]))
            found.append(np.add.reduceat(found[-1], starts))
        return found[::-1]


@dataclass(frozen=True)
class LeastSquares:
    """The estimate of all cells from a noisy count of each: consistent, unbiased and of least variance.

    Args:
        tree: which cells add up to which.
        variance: of the noise on each cell, the same for all.
        known_total: whether the root is known exactly (then it has no noise).

    Proof: going up, a cell's own count and the sum of its children's estimates are independent and unbiased, and are
        weighted by the inverse of their variances; going down, what the children miss of their parent's estimate is
        shared out by their variances. For a tree this is the generalised least-squares solution (Hay, Rastogi, Miklau
        and Suciu 2010, Theorem 3, for equal variances and children; Honaker 2015 in general).
    """

    tree: Tree
    variance: float
    known_total: bool = False

    @cached_property
    def _spread(self) -> tuple[Nodes, Nodes]:
        """Of every cell: the variance of its estimate from below, and that of the sum of its children's."""
        last = len(self.tree.parents)
        own: Nodes = [np.empty(0)] * last + [np.full(self.tree.leaves, self.variance)]
        below: Nodes = [np.empty(0)] * (last + 1)
        for level in range(last, 0, -1):
            below[level - 1] = self.tree.sums(level, own[level])
            own[level - 1] = below[level - 1] * self.variance / (below[level - 1] + self.variance)
        if self.known_total:
            own[0] = np.zeros(1)
        return own, below

    def estimate(self, noisy: Nodes) -> Nodes:
        """Return the estimates of all cells, level by level; every cell is the sum of its children."""
        own, below = self._spread
        upward, sums = list(noisy), list(noisy)
        for level in range(len(self.tree.parents), 0, -1):
            sums[level - 1] = self.tree.sums(level, upward[level])
            upward[level - 1] = self._joined(level - 1, noisy[level - 1], sums[level - 1])
        found = [upward[0]]
        for level, parents in enumerate(self.tree.parents, start=1):
            missed = (found[-1] - sums[level - 1]) / below[level - 1]
            found.append(upward[level] + own[level] * missed[parents])
        return found

    def _joined(self, level: int, own: Floats, below: Floats) -> Floats:
        if level == 0 and self.known_total:
            return own
        spread = self._spread[1][level]
        joined: Floats = (own * spread + below * self.variance) / (spread + self.variance)
        return joined

    def weights(self, leaves: Floats) -> Nodes:
        """Return the weight of every noisy count in the estimate of a weighted sum of leaves; rows are several sums.

        Proof: `estimate` is linear; this is its transpose, step by step in the opposite order.
        """
        own, below = self._spread
        last = len(self.tree.parents)
        upward: Nodes = [np.empty(0)] * (last + 1)
        gradient = leaves
        for level in range(last, 0, -1):
            shared = self.tree.sums(level, gradient * own[level]) / below[level - 1]
            upward[level] = gradient - shared[..., self.tree.parents[level - 1]]
            gradient = shared
        upward[0] = gradient
        return self._downward(upward)

    def _downward(self, upward: Nodes) -> Nodes:
        found: Nodes = []
        for level, parents in enumerate(self.tree.parents, start=1):
            above = upward[level - 1]
            spread = self._spread[1][level - 1]
            if level == 1 and self.known_total:
                found.append(np.zeros_like(above))
                continue
            found.append(above * spread / (spread + self.variance))
            upward[level] = upward[level] + (above * self.variance / (spread + self.variance))[..., parents]
        return [*found, upward[-1]]


@lru_cache(maxsize=256)
def best_branching(leaves: int, *, gaussian: bool, known_total: bool = False) -> int:
    """Return how many children each cell should have, from public numbers only.

    The exact mean variance of a fixed set of ranges decides. Each of h levels has the noise of h questions: h² times as
    much variance for Laplace noise, h times for Gaussian. (Qardaji, Yang and Li 2013 do so by a formula.)

    Example:
        >>> best_branching(1024, gaussian=False), best_branching(1024, gaussian=True), best_branching(8, gaussian=False)
        (6, 2, 8)
    """
    if leaves > MOST_LEAVES:
        return 2 if gaussian else 16
    costs = {}
    for branching in sorted({*BRANCHINGS, leaves}):
        if 2 <= branching <= leaves:  # noqa: PLR2004 - a cell has two children or more
            tree = Tree.regular(leaves, branching=branching)
            asked = len(tree.parents) + (not known_total)
            costs[branching] = range_variance(tree, known_total=known_total) * (asked if gaussian else asked**2)
    return min(costs, key=lambda branching: (costs[branching], branching), default=2)


def range_variance(tree: Tree, *, known_total: bool) -> float:
    """Return the mean variance of some ranges, spread evenly over all, if every noisy count has variance 1."""
    places = np.arange(1, RANGES + 1)
    ends = np.sort([places * GOLDEN % 1, places * GOLDEN**2 % 1], axis=0)
    first, after = np.floor(ends[0] * tree.leaves), np.ceil(ends[1] * tree.leaves)
    leaves = np.arange(tree.leaves)
    ranges = ((leaves >= first[:, None]) & (leaves < after[:, None])).astype(np.float64)
    weights = LeastSquares(tree, 1.0, known_total=known_total).weights(ranges)
    return float(sum(float((each**2).sum()) for each in weights)) / RANGES
