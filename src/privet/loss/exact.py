"""Numbers that mean what was typed: 0.1 is one tenth, and ten of them are one."""

import math
import re
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from privet.errors import InvalidParameter

Exact = int | float | str | Decimal | Fraction
EXPONENT = re.compile(r"[eE][+-]?0*[1-9]\d{4}")  # of five digits or more

READABLE = 11  # characters
SHORT, LONGEST = 4, 60  # entries and characters of what is repeated in a refusal
DIGITS, MOST_DIGITS = 9, 40  # that are shown of a longer number, and if it stands beside one that is almost equal


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
        raise InvalidParameter(f"{name} must be a finite number ({kinds}), got {shown(value)}") from None


def shown(value: object) -> str:
    """What was handed over in place of a parameter, for a refusal: short, in one line, and nothing of a column.

    Example:
        >>> shown("two"), shown((1, 2)), shown([31, 44]), shown(np.zeros(3))
        ("'two'", '(1, 2)', 'a list', 'a ndarray')
    """
    plain = (bool, int, float, complex, str, bytes, Fraction, Decimal, type(None))
    if isinstance(value, plain) or (
        isinstance(value, tuple) and len(value) <= SHORT and all(isinstance(each, plain) for each in value)
    ):
        text = _repr(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f"a {type(value).__name__}"


def refuse_single(values: object, sentence: str) -> None:
    """Raise with this sentence if something is not a row of things that can be gone through one by one."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or getattr(values, "shape", None) == ():
        raise InvalidParameter(f"{sentence}, got {shown(values)}")


def _repr(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # a whole number of thousands of digits
        return "a number of very many digits"


def exact_within(value: Exact, name: str, *, low: Exact, high: Exact = math.inf) -> Fraction:
    """The rational number that was meant, if it lies in [low, high]."""
    number = exact(value, name)
    if not low <= number or not number <= high:  # type: ignore[operator] # Fraction compares with all of Exact but str
        allowed = f">= {low}" if high == math.inf else f"in [{low}, {high}]"
        raise InvalidParameter(f"{name} must be {allowed}, got {shortest(number)}")
    return number


def whole(value: object, name: str, *, low: int = 1, high: int | None = None) -> int:
    """The value as an int; refuses what is not a whole number of at least `low`, and at most `high`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise InvalidParameter(f"{name} must be a whole number >= {low}, got {shown(value)}")
    if high is not None and value > high:
        raise InvalidParameter(f"{name} must be a whole number from {low} to {high:,}, got {shown(value)}")
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


def readable(number: Fraction | float, *, beside: Fraction | float | None = None) -> str:
    """The number for people: as it was typed where that is short, else to nine digits.

    Args:
        number: the number.
        beside: another that is shown in the same sentence. If they differ, so do their texts: there are as many digits
            as that takes.

    Example:
        >>> readable(Fraction(1, 3)), readable(Fraction("0.25")), readable(Fraction(10**6))
        ('0.333333333', '0.25', '1000000')
        >>> readable(Fraction(1, 3), beside=Fraction("0.33333333333"))
        '0.333333333333'
    """
    if beside is None or beside == number or _rounded(number) != _rounded(beside):
        return _rounded(number)
    for digits in range(DIGITS + 1, MOST_DIGITS):
        text = _to_digits(number, digits)
        if text != _to_digits(beside, digits):
            return text
    return shortest(Fraction(number))


def _to_digits(number: Fraction | float, digits: int) -> str:
    """The number to so many digits, and no zeros at the end."""
    exactly = Fraction(number)
    rounded = Context(prec=digits).divide(Decimal(exactly.numerator), Decimal(exactly.denominator))
    return str(rounded.normalize(Context(prec=digits))).lower().replace("e+", "e")


def _rounded(number: Fraction | float) -> str:
    text = shortest(number) if isinstance(number, Fraction) else repr(number).removesuffix(".0")
    if len(text) <= READABLE and "/" not in text:
        return text
    try:
        return f"{float(number):.{DIGITS}g}"
    except OverflowError:
        return "more than 1.8e308"


def meant_by(number: float) -> Fraction:
    """The decimal that a finite float stands for: its shortest.

    Example:
        >>> meant_by(0.1) == Fraction(1, 10)
        True
    """
    return Fraction(float.__repr__(float(number)))


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
        total += times * meant_by(number)
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
