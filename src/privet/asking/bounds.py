"""Bounds: the declared lowest and highest value of a column."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import InvalidParameter
from privet.loss.exact import exact, shown

EXAMPLE = "for example bounds=(0, 100), from what is publicly known and not from the data"
_LARGEST = Fraction(10) ** 150  # so that squares are floats too


@dataclass(frozen=True)
class Bounds:
    """Values outside are clipped to the nearest bound.

    Privacy: the bounds decide how much noise is needed, so they must be public knowledge: a minimum or maximum read
        off the data is itself a release.

    Example:
        >>> Bounds.of((20_000, 200_000)).width
        Fraction(180000, 1)
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, bounds: Any) -> "Bounds":  # noqa: ANN401 - whatever a caller hands over is refused in words
        """Return checked bounds."""
        if isinstance(bounds, cls):
            return bounds
        single = isinstance(bounds, str | bytes) or getattr(bounds, "shape", (2,)) != (2,)
        if single or not hasattr(bounds, "__len__") or len(bounds) != 2:  # noqa: PLR2004 - a pair
            raise InvalidParameter(f"bounds must be a pair (low, high), got {shown(bounds)}: {EXAMPLE}")
        numbers = []
        for name, value in zip(("low", "high"), bounds, strict=True):
            if isinstance(value, str) or (isinstance(value, float) and not math.isfinite(value)):
                raise InvalidParameter(f"bounds must be finite numbers, got {name}={shown(value)}: {EXAMPLE}")
            numbers.append(exact(value, f"bounds: {name}"))
        low, high = numbers
        if max(abs(low), abs(high)) > _LARGEST:
            raise InvalidParameter(f"bounds must stay within ±1e150: {EXAMPLE}")
        if 0 < high - low < 1 / _LARGEST:
            raise InvalidParameter("bounds must be at least 1e-150 apart: measure the values in a smaller unit")
        if not low < high or not float(low) < float(high):
            fix = "swap them" if low > high else "declare a range that values can differ in"
            raise InvalidParameter(
                f"bounds must have low < high, got low={float(low):g} and high={float(high):g}: {fix}"
            )
        return cls(low, high)

    @property
    def width(self) -> Fraction:
        """The distance of the bounds."""
        return self.high - self.low

    @property
    def middle(self) -> Fraction:
        """Halfway between low and high."""
        return (self.low + self.high) / 2

    @property
    def largest(self) -> Fraction:
        """The largest size of a value within the bounds."""
        return max(abs(self.low), abs(self.high))
