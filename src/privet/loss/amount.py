"""Amount: what a spending rule counts, exactly.

Sums, remainders and comparisons are those of fractions: three answers at 0.1 fit a limit of 0.3, and the
fourth does not. A cost no limit can pay is infinite, and a cost that is not a number is infinite too, so
that NaN refuses.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Part: TypeAlias = Fraction | float  # the only floats are infinities

_DECIMAL_DIGITS = 15  # a decimal of up to 15 digits survives the way through float64 and back


def charge(bound: float) -> Part:
    """Return the exact cost of an upper bound given as a float: never less than what it stands for.

    A float whose shortest decimal has at most 15 digits stands for that decimal, as everywhere in Privet:
    it is what a person declared. Any other was computed and is charged at the next float above it. NaN
    costs infinity.

    Example:
        >>> charge(0.1) == Fraction(1, 10), charge(math.nan)
        (True, inf)
    """
    if not 0 <= bound < math.inf:
        return math.inf
    digits = float.__repr__(float(bound)).partition("e")[0].replace(".", "").strip("0")
    if len(digits) <= _DECIMAL_DIGITS:
        return Fraction(float.__repr__(float(bound)))
    return Fraction(math.nextafter(bound, math.inf))


@dataclass(frozen=True, init=False, repr=False)
class Amount:
    """One exact number for each thing a rule adds up, such as (ε, δ) or (ρ).

    Example:
        >>> cost, limit = Amount(Fraction(1, 10)), Amount(Fraction(3, 10))
        >>> (cost + cost + cost).fits(limit), (cost * 4).fits(limit), limit.holds(cost)
        (True, False, 3)
    """

    parts: tuple[Part, ...]

    def __init__(self, *parts: Part) -> None:
        object.__setattr__(self, "parts", tuple(part if part >= 0 else math.inf for part in parts))

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(*(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True)))

    def __mul__(self, times: int) -> "Amount":
        return Amount(*(part * times if part else part for part in self.parts))

    def fits(self, limit: "Amount") -> bool:
        """Return whether every part is within the limit; what cannot be compared does not fit."""
        return all(mine <= most < math.inf for mine, most in zip(self.parts, limit.parts, strict=True))

    def less(self, spent: "Amount") -> "Amount":
        """Return what is left after spending, at least 0 in every part."""
        pairs = zip(self.parts, spent.parts, strict=True)
        return Amount(*(mine - gone if gone < mine else Fraction(0) for mine, gone in pairs))

    def holds(self, cost: "Amount") -> int | float:
        """Return how many such costs fit into this amount; infinitely many when they cost nothing."""
        often = [
            mine // each if each < math.inf else 0
            for mine, each in zip(self.parts, cost.parts, strict=True)
            if each > 0
        ]
        return min((int(count) for count in often), default=math.inf)

    def __repr__(self) -> str:
        return f"Amount({', '.join(f'{float(part):.6g}' for part in self.parts)})"
