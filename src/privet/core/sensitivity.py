"""Sensitivity: how far one unit can move an answer."""

import math
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shortest, whole
from privet.loss.guarantee import failing


@dataclass(frozen=True, init=False, repr=False)
class Sensitivity:
    """The most an answer moves between neighbors: at most `cells` coordinates, each by at most `per_cell`.

    Args:
        per_cell: > 0, in the answer's unit; the largest move of one coordinate.
        cells: how many coordinates one unit can move; 1 for a single number.
        l1: the largest sum of moves, where it is known to be less than cells times per_cell.
        l2: the largest Euclidean move, where it is known to be less than per_cell times the root of cells.
        gamma: in [0, 1); above 0 the numbers were sampled, not proven (`privet.sampled_sensitivity`): they hold except
            with this probability, over neighbors drawn like the sampler's. What is released with it is random DP.

    Privacy: all of it is the caller's statement about every pair of neighbors, not about the data at hand; a
        number read off the data is itself a release. Under "replace" a histogram has two cells, not one.

    Example:
        >>> histogram = Sensitivity(1, cells=2)
        >>> histogram.l1, round(float(histogram.l2), 6), histogram.linf
        (Fraction(2, 1), 1.414214, Fraction(1, 1))
        >>> Sensitivity(1, cells=1000, l2=1)  # a vector clipped to length 1
        Sensitivity(1, cells=1000, l2=1)
        >>> Sensitivity(2, gamma="0.05")
        Sensitivity(2, gamma=0.05)
    """

    per_cell: Fraction
    cells: int
    l1: Fraction
    l2: Fraction
    gamma: Fraction

    def __init__(
        self,
        per_cell: Exact,
        cells: int = 1,
        *,
        l1: Exact | None = None,
        l2: Exact | None = None,
        gamma: Exact = 0,
    ) -> None:
        each, number = _positive(per_cell, "per_cell"), whole(cells, "cells")
        total = each * number
        length = root_above(each * each * number)
        if l1 is not None:
            total = min(total, _positive(l1, "l1"))
        if l2 is not None:
            length = min(length, _positive(l2, "l2"))
        total = min(total, root_above(length * length * number))  # Cauchy and Schwarz
        for name, value in (("per_cell", each), ("cells", number), ("l1", total), ("l2", min(length, total))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "gamma", failing(gamma, "gamma"))

    @property
    def linf(self) -> Fraction:
        """The largest move of one coordinate."""
        return min(self.per_cell, self.l2)

    def __repr__(self) -> str:
        words = [shortest(self.per_cell)]
        if self.cells > 1:
            words.append(f"cells={self.cells}")
            if self.l1 < min(self.per_cell * self.cells, root_above(self.l2**2 * self.cells)):
                words.append(f"l1={shortest(self.l1)}")
            if self.l2 < root_above(self.per_cell**2 * self.cells):
                words.append(f"l2={shortest(self.l2)}")
        if self.gamma:
            words.append(f"gamma={shortest(self.gamma)}")
        return f"Sensitivity({', '.join(words)})"


def refuse_undeclared(sensitivity: object) -> None:
    """Raise if this is not a `Sensitivity`: a bare number does not say how many cells it is about."""
    if not isinstance(sensitivity, Sensitivity):
        raise InvalidParameter(
            f"sensitivity must be a Sensitivity, such as Sensitivity(1) for a count, got {type(sensitivity).__name__}"
        )


def root_above(square: Fraction) -> Fraction:
    """Return the root, exact where it is rational with small terms, else a float not below it."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    try:
        root = math.sqrt(square)
    except OverflowError:
        return Fraction(top + 1)
    while Fraction(repr(root)) ** 2 < square:  # compared as the decimal a caller would type
        root = math.nextafter(root, math.inf)
    return Fraction(repr(root))


def _positive(value: Exact, name: str) -> Fraction:
    number = exact(value, name)
    if number <= 0:
        raise InvalidParameter(
            f"{name} must be > 0, got {shortest(number)}: an answer that no unit can move needs no release"
        )
    return number
