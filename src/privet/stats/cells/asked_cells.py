"""AskedTree, AskedStrategy: two ways to ask about nested cells, and the one that errs less."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.question import Question
from privet.core import Mechanism, Release, Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee
from privet.mechanisms.least_noise import standard_deviation
from privet.noise.lazy import Floats
from privet.postprocessing.factorization import MOST_CELLS, prefix_strategy, range_strategy
from privet.postprocessing.hierarchy import Hierarchy
from privet.postprocessing.strategy import Strategy
from privet.postprocessing.strategy_squares import StrategySquares
from privet.postprocessing.tree import LeastSquares, Tree, best_shape, mean_variance, some_sums
from privet.postprocessing.weighted_noise import variance_of


@dataclass(frozen=True)
class AskedTree:
    """Every cell of a tree is counted, or all but the root.

    Args:
        tree: the cells.
        asks_root: whether the root is counted.
        known_total: whether it is known exactly instead.
    """

    tree: Tree
    asks_root: bool = True
    known_total: bool = False

    def moves(self, question: Question) -> Sensitivity:
        """Return how far one unit moves the counts of all cells together; the root is one of them if it is asked for.

        Proof: below the root a level moves by at most `changes` in L1, and by rows times the root of changes / rows in
            L2 (`cell_moves`). The root moves by at most `rows`, whether units come, go or are replaced.
        """
        rows, changes = question.rows, question.changes
        below = len(self.tree.parents) * changes // rows  # in units of one row: 1 or 2 for each level
        moved = below + 1 if self.asks_root else below
        return Sensitivity(rows, cells=moved * rows, l1=moved * rows, l2=root_above(Fraction(rows * rows * moved)))

    def noise(self, question: Question) -> Mechanism[Any, Any]:
        """The noise on each count: what is read are weighted sums of many of them, so deviations are compared."""
        return question.noise(self.moves(question), integers=True, error=standard_deviation)

    def asked(self, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
        """The exact counts that are asked for, from those of the leaves."""
        return np.concatenate(self.tree.counts(leaves)[0 if self.asks_root else 1 :])

    def read(self, released: Release[Any], **shown: Any) -> Hierarchy:  # noqa: ANN401 - labels, total, edges
        """All cells from the noisy counts."""
        return Hierarchy.of(released, self.tree, **shown)

    def weights(self, sums: Floats) -> list[Floats]:
        """The weights of the noisy counts in sums of leaves."""
        squares = LeastSquares(self.tree, 1.0, known_total=self.known_total, asks_root=self.asks_root)
        return squares.weights(sums)


@dataclass(frozen=True)
class AskedStrategy:
    """Weighted sums of the leaves are asked for, off which all cells of a tree are read.

    Args:
        tree: the cells.
        strategy: the sums.
        known_total: whether the sum of all leaves is known exactly.
    """

    tree: Tree
    strategy: Strategy
    known_total: bool = False

    @cached_property
    def _squares(self) -> StrategySquares:
        return StrategySquares(self.tree, self.strategy, self.known_total)

    def moves(self, question: Question) -> Sensitivity:
        """Return how far one unit moves all the sums together: a row lies in one leaf at most."""
        return self.strategy.moves(rows=question.rows, replaced=question.replaces)

    def noise(self, question: Question) -> Mechanism[Any, Any]:
        """The noise on each sum."""
        return question.noise(self.moves(question), error=standard_deviation)

    def asked(self, leaves: NDArray[np.int64]) -> Floats:
        """The exact sums: whole numbers, which float64 holds for up to 2^29 rows."""
        return self.strategy.asked.astype(np.float64) @ leaves.astype(np.float64)

    def read(self, released: Release[Any], **shown: Any) -> Hierarchy:  # noqa: ANN401 - labels, total, edges
        """All cells from the noisy sums."""
        return Hierarchy.read_off(released, self._squares, **shown)

    def weights(self, sums: Floats) -> list[Floats]:
        """The weights of the noisy sums in sums of leaves."""
        return self._squares.weights(sums)


def best_asked(question: Question, leaves: int, *, known: bool, prefixes: bool) -> AskedTree | AskedStrategy:
    """Return what to ask for about so many bins: the price, the number of bins and what they are for decide.

    Args:
        question: at which price, and about whom.
        leaves: how many bins.
        known: whether their total is public.
        prefixes: whether sums of the first bins shall err least, instead of all ranges.
    """
    ways: list[AskedTree | AskedStrategy] = []
    for gaussian in (False, True):
        shape, asks_root = best_shape(leaves, gaussian=gaussian, known_total=known, prefixes=prefixes)
        ways.append(AskedTree(Tree.shaped(leaves, shape), asks_root, known))
    if 1 < leaves <= MOST_CELLS and _may_be_gaussian(question):
        strategy = prefix_strategy(leaves) if prefixes else range_strategy(leaves)
        ways.append(AskedStrategy(ways[-1].tree, strategy, known))
    sums = some_sums(leaves, prefixes=prefixes)
    return min(ways, key=lambda way: _variance(question, way, sums))


def _may_be_gaussian(question: Question) -> bool:
    budget = question.price.budget
    return budget is not None and (isinstance(budget.promise, ConcentratedGuarantee) or bool(budget.promise.delta))


def _variance(question: Question, way: AskedTree | AskedStrategy, sums: Floats) -> float:
    """The mean variance of some sums of leaves."""
    noise = way.noise(question)
    law = noise.uncertainty
    if law is None:
        raise InvalidParameter(f"{noise!r} does not say how it errs: use Laplace or Gaussian noise")
    return variance_of(law) * mean_variance(way.weights(sums))
