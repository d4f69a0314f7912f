"""Scale: where numbers are added up exactly. Sums are sums of whole numbers, so their order is nothing.

Real numbers are added up at places of a power-of-two step that follows from their bounds: 2^40 places up to the
larger bound, so that halves and quarters are exact. Without bounds they are held between -2^42 and 2^42 at steps of
2^-20. For squares and products, whole or real, there are 2^30 places, and without bounds real ones are held between
-2^20 and 2^20, whole ones between -2^30 and 2^30: then the squares of sums of 2^33 rows stay below 2^127.
"""

from dataclasses import dataclass
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.scalars.facts import Facts, Type

PLACES = 40  # bits
SQUARE_PLACES = 30
WIDEST, WIDEST_SQUARE = 900, 450  # bits of a bound, so that sums and squares are numbers on every engine


@dataclass(frozen=True)
class Scale:
    """Where numbers are added up: at step × place, between -most and most (none: as far as they go)."""

    step: Fraction
    most: Fraction | None

    @classmethod
    def of(cls, facts: Facts, *, squared: bool) -> "Scale":
        """The scale for what is known of an argument."""
        if facts.type is Type.INTEGER and not (squared and facts.bounded):
            return cls(Fraction(1), Fraction(1 << SQUARE_PLACES) if squared else None)
        if not facts.bounded:
            return (
                cls(Fraction(1, 1 << 10), Fraction(1 << 20))
                if squared
                else cls(Fraction(1, 1 << 20), Fraction(1 << 42))
            )
        power = _bits(max(abs(Fraction(end or 0)) for end in (facts.low, facts.high, Fraction(1, 1 << 100))))
        if power > (WIDEST_SQUARE if squared else WIDEST):
            raise InvalidParameter("an aggregate within a unit has bounds too wide to add up: write CLIP(x, low, high)")
        finest = 0 if facts.type is Type.INTEGER else power - (SQUARE_PLACES if squared else PLACES)
        return cls(Fraction(2) ** max(finest, power - SQUARE_PLACES if squared else finest), Fraction(2) ** power)


def _bits(number: Fraction) -> int:
    """The smallest power of two that is not below the number."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    while Fraction(2) ** power < number:
        power += 1
    return power
