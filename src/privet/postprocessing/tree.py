"""Tree: nested cells whose counts add up, and the least-squares estimate of all of them together."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.noise.lazy import Floats

BRANCHINGS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 32)
MIXED = (4, 6, 8, 10, 12, 16, 24, 32)
MOST_LEAVES = 1 << 14  # with more, comparing takes longer than it is worth
RANGES, FEWEST, LOOKED_AT = 64, 16, 1 << 18  # that trees are compared by
SPREAD = (0.7548776662466927, 0.5698402909980532)  # 1/p and 1/p² of p³ = p + 1: pairs of multiples fill a square evenly
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
        return cls.shaped(leaves, (branching,) * leaves.bit_length())

    @classmethod
    def shaped(cls, leaves: int, branchings: tuple[int, ...]) -> "Tree":
        """Return the tree whose cells have so many children, for each level from the leaves up, and then a root.

        Example:
            >>> Tree.shaped(100, (4, 5)).sizes
            (1, 5, 25, 100)
        """
        parents: list[NDArray[np.int64]] = []
        width = leaves
        for branching in branchings:
            if width > branching:
                parents.append(np.arange(width) // branching)
                width = -(-width // branching)
        return cls((np.zeros(width, dtype=np.int64), *reversed(parents)))

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
        asks_root: whether there is a noisy count of the root; without one it is the sum of its children.

    Proof: going up, a cell's own count and the sum of its children's estimates are independent and unbiased, and are
        weighted by the inverse of their variances; going down, what the children miss of their parent's estimate is
        shared out by their variances. For a tree this is the generalised least-squares solution (Hay, Rastogi, Miklau
        and Suciu 2010, Theorem 3, for equal variances and children; Honaker 2015 in general).
    """

    tree: Tree
    variance: float
    known_total: bool = False
    asks_root: bool = True

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
        elif not self.asks_root:
            own[0] = below[0]
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
        if level == 0 and not self.asks_root:
            return below
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
            if level == 1 and not self.asks_root:
                found.append(np.zeros_like(above))
                upward[1] = upward[1] + above[..., parents]
                continue
            found.append(above * spread / (spread + self.variance))
            upward[level] = upward[level] + (above * self.variance / (spread + self.variance))[..., parents]
        return [*found, upward[-1]]


@lru_cache(maxsize=256)
def best_shape(
    leaves: int, *, gaussian: bool, known_total: bool = False, prefixes: bool = False
) -> tuple[tuple[int, ...], bool]:
    """Return how many children cells should have, for each level from the leaves up, and whether to ask for the root.

    Args:
        leaves: how many.
        gaussian: whether the noise is; else it is Laplace noise.
        known_total: whether the root is known exactly.
        prefixes: whether sums of the first leaves decide, instead of ranges.

    The exact mean variance of a fixed set of sums decides. Each of h levels has the noise of h questions: h² times as
    much variance for Laplace noise, h times for Gaussian. (Qardaji, Yang and Li 2013 do so by a formula.) The root says
    little about a range and takes its share from the other levels, so it is left out where that is better. Other shares
    gain at most a fiftieth more: for 256 leaves and Laplace noise 16 x 16 is best, with shares of .48 and .52.

    Example:
        >>> best_shape(256, gaussian=False), best_shape(1024, gaussian=False, prefixes=True)
        (((16,), False), ((12, 16), False))
    """
    if leaves > MOST_LEAVES:
        return ((2 if gaussian else 16),) * leaves.bit_length(), not known_total
    costs = {}
    asked_for = some_sums(leaves, prefixes=prefixes)
    for shape in _shapes(leaves, gaussian=gaussian):
        tree = Tree.shaped(leaves, shape)
        for asks_root in (False,) if known_total else (True, False):
            asked = len(tree.parents) + asks_root
            squares = LeastSquares(tree, 1.0, known_total=known_total, asks_root=asks_root)
            costs[shape, asks_root] = mean_variance(squares.weights(asked_for)) * (asked if gaussian else asked**2)
    return min(costs, key=lambda shape: (costs[shape], shape))


def _shapes(leaves: int, *, gaussian: bool) -> set[tuple[int, ...]]:
    """The shapes that are compared: regular ones, and for Laplace noise, which calls for few levels, mixed ones."""
    regular = {(each,) * leaves.bit_length() for each in BRANCHINGS if each < leaves}
    mixed = {(low, high) for low in MIXED for high in MIXED if 1 < leaves / (low * high) <= MIXED[-1]}
    flat: set[tuple[int, ...]] = {()}
    return flat | regular | (set() if gaussian else mixed | {(each,) for each in MIXED if each < leaves})


def some_sums(leaves: int, *, prefixes: bool) -> Floats:
    """Return some ranges of leaves, or some of the first ones, spread evenly over all: a row of weights for each."""
    number = max(min(RANGES, LOOKED_AT // leaves), FEWEST)
    places = np.arange(1, number + 1)
    ends = np.sort([places * (0 if prefixes else SPREAD[0]) % 1, places * SPREAD[1] % 1], axis=0)
    first, after = np.floor(ends[0] * leaves), np.ceil(ends[1] * leaves)
    every = np.arange(leaves)
    chosen: Floats = ((every >= first[:, None]) & (every < after[:, None])).astype(np.float64)
    return chosen


def mean_variance(weights: Nodes) -> float:
    """Return the mean variance of sums with these weights of noisy numbers, if each of those has variance 1."""
    return float(sum(float((each**2).sum()) for each in weights)) / len(weights[0])
