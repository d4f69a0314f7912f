"""Intervals: where the result of arithmetic can lie, with exact ends; None is an end that is not known.

Ends of ln, exp, sqrt and power are rounded outward by more than a float's error.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeAlias

from privet.query.scalars.facts import Bound

Interval: TypeAlias = tuple[Bound, Bound]

UNKNOWN: Interval = (None, None)
WIDTH = Fraction(1, 2**46)  # relative and absolute, about a hundred times a float's error
LARGEST_POWER = 64  # whole exponents up to this are computed exactly
LONGEST = 4096  # bits of an end that is worth computing exactly
FINITE = Fraction(2) ** 1024  # what a float cannot hold


def known(*ends: Bound) -> list[Fraction] | None:
    """The ends, if every one is known."""
    found = [end for end in ends if end is not None]
    return found if len(found) == len(ends) else None


def size(end: Fraction) -> int:
    """How many bits an end has."""
    return max(end.numerator.bit_length(), end.denominator.bit_length())


def tidy(a: Interval) -> Interval:
    """The interval with ends of a bounded size, rounded outward; beyond what a float holds nothing is known."""
    low, high = (None if end is None or abs(end) >= FINITE else end for end in a)
    if low is not None and size(low) > LONGEST:
        low = Fraction(math.floor(low * FINITE)) / FINITE
    if high is not None and size(high) > LONGEST:
        high = Fraction(math.ceil(high * FINITE)) / FINITE
    return (low, high)


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval that holds all of them."""
    parts = list(intervals)
    lows, highs = known(*(low for low, _ in parts)), known(*(high for _, high in parts))
    return (min(lows) if lows else None, max(highs) if highs else None)


def add(a: Interval, b: Interval) -> Interval:
    """Where a + b lies."""
    return tuple(None if x is None or y is None else x + y for x, y in zip(a, b, strict=True))  # type: ignore[return-value] # two in, two out


def negate(a: Interval) -> Interval:
    """Where -a lies."""
    low, high = a
    return (None if high is None else -high, None if low is None else -low)


def absolute(a: Interval) -> Interval:
    """Where |a| lies."""
    low, high = a
    if low is not None and low >= 0:
        return a
    if high is not None and high <= 0:
        return negate(a)
    ends = known(low, high)
    return (Fraction(0), max(-ends[0], ends[1]) if ends else None)


def multiply(a: Interval, b: Interval) -> Interval:
    """Where a b lies."""
    ends = known(*a, *b)
    if ends:
        corners = [x * y for x in ends[:2] for y in ends[2:]]
        return (min(corners), max(corners))
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        return (a[0] * b[0], None)
    return UNKNOWN


def reciprocal(a: Interval, *, whole: bool) -> Interval:
    """Where 1 / a lies, without 0, which has no reciprocal; a whole number that is not 0 is at least 1 from it."""
    low, high = a
    nearest = Fraction(1) if whole else None
    if low is not None and (low > 0 or (low == 0 and nearest)):
        return (Fraction(0) if high is None or high == 0 else 1 / high, 1 / max(low, nearest or low))
    if high is not None and (high < 0 or (high == 0 and nearest)):
        return negate(reciprocal(negate(a), whole=whole))
    return (Fraction(-1), Fraction(1)) if whole else UNKNOWN


def monotone(a: Interval, function: Callable[[Fraction], Interval]) -> Interval:
    """Where an increasing function of a lies; the function tells where its value at an end lies."""
    low, high = a
    return (None if low is None else function(low)[0], None if high is None else function(high)[1])


def around(value: float) -> Interval:
    """Where the real number lies that a float function found, rounded outward."""
    if not math.isfinite(value):
        return UNKNOWN
    exact = Fraction(value)
    return (exact - (abs(exact) + 1) * WIDTH, exact + (abs(exact) + 1) * WIDTH)


def floated(function: Callable[[float], float]) -> Callable[[Fraction], Interval]:
    """An increasing float function as one for `monotone`."""

    def at(end: Fraction) -> Interval:
        try:
            return around(function(float(end)))
        except (OverflowError, ValueError):
            return UNKNOWN

    return at


def whole_power(a: Interval, exponent: int) -> Interval:
    """Where a to a whole exponent from 0 lies, exactly."""
    if exponent == 0:
        return (Fraction(1), Fraction(1))
    low, high = absolute(a) if exponent % 2 == 0 else a
    if any(end is not None and size(end) * exponent > LONGEST for end in (low, high)):
        return UNKNOWN
    return (None if low is None else low**exponent, None if high is None else high**exponent)


def power(a: Interval, b: Interval) -> Interval:
    """Where a to the b lies, for a > 0 with both ends known; unknown elsewhere."""
    if b[0] is not None and b[0] == b[1] and b[0].denominator == 1 and 0 <= b[0] <= LARGEST_POWER:
        return whole_power(a, int(b[0]))
    ends = known(*a, *b)
    if ends is None or ends[0] <= 0:
        return UNKNOWN
    parts = [floated(lambda y, x=x: math.pow(float(x), y))(y) for x in ends[:2] for y in ends[2:]]  # type: ignore[misc] # mypy cannot see the default
    low, high = hull(parts)
    return (None if low is None else max(low, Fraction(0)), high)
