"""Leaf statistics: the whole numbers that are released of the leaves of a forest, and how far one unit moves them."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.features import Floats
from privet.learn.noise_parts import NoiseParts, deviation
from privet.learn.pure_noise import PureNoise
from privet.learn.random_trees import RandomTrees, blocks
from privet.learn.whole_targets import UNIT
from privet.mechanisms import CubeNoise

FINEST = 20  # the noise on stumps is drawn on multiples of down to 2^-20 rows


@dataclass(frozen=True)
class LeafStatistic(ABC):
    """What is released of the leaves of a forest.

    Args:
        trees: how many there are.
        moved_rows: how many rows one unit has, at most.
        replaces: whether neighbors have a unit replaced.
    """

    trees: int
    moved_rows: int
    replaces: bool

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves all numbers together."""

    @abstractmethod
    def exact(self, rows: Floats, target: NDArray[Any], trees: RandomTrees) -> NDArray[np.int64]:
        """The numbers, exactly."""

    @abstractmethod
    def read(self, noisy: Floats, noise: Mechanism[Any, Any]) -> tuple[Floats, float]:
        """The noisy numbers as [tree, leaf, number], a row being 1, and the deviation of the noise on each."""

    def noise(self, parts: NoiseParts, share: Fraction) -> Mechanism[Any, Any]:
        """The noise that spends a share of the budget; its price does not depend on the trees."""
        noise = parts.noise(share, self.sensitivity)
        return noise if parts.epsilon is None else PureNoise(noise, parts.epsilon * share)


@dataclass(frozen=True)
class ClassCounts(LeafStatistic):
    """How many rows of each class every leaf has.

    Args:
        classes: how many.

    Proof: a row adds 1 to one number of each tree: T in L1, √T in L2. Where it is replaced, each tree has one number
        less by 1 and one more by 1, or none: 2T in L1, √(2T) in L2. Several rows of a unit may lie in the same leaves.
    """

    classes: int

    @property
    def sensitivity(self) -> Sensitivity:
        """Of all counts together."""
        cells = self.trees * (2 if self.replaces else 1)
        return Sensitivity(
            self.moved_rows,
            cells=cells * self.moved_rows,
            l1=cells * self.moved_rows,
            l2=self.moved_rows * root_above(Fraction(cells)),
        )

    def exact(self, rows: Floats, target: NDArray[Any], trees: RandomTrees) -> NDArray[np.int64]:
        """Count [tree, leaf, class]."""
        leaves = 1 << trees.depth
        found = np.zeros((trees.count, self.classes * leaves), dtype=np.int64)
        for block, columns in blocks(rows):
            first = target[block] << trees.depth
            for tree in range(trees.count):
                found[tree] += np.bincount(first + trees.leaves(columns, tree), minlength=self.classes * leaves)
        return found.reshape(trees.count, self.classes, leaves).transpose(0, 2, 1)

    def read(self, noisy: Floats, noise: Mechanism[Any, Any]) -> tuple[Floats, float]:
        """As they are."""
        return noisy, _deviation(noise)


@dataclass(frozen=True)
class StumpCounts(LeafStatistic):
    """Of trees of one question each: the size of every class, and by how much its one leaf is fuller than the other.

    Args:
        classes: how many.
        fineness: steps of the lattice in a row.

    Proof: a row moves the T + 1 numbers of one class by 1 each; where it is replaced, those of two classes by 1 each,
        or those of one class by 2 at most. So the largest moves of all classes add up to 1, or 2, for each row.
    """

    classes: int
    fineness: int

    @classmethod
    def of(cls, counts: ClassCounts, parts: NoiseParts) -> "StumpCounts":
        """The same, with a lattice on which the noise is many steps wide."""
        wanted = 16 * (counts.trees + 1) * float(parts.epsilon or 1)
        fineness = 1 << min(max(math.ceil(math.log2(wanted)), 0), FINEST)
        return cls(counts.trees, counts.moved_rows, counts.replaces, counts.classes, fineness)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of all numbers together, in steps."""
        reach, width = self.moved_rows * (2 if self.replaces else 1) * self.fineness, self.trees + 1
        return Sensitivity(reach, cells=2 * width * self.moved_rows, l1=reach * width)

    def noise(self, parts: NoiseParts, share: Fraction) -> Mechanism[Any, Any]:
        """Noise on all numbers of a class together."""
        if parts.epsilon is None:
            raise TypeError("stumps have pure noise only")
        epsilon, width, reach = parts.epsilon * share, self.trees + 1, int(self.sensitivity.linf)
        return PureNoise(
            CubeNoise(width, reach=reach, scale=max(reach / epsilon, Fraction(width)), added_up=True), epsilon
        )

    def exact(self, rows: Floats, target: NDArray[Any], trees: RandomTrees) -> NDArray[np.int64]:
        """Return [class, number]: the size first, then a difference for each tree, in steps."""
        plain = ClassCounts(self.trees, self.moved_rows, self.replaces, self.classes).exact(rows, target, trees)
        sizes = np.bincount(target, minlength=self.classes).astype(np.int64)
        return np.column_stack([sizes, (plain[:, 0] - plain[:, 1]).T]) * self.fineness

    def read(self, noisy: Floats, noise: Mechanism[Any, Any]) -> tuple[Floats, float]:
        """Half of size plus and minus difference."""
        sizes, differences = noisy[:, :1] / self.fineness, noisy[:, 1:] / self.fineness
        found = np.stack([sizes + differences, sizes - differences], axis=-1).transpose(1, 2, 0) / 2
        return found, _deviation(noise) / self.fineness / math.sqrt(2)


@dataclass(frozen=True)
class TargetSums(LeafStatistic):
    """How many rows every leaf has, and the sum of their targets, which lie in [-1, 1].

    Proof: a row adds `UNIT` to the size of one leaf of each tree and at most that, up or down, to its sum: 2T in L1 and
        √(2T) in L2. Where it is replaced, twice that at most.
    """

    NUMBERS: ClassVar[int] = 2

    @property
    def sensitivity(self) -> Sensitivity:
        """Of all sizes and sums together, in steps."""
        twice = 2 if self.replaces else 1
        size, cells = self.moved_rows * UNIT, self.trees * self.NUMBERS
        return Sensitivity(
            twice * size,
            cells=twice * cells * self.moved_rows,
            l1=twice * size * cells,
            l2=twice * size * root_above(Fraction(cells)),
        )

    def exact(self, rows: Floats, target: NDArray[Any], trees: RandomTrees) -> NDArray[np.int64]:
        """Return [tree, leaf, size or sum] in steps; targets are whole numbers of steps."""
        leaves = 1 << trees.depth
        found = np.zeros((trees.count, leaves, self.NUMBERS), dtype=np.int64)
        for block, columns in blocks(rows):
            for tree in range(trees.count):
                place = trees.leaves(columns, tree)
                found[tree, :, 0] += np.bincount(place, minlength=leaves) * UNIT
                found[tree, :, 1] += sums(place, target[block], leaves)
        return found

    def read(self, noisy: Floats, noise: Mechanism[Any, Any]) -> tuple[Floats, float]:
        """In rows and half widths."""
        return noisy / UNIT, _deviation(noise) / UNIT


def sums(place: NDArray[Any], whole_numbers: NDArray[np.int64], cells: int) -> NDArray[np.int64]:
    """Return the sum of whole numbers below 2^16 in size for each cell: exact in floats for 2^37 rows."""
    return np.bincount(place, weights=whole_numbers, minlength=cells).astype(np.int64)


def _deviation(noise: Mechanism[Any, Any]) -> float:
    plain = noise.noise if isinstance(noise, PureNoise) else noise
    return plain.standard_deviation if isinstance(plain, CubeNoise) else deviation(plain)  # type: ignore[arg-type] # made by parts
