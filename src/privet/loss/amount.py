"""Amount: what a spending rule counts, exactly.

Sums, remainders and comparisons are those of fractions: three answers at 0.1 fit a limit of 0.3, and the
fourth does not. A cost no limit can pay is infinite, and a cost that is not a number is infinite too, so
that NaN refuses.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from privet.loss.exact import meant_by, readable

Part: TypeAlias = Fraction | float  # the only floats are infinities

_SYMBOLS = {"epsilon": "ε", "delta": "δ", "gamma": "γ", "rho": "ρ", "mu_squared": "μ²"}


def charge(bound: float) -> Part:
    """Return the exact cost of an upper bound given as a float: what it stands for, its shortest decimal.

    Whoever reads a loss and types the number as a limit has typed that decimal, so it fits. Bounds are rounded
    up by more than the decimal may lie below the float. NaN costs infinity.

    Example:
        >>> charge(0.1) == Fraction(1, 10), charge(math.nan)
        (True, inf)
    """
    return meant_by(bound) if 0 <= bound < math.inf else math.inf


@dataclass(frozen=True, init=False, repr=False)
class Amount:
    """One exact number for each thing a rule adds up, such as (ε, δ) or (ρ).

    Example:
        >>> cost, limit = Amount(Fraction(1, 10)), Amount(Fraction(3, 10))
        >>> (cost + cost + cost).fits(limit), (cost * 4).fits(limit), limit.holds(cost)
        (True, False, 3)
        >>> Amount(Fraction(1, 2), Fraction(0), units=("epsilon", "delta"))
        ε=0.5, δ=0
    """

    parts: tuple[Part, ...]
    units: tuple[str, ...] = field(compare=False)

    def __init__(self, *parts: Part, units: tuple[str, ...] = ()) -> None:
        object.__setattr__(self, "parts", tuple(part if part >= 0 else math.inf for part in parts))
        object.__setattr__(self, "units", units)

    def __add__(self, other: "Amount") -> "Amount":
        pairs = zip(self.parts, other.parts, strict=True)
        return self._like(tuple([mine + theirs if theirs else mine for mine, theirs in pairs]))

    def __mul__(self, times: int) -> "Amount":
        return self._like(tuple(part * times if part else part for part in self.parts))

    def and_gamma(self, gamma: Fraction) -> "Amount":
        """The same amount with γ counted beside it: no rule prices γ, it adds up by itself.

        Example:
            >>> Amount(Fraction(1), units=("rho",)).and_gamma(Fraction(1, 20))
            ρ=1, γ=0.05
        """
        return Amount(*self.parts, gamma, units=(*self.units, "gamma"))

    def _like(self, parts: tuple[Part, ...]) -> "Amount":
        """An amount of the same units whose parts are known to be at least 0."""
        made = object.__new__(Amount)
        made.__dict__["parts"] = parts
        made.__dict__["units"] = self.units
        return made

    @property
    def epsilon(self) -> Part:
        """The ε counted, exactly."""
        return self._counted("epsilon")

    @property
    def delta(self) -> Part:
        """The δ counted, exactly."""
        return self._counted("delta")

    @property
    def gamma(self) -> Part:
        """The γ of random DP counted, exactly."""
        return self._counted("gamma")

    @property
    def rho(self) -> Part:
        """The ρ of zCDP counted, exactly."""
        return self._counted("rho")

    def _counted(self, unit: str) -> Part:
        if unit not in self.units:
            raise AttributeError(f"this amount counts {' and '.join(self.units) or 'unnamed parts'}, not {unit}")
        return self.parts[self.units.index(unit)]

    def fits(self, limit: "Amount") -> bool:
        """Return whether every part is within the limit; what cannot be compared does not fit."""
        for mine, most in zip(self.parts, limit.parts, strict=True):
            if isinstance(most, float) or (mine and not mine <= most):  # no limit is infinite
                return False
        return True

    def less(self, spent: "Amount") -> "Amount":
        """Return what is left after spending, at least 0 in every part."""
        pairs = zip(self.parts, spent.parts, strict=True)
        return Amount(*(mine - gone if gone < mine else Fraction(0) for mine, gone in pairs), units=self.units)

    def holds(self, cost: "Amount") -> int | float:
        """Return how many such costs fit into this amount; infinitely many when they cost nothing."""
        often = [
            mine // each if each < math.inf else 0
            for mine, each in zip(self.parts, cost.parts, strict=True)
            if each > 0
        ]
        return min((int(count) for count in often), default=math.inf)

    def beside(self, other: "Amount") -> str:
        """The amount for people, with as many digits as tell it from another in the same sentence.

        Example:
            >>> Amount(Fraction(1, 3), units=("epsilon",)).beside(Amount(Fraction("0.33333333333"), units=("epsilon",)))
            'ε=0.333333333333'
        """
        pairs = zip(self.parts, other.parts, strict=True)
        return self._said([readable(mine, beside=theirs) for mine, theirs in pairs])

    def __repr__(self) -> str:
        return self._said([readable(part) for part in self.parts])

    def _said(self, texts: list[str]) -> str:
        if self.units:
            return ", ".join(f"{_SYMBOLS.get(unit, unit)}={text}" for unit, text in zip(self.units, texts, strict=True))
        return f"Amount({', '.join(texts)})"
