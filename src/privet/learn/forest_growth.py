"""ForestGrowth: how many trees of which depth, from public numbers and at most one noisy count."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.core import Sensitivity
from privet.learn.fitting import Fitting
from privet.learn.noise_parts import NoiseParts
from privet.loss.exact import whole

COUNTING = Fraction(1, 50)  # of the budget goes to a count of the rows, where that is not public
MANY_CLASSES = 5  # from here on single questions tell more than deep leaves, while rows are few
WIDE = 16  # columns, at least, that single questions are asked about
STUMPS = (30.0, 300.0)  # rows of a class in units of the noise on a count, between which that is so
STEPS = ((30_000.0, 8, 9), (3_000.0, 16, 9), (0.0, 8, 7))  # rows in units of the noise: trees, depth
SUMS = ((30_000.0, 16, 10), (3_000.0, 16, 8), (300.0, 8, 4), (0.0, 4, 2))  # the same of a regression
GAUSSIAN = 100  # trees, where more cost nothing


@dataclass(frozen=True)
class ForestGrowth:
    """The shape of a forest.

    Args:
        trees: how many.
        depth: questions from the root to a leaf.
        stumps: whether all trees are single questions whose counts get noise together (`CubeNoise`).

    Privacy: a function of the budget, of what was declared, and of a count that is released for it.

    Example:
        >>> parts = NoiseParts(Fraction(1), None)
        >>> ForestGrowth.of(parts, rows=1000, classes=2, columns=8)
        ForestGrowth(trees=8, depth=7, stumps=False)
        >>> ForestGrowth.of(parts, rows=1200, classes=10, columns=64)
        ForestGrowth(trees=72, depth=1, stumps=True)
    """

    trees: int
    depth: int
    stumps: bool = False

    @classmethod
    def of(  # noqa: PLR0913 - public numbers, each by name
        cls,
        parts: NoiseParts,
        *,
        rows: float,
        classes: int,
        columns: int,
        trees: int | None = None,
        depth: int | None = None,
    ) -> "ForestGrowth":
        """Return the shape for so many rows.

        Args:
            parts: the budget.
            rows: how many there are, or are counted with noise.
            classes: how many; 1 for a regression.
            columns: how many features.
            trees: where it was said.
            depth: where it was said.
        """
        strength = max(rows, 1.0) * parts.strength
        if parts.gaussian:
            level = min(max(round(math.log2(max(strength, 1.0) / 2)), 5 if classes > 1 else 2), 10)
            return cls(trees or GAUSSIAN, depth or level)
        each = strength / classes
        many = classes >= MANY_CLASSES and columns >= WIDE and STUMPS[0] <= each < STUMPS[1]
        if depth == 1 or (many and depth is None):
            return cls(trees or min(max(round(0.6 * each), 16), 72), 1, stumps=classes > 1)
        steps = STEPS if classes > 1 else SUMS
        found = next((count, level) for least, count, level in steps if strength >= least)
        return cls(trees or found[0], depth or found[1])

    def noise(self, parts: NoiseParts, *, share: Fraction, moved: float) -> str:
        """The noise on a number of a leaf, in words.

        Args:
            parts: the budget.
            share: of it, what the leaves get.
            moved: how far one unit moves a tree, where a row moves it by 1.
        """
        wide = self.trees**0.5 if parts.gaussian else 2**0.5 * self.trees
        wide = (self.trees + 2) / 6**0.5 if self.stumps else wide
        left = float(share) ** (0.5 if parts.gaussian else 1)
        return f"about ±{wide * moved / (left * parts.strength):.3g} rows"


@dataclass(frozen=True)
class RowCount:
    """Where the number of rows is known from: the caller, the neighbors (all have as many), or a noisy count.

    Args:
        known: the public number; None where rows are counted.
        share: of the budget that counting takes.
        sensitivity: of the count; a replaced unit may have none of the rows that count.
    """

    known: int | None
    share: Fraction
    sensitivity: Sensitivity

    @classmethod
    def of(cls, fitting: Fitting, *, expected: Any, said: bool) -> "RowCount":  # noqa: ANN401 - refused in words
        """Return it; where `said`, nothing depends on it and nothing is counted."""
        known = fitting.public_length if expected is None else whole(expected, "expected_rows")
        if said and known is None:
            known = 1
        return cls(known, Fraction(0) if known is not None else COUNTING, Sensitivity(fitting.moved_rows))
