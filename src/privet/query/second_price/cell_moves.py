"""Cell moves: how far a unit moves sums of counts by place, tried column by column."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.core.sensitivity import root_above


@dataclass(frozen=True)
class Longest:
    """How far one row moves all sums of a group: by one column, or from one to another.

    Args:
        l1: in sum.
        square: the square of how far as the crow flies.
    """

    l1: int
    square: int


def longest_column(asked: NDArray[np.int64]) -> Longest:
    """Of a row that comes or goes."""
    columns = [[int(number) for number in column] for column in asked.T]
    return Longest(max(sum(map(abs, each)) for each in columns), max(sum(n * n for n in each) for each in columns))


def farthest_columns(asked: NDArray[np.int64]) -> Longest:
    """Of a row that is replaced by another, each of which may be in no cell."""
    with_nothing = np.concatenate([asked.astype(np.int64), np.zeros((len(asked), 1), dtype=np.int64)], axis=1)
    l1 = square = 0
    for column in with_nothing.T:
        apart = np.abs(with_nothing - column[:, None])
        l1 = max(l1, int(apart.sum(axis=0).max()))
        square = max(square, int((apart * apart).sum(axis=0).max()))
    return Longest(l1, square)


def sum_moves(
    asked: NDArray[np.int64], *, reach: Fraction, groups: int, keyed: bool, replaced: bool
) -> tuple[Fraction, Fraction]:
    """How far a unit moves the sums of all groups: in sum, and as the crow flies.

    Args:
        asked: how often a row at each place counts in each sum.
        reach: what the rows of a unit count for in one group, together.
        groups: in how many groups they may do so.
        keyed: whether there are groups.
        replaced: whether a unit takes the place of another.

    Proof: in a group a unit's rows lie at places, and together count for `reach`: they move its sums by a mixture of
        columns, no farther than the longest. A unit that takes the place of another does so in the same group, or each
        in one of its own: then squares add up.
    """
    alone = longest_column(asked)
    l1, square = alone.l1, alone.square
    if replaced:
        pair = farthest_columns(asked)
        l1, square = (2 * l1, max(2 * square, pair.square)) if keyed else (pair.l1, pair.square)
    return groups * reach * l1, root_above(groups * square * reach * reach)
