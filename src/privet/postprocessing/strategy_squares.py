"""StrategySquares: the cells of a tree, read off the noisy sums of a strategy."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.noise.lazy import Floats
from privet.postprocessing.strategy import Strategy
from privet.postprocessing.tree import Nodes, Tree


@dataclass(frozen=True, eq=False)
class StrategySquares:
    """The estimate of all cells from the sums that a strategy asks for: consistent, unbiased and of least variance.

    Args:
        tree: which cells add up to which; the strategy is about its leaves.
        strategy: which sums of leaves have noise, of the same law for all.
        known_total: whether the sum of all leaves is known exactly.

    Proof: least squares gives the leaves x with a covariance S. If their sum is n, the best estimate moves x along
        S 1 until it is (Gauss and Markov, with a constraint).

    Example:
        >>> halves = StrategySquares(Tree.regular(2, branching=2), Strategy([[1, 1], [1, -1]]))
        >>> [level.tolist() for level in halves.estimate(np.array([10.0, 4.0]))]
        [[10.0], [7.0, 3.0]]
    """

    tree: Tree
    strategy: Strategy
    known_total: bool = False

    @cached_property
    def _leaves(self) -> tuple[Floats, Floats]:
        """The weights of the sums in each leaf, and how much of the known total each is."""
        weights = self.strategy.readings(np.eye(self.tree.leaves))
        if not self.known_total:
            return weights, np.zeros(self.tree.leaves)
        total = weights.sum(axis=0)
        along = weights @ total / (total @ total)
        return weights - np.outer(along, total), along

    def estimate(self, noisy: Floats, *, total: float = 0.0) -> Nodes:
        """Return the estimates of all cells, level by level; every cell is the sum of its children."""
        weights, along = self._leaves
        found: Nodes = [weights @ noisy + along * total]
        for level in range(len(self.tree.parents), 0, -1):
            found.append(self.tree.sums(level, found[-1]))
        if self.known_total:
            found[-1] = np.array([total])
        return found[::-1]

    def weights(self, leaves: Floats) -> Nodes:
        """Return the weight of every noisy sum in the estimate of a weighted sum of leaves; rows are several sums."""
        return [leaves @ self._leaves[0]]
