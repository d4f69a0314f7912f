"""Bins: a public division of all numbers, by sign and power of two, around 0 or around a released center."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shown

Ends: TypeAlias = tuple[Fraction, Fraction]
SMALLEST = -20  # numbers below 2^SMALLEST in absolute value are in the bin of 0
LARGEST = 51  # those from 2^(LARGEST - 1) on are in the last bin, whose end is 2^LARGEST
NEAR = 10  # octaves on either side of a declared scale
FINEST = 31  # octaves from the farther end down to the bin of a center: floats tell 2^20 steps of that apart
SIGNS = ("positive", "negative")


@dataclass(frozen=True)
class Expected:
    """What the owner knows of numbers whose bounds are searched for. It makes the search smaller.

    Args:
        sign: "positive" or "negative", if they all are, or 0.
        scale: a usual size, such as 50000 for incomes; it need not be more exact than a thousandfold.

    Privacy: both are public, and choose among public bins. If they are wrong, bounds are worse, never less private.

    Example:
        >>> Expected.of(sign="positive", scale=50_000).fallback
        (Fraction(0, 1), Fraction(65536, 1))
    """

    sign: str | None = None
    scale: Fraction | None = None

    @classmethod
    def of(cls, *, sign: str | None = None, scale: Exact | None = None) -> "Expected":
        """Return what was said, or refuse it."""
        if sign is not None and sign not in SIGNS:
            raise InvalidParameter(f'sign must be "positive" or "negative", got {shown(sign)}')
        size = None if scale is None else exact(scale, "scale")
        if size is not None and not Fraction(2) ** SMALLEST <= size <= Fraction(2) ** LARGEST:
            raise InvalidParameter(f"scale must be a usual size of the numbers, from 2^-20 to 2^51, got {shown(scale)}")
        return cls(sign, size)

    @property
    def fallback(self) -> Ends:
        """The bounds if nothing is found: 1, or the declared scale, on either side of 0 that is possible."""
        reach = Fraction(1) if self.scale is None else Fraction(2) ** _octave(self.scale)
        low = Fraction(0) if self.sign == "positive" else -reach
        return low, Fraction(0) if self.sign == "negative" else reach

    @property
    def bins(self) -> "Bins":
        """From 2^-20 to 2^51, or ten octaves on either side of the scale; of either sign, or of the one declared."""
        first, last = SMALLEST, LARGEST
        if self.scale is not None:
            middle = _octave(self.scale)
            first, last = max(first, middle - NEAR), min(last, middle + NEAR)
        sizes = [Fraction(2) ** octave for octave in range(first, last + 1)]
        above, below = sizes, [-size for size in reversed(sizes)]
        if self.sign == "positive":
            return Bins((Fraction(0), *above))
        return Bins((*below, Fraction(0)) if self.sign == "negative" else (*below, *above))


@dataclass(frozen=True)
class Bins:
    """Bins that touch; the first and the last also hold whatever lies beyond their ends.

    Args:
        edges: their ends, in order, one more than there are bins.
        center: of its two ends a bin has the one nearer to it.

    Privacy: which bin a number is in depends on that number alone, and on public or released ones.

    Example:
        >>> bins = Expected().bins
        >>> len(bins), [float(edge) for edge in bins.ends(92, 94)]
        (143, [1.0, 8.0])
    """

    edges: tuple[Fraction, ...]
    center: Fraction = Fraction(0)

    @classmethod
    def around(cls, center: Fraction, ends: Ends) -> "Bins":
        """Octaves of the distance from a center, within bounds that were found before."""
        far = max(abs(ends[0]), abs(ends[1]))
        sizes = [far / 2**octave for octave in range(FINEST + 1)]
        inner = {center + sign * size for size in sizes for sign in (1, -1)}
        return cls(tuple(sorted({*ends, *(each for each in inner if ends[0] < each < ends[1])})), center)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.edges) - 1

    @property
    def middle(self) -> int:
        """The bin of the center."""
        return min(max(bisect_left(self.edges, self.center) - 1, 0), len(self) - 1)

    def ends(self, first: int, last: int) -> Ends:
        """Where the numbers of some neighboring bins lie."""
        return self.edges[first], self.edges[last + 1]

    def outside(self, ends: Ends) -> Iterable[int]:
        """The bins that lie beyond these ends."""
        return (number for number, (low, high) in enumerate(pairwise(self.edges)) if high <= ends[0] or low >= ends[1])

    def reached(self, ends: Ends) -> Iterable[int]:
        """The outermost bins within these ends: they also hold what lies beyond. Not at 0, where a sign is declared.

        Example:
            >>> bins = Expected(sign="positive", scale=Fraction(1)).bins
            >>> list(bins.reached((Fraction(0), Fraction(1)))), list(bins.reached((Fraction(0), Fraction(1024))))
            ([], [20])
        """
        low, *_, high = self.edges
        return (*((0,) if low and ends[0] <= low else ()), *((len(self) - 1,) if high and ends[1] >= high else ()))


def _octave(size: Fraction) -> int:
    """The least power of two that is not below a size."""
    octave = size.numerator.bit_length() - size.denominator.bit_length() - 1
    while Fraction(2) ** octave < size:
        octave += 1
    return octave
