"""Law: a distribution on whole numbers that can be drawn from exactly."""

import math
import operator
from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex

import numpy as np

from privet.errors import InvalidParameter
from privet.noise.entropy import BitSource
from privet.noise.lazy import Steps

Number = int | float | Fraction | Decimal | np.integer | np.floating

_WIDEST = 256
_MOST = 1 << 40


class Law(ABC):
    """A distribution on whole numbers (lattice steps); parameters are checked before anything is drawn.

    Example:
        >>> from privet.noise import DiscreteLaplaceLaw, Entropy
        >>> law: Law = DiscreteLaplaceLaw(1)
        >>> isinstance(law.one(Entropy()), int), len(law.many(Entropy(), 5))
        (True, 5)
    """

    @abstractmethod
    def one(self, source: BitSource) -> int:
        """Draw one value, exact however large."""

    @abstractmethod
    def many(self, source: BitSource, count: int) -> Steps:
        """Draw `count` independent values: int64, or Python ints where a value lies outside int64."""


def exact_number(value: Number, *, name: str) -> Fraction:
    """Return the number as an exact fraction (a float counts as the binary fraction it is)."""
    if isinstance(value, np.integer | np.floating):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | Decimal):
        raise InvalidParameter(f"{name} must be a number, got {type(value).__name__}")
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise InvalidParameter(f"{name} must be finite, got {value}")
    return Fraction(value)


def exact_scale(value: Number) -> Fraction:
    """Return a noise scale, in lattice steps, as an exact fraction in the range the samplers support."""
    scale = exact_number(value, name="scale")
    if scale <= 0:
        raise InvalidParameter(f"scale must be > 0, got {value}: without noise there is no privacy")
    if not Fraction(1, 1 << _WIDEST) <= scale <= 1 << _WIDEST:
        raise InvalidParameter(
            f"scale must lie between 2^-{_WIDEST} and 2^{_WIDEST} lattice steps, got about 2^{_log2(scale)}: "
            "choose a lattice step nearer to the scale"
        )
    return scale


def draw_count(count: SupportsIndex, *, name: str = "count") -> int:
    """Return how many values to draw, as an int in the range that fits memory."""
    number = operator.index(count)
    if not 0 <= number <= _MOST:
        raise InvalidParameter(f"{name} must be between 0 and 2^40, got {number}")
    return number


def _log2(number: Fraction) -> int:
    return number.numerator.bit_length() - number.denominator.bit_length()
