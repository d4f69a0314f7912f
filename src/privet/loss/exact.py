"""Numbers that mean what was typed: 0.1 is one tenth, and ten of them are one."""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from privet.errors import InvalidParameter

Exact = int | float | str | Decimal | Fraction
EXPONENT = re.compile(r"[eE][+-]?0*[1-9]\d{4}")  # of five digits or more

READABLE = 11  # characters


def exact(value: Exact, name: str) -> Fraction:
    """The rational number that was meant; a float stands for its shortest decimal.

    Args:
        value: a finite int, float, Decimal, Fraction, or text such as "0.1", "1e-6", "1/3".
        name: what the number is, for the error message.

    Example:
        >>> 3 * exact(0.1, "epsilon") == exact("3/10", "epsilon")
        True
    """
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool):
            raise TypeError  # noqa: TRY301 - one sentence for everything that is not a number
        text = str(value)
        if EXPONENT.search(text):
            raise ValueError  # noqa: TRY301 - 10^(10^9) would fill the memory
        return Fraction(text)
    except (TypeError, ValueError, ZeroDivisionError):
        kinds = 'an int, a float, a Decimal, a Fraction or text such as "0.1" or "1/3"'
        raise InvalidParameter(f"{name} must be a finite number ({kinds}), got {value!r}") from None


def exact_within(value: Exact, name: str, *, low: Exact, high: Exact = math.inf) -> Fraction:
    """The rational number that was meant, if it lies in [low, high]."""
    number = exact(value, name)
    if not low <= number or not number <= high:  # type: ignore[operator] # Fraction compares with all of Exact but str
        allowed = f">= {low}" if high == math.inf else f"in [{low}, {high}]"
        raise InvalidParameter(f"{name} must be {allowed}, got {shortest(number)}")
    return number


def whole(value: object, name: str, *, low: int = 1) -> int:
    """The value as an int; refuses what is not a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise InvalidParameter(f"{name} must be a whole number >= {low}, got {value!r}")
    return int(value)


def shortest(number: Fraction) -> str:
    """The shortest text that `exact` reads back as this very number.

    Example:
        >>> shortest(Fraction(1, 10**6)), shortest(Fraction(1, 3)), shortest(Fraction(2))
        ('1e-6', '1/3', '2')
    """
    try:
        text = repr(float(number))
    except OverflowError:
        return str(number)
    if Fraction(text) != number:
        return str(number)
    return text.removesuffix(".0").replace("e-0", "e-").replace("e+", "e")


def readable(number: Fraction | float) -> str:
    """The number for people: as it was typed where that is short, else to nine digits.

    Example:
        >>> readable(Fraction(1, 3)), readable(Fraction("0.25")), readable(Fraction(10**6))
        ('0.333333333', '0.25', '1000000')
    """
    text = shortest(number) if isinstance(number, Fraction) else repr(number).removesuffix(".0")
    if len(text) <= READABLE and "/" not in text:
        return text
    try:
        return f"{float(number):.9g}"
    except OverflowError:
        return "more than 1.8e308"


def total_of(charges: Iterable[tuple[int, float]]) -> float:
    """The sum of numbers taken some times each, from above; every float stands for its shortest decimal.

    Example:
        >>> total_of([(3, 0.1)])
        0.3
    """
    total = Fraction(0)
    for times, number in charges:
        if not math.isfinite(number):
            return number
        total += times * Fraction(repr(float(number)))
    return float_at_least(total)


def float_at_least(number: Fraction) -> float:
    """The nearest float whose shortest decimal is not below `number`: three tenths are 0.3, a third is more than that.

    Example:
        >>> float_at_least(Fraction(3, 10)), float_at_least(Fraction(1, 3)) > Fraction(1, 3)
        (0.3, True)
    """
    try:
        found = float(number)
    except OverflowError:
        found = math.inf if number > 0 else -math.inf
    while Decimal(float.__repr__(found)) < number:
        found = math.nextafter(found, math.inf)
    return found


def float_at_most(number: Fraction) -> float:
    """The nearest float whose shortest decimal is not above `number`."""
    return 0.0 - float_at_least(-number)  # zero without a sign
