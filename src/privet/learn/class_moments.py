"""ClassMoments: noisy counts, sums and sums of squares of the rows of each class."""

import math
from dataclasses import dataclass

from privet.learn.features import Floats


@dataclass(frozen=True)
class ClassMoments:
    """Noisy sums over rows z in [-1, 1], and the standard deviations of their noise.

    Args:
        counts: of each class.
        sums: of z, a row for each class.
        squares: of z², a row for each class, or one for all.
        count_noise, sum_noise, square_noise: standard deviations.
    """

    counts: Floats
    sums: Floats
    squares: Floats
    count_noise: float
    sum_noise: float
    square_noise: float

    @property
    def pooled(self) -> bool:
        """Whether squares are known for all classes together only."""
        return len(self.squares) < len(self.counts)

    def __add__(self, other: "ClassMoments") -> "ClassMoments":
        pooled = self.pooled or other.pooled
        first, second = (each.for_all if pooled else each for each in (self, other))
        return ClassMoments(
            first.counts + second.counts,
            first.sums + second.sums,
            first.squares + second.squares,
            math.hypot(first.count_noise, second.count_noise),
            math.hypot(first.sum_noise, second.sum_noise),
            math.hypot(first.square_noise, second.square_noise),
        )

    @property
    def for_all(self) -> "ClassMoments":
        """The same with one row of squares."""
        noise = self.square_noise * math.sqrt(len(self.squares))
        squares = self.squares.sum(axis=0, keepdims=True)
        return ClassMoments(self.counts, self.sums, squares, self.count_noise, self.sum_noise, noise)
