"""Arithmetic: numbers in, numbers out.

| function | rule where mathematics or an engine has none |
|---|---|
| add subtract multiply negate abs | whole numbers stay whole where the result surely fits 62 bits, else become real |
| divide | real; NULL if the divisor is 0 |
| integer_divide | the floor of the quotient, of real numbers after it is rounded; NULL if the divisor is 0 |
| modulo | the rest, with the sign of the dividend; NULL if the divisor is 0 |
| floor ceil round | whole where the result surely fits 62 bits; halves are rounded away from 0 |
| sqrt | NULL below 0 |
| ln log10 | NULL at and below 0 |
| exp power | infinite where it is too large; exp is 0 below -708; power is NULL where it is not a real number |
"""

import math
from collections.abc import Callable
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.functions import intervals
from privet.query.functions.casts import cast
from privet.query.functions.intervals import Interval
from privet.query.functions.rule import (
    Arguments,
    Rule,
    can_be_zero,
    expect,
    finite,
    interval_of,
    nullable,
    numbers,
    type_of,
    whole_valued,
    within_whole,
)
from privet.query.scalars.expressions import Literal, facts_of
from privet.query.scalars.facts import Bound, Facts, Type, Value

MOST_DIGITS = 12
LEAST_EXPONENT = -708  # some engines raise an error where e^x is too small to be exact


def real(function: str, arguments: Arguments) -> Arguments:
    """Numbers, as real ones."""
    expect(function, arguments, Type.INTEGER, Type.REAL)
    return tuple(cast(argument, Type.REAL) for argument in arguments)


def _whole_where_it_fits(reach: Callable[..., Interval]) -> Callable[[str, Arguments], Arguments]:
    """Whole numbers if all are and the result surely fits, else real ones."""

    def fit(function: str, arguments: Arguments) -> Arguments:
        expect(function, arguments, Type.INTEGER, Type.REAL)
        if all(type_of(argument) is Type.INTEGER for argument in arguments) and within_whole(
            reach(*map(interval_of, arguments))
        ):
            return arguments
        return real(function, arguments)

    return fit


def _closed(reach: Callable[..., Interval], value: Callable[..., Value], count: int) -> Rule:
    """Whole numbers give a whole number, real ones a real one."""

    def facts(arguments: Arguments) -> Facts:
        return numbers(type_of(arguments[0]), reach(*map(interval_of, arguments)), null=nullable(arguments))

    def rounded(*values: float) -> Value:
        result = value(*values)
        return finite(result) if isinstance(result, float) else result

    return Rule(count, count, _whole_where_it_fits(reach), facts, rounded)


def _quotient(arguments: Arguments) -> Interval:
    a, b = arguments
    return intervals.multiply(interval_of(a), intervals.reciprocal(interval_of(b), whole=whole_valued(b)))


def _divide_facts(arguments: Arguments) -> Facts:
    return numbers(Type.REAL, _quotient(arguments), null=nullable(arguments) or can_be_zero(arguments[1]))


def _divide(a: float, b: float) -> Value:
    return None if b == 0 else finite(a / b)


def _steps(low: Bound, high: Bound) -> Interval:
    """Where the floor (or, below 0, the whole part) of a number lies."""
    return (
        None if low is None else Fraction(math.floor(low)),
        None if high is None else Fraction(math.floor(high) if high >= 0 else math.ceil(high)),
    )


def _integer_divide_facts(arguments: Arguments) -> Facts:
    null = nullable(arguments) or can_be_zero(arguments[1])
    return numbers(type_of(arguments[0]), _steps(*_quotient(arguments)), null=null)


def _integer_divide(a: float, b: float) -> Value:
    if b == 0:
        return None
    if isinstance(a, int):
        return a // b
    quotient = _divide(a, b)  # engines know the rounded quotient only
    return math.floor(quotient) if isinstance(quotient, float) and math.isfinite(quotient) else quotient


def _rest(a: Interval, b: Interval) -> Interval:
    """Where the rest lies: below the divisor and not beyond the dividend, with its sign."""
    _, size = intervals.absolute(b)
    low, high = a
    candidates = [end for end in (size, intervals.absolute(a)[1]) if end is not None]
    far = min(candidates) if candidates else None
    negative = low is None or low < 0
    positive = high is None or high > 0
    down = (None if far is None else -far) if negative else Fraction(0)
    return (down, far if positive else Fraction(0))


def _modulo_facts(arguments: Arguments) -> Facts:
    low, high = _rest(*map(interval_of, arguments))
    divisor = intervals.absolute(interval_of(arguments[1]))[1]
    if type_of(arguments[0]) is Type.INTEGER and divisor is not None and divisor >= 1:  # the rest stays below it
        low = None if low is None else max(low, 1 - divisor)
        high = None if high is None else min(high, divisor - 1)
    null = nullable(arguments) or can_be_zero(arguments[1])
    return numbers(type_of(arguments[0]), (low, high), null=null)


def _modulo(a: float, b: float) -> Value:
    if b == 0 or not math.isfinite(a) or math.isnan(b):
        return None
    return int(math.copysign(abs(a) % abs(b), a)) if isinstance(a, int) else math.fmod(a, b)


def _whole_result(interval: Interval, *, null: bool) -> Facts:
    return numbers(Type.INTEGER if within_whole(interval) else Type.REAL, interval, null=null)


def _to_whole(direction: Callable[[Fraction], int], value: Callable[[float], int]) -> Rule:
    def facts(arguments: Arguments) -> Facts:
        low, high = (None if end is None else Fraction(direction(end)) for end in interval_of(arguments[0]))
        return _whole_result((low, high), null=nullable(arguments))

    def total(number: float) -> Value:
        return value(number) if math.isfinite(number) else finite(number)

    return Rule(1, 1, real, facts, total)


def _fit_round(function: str, arguments: Arguments) -> Arguments:
    number, digits = (*arguments, Literal(0, Type.INTEGER))[:2]
    if not (isinstance(digits, Literal) and isinstance(digits.value, int) and abs(digits.value) <= MOST_DIGITS):
        raise InvalidParameter(f"ROUND takes a literal number of digits from -{MOST_DIGITS} to {MOST_DIGITS}")
    return (*real(function, (number,)), digits)


def _digits(arguments: Arguments) -> int:
    digits = arguments[1]
    assert isinstance(digits, Literal)  # noqa: S101 - as fitted
    return int(digits.value or 0)


def _round_facts(arguments: Arguments) -> Facts:
    unit = Fraction(10) ** -_digits(arguments)
    low, high = interval_of(arguments[0])
    interval = (
        None if low is None else math.ceil(low / unit - Fraction(1, 2)) * unit,
        None if high is None else math.floor(high / unit + Fraction(1, 2)) * unit,
    )
    null = nullable(arguments[:1])
    return _whole_result(interval, null=null) if unit >= 1 else numbers(Type.REAL, interval, null=null)


def _round(number: float, digits: int) -> Value:
    if not math.isfinite(number):
        return finite(number)
    unit = Fraction(10) ** -digits
    places = math.floor(abs(Fraction(number)) / unit + Fraction(1, 2)) * (-1 if number < 0 else 1)
    return int(places * unit) if unit >= 1 else float(places * unit)


def _sign_facts(arguments: Arguments) -> Facts:
    low, high = interval_of(arguments[0])
    least = 1 if low is not None and low > 0 else 0 if low is not None and low >= 0 else -1
    most = -1 if high is not None and high < 0 else 0 if high is not None and high <= 0 else 1
    return numbers(Type.INTEGER, (Fraction(least), Fraction(most)), null=nullable(arguments))


def _root(end: Fraction) -> Interval:
    low, high = intervals.floated(math.sqrt)(max(end, Fraction(0)))
    exact = math.isqrt(end.numerator) if end.denominator == 1 and end >= 0 else -1
    if exact >= 0 and exact * exact == end:
        return (Fraction(exact), Fraction(exact))
    return (None if low is None else max(low, Fraction(0)), high)


def _root_facts(arguments: Arguments) -> Facts:
    low, high = interval_of(arguments[0])
    below = low is None or low < 0
    start = Fraction(0) if low is None or low < 0 else low
    interval = intervals.monotone((start, None if high is None else max(high, start)), _root)
    return numbers(Type.REAL, interval, null=nullable(arguments) or below)


def _logarithm_facts(function: Callable[[float], float]) -> Callable[[Arguments], Facts]:
    def facts(arguments: Arguments) -> Facts:
        low, high = interval_of(arguments[0])
        positive = low is not None and low > 0
        interval = intervals.monotone((low if positive else None, high), intervals.floated(function))
        return numbers(Type.REAL, interval, null=nullable(arguments) or not positive)

    return facts


def _exponential_facts(arguments: Arguments) -> Facts:
    low, high = intervals.monotone(interval_of(arguments[0]), intervals.floated(math.exp))
    return numbers(Type.REAL, (max(low or Fraction(0), Fraction(0)), high), null=nullable(arguments))


def _power_facts(arguments: Arguments) -> Facts:
    base, exponent = arguments
    interval = intervals.power(interval_of(base), interval_of(exponent))
    low = facts_of(base).low
    always = (low is not None and low > 0) or (isinstance(exponent, Literal) and whole_valued(exponent))
    return numbers(Type.REAL, interval, null=nullable(arguments) or not always or can_be_zero(base))


def _positive(function: Callable[[float], float]) -> Callable[[float], Value]:
    return lambda number: finite(function(number)) if number > 0 else None


def _power(base: float, exponent: float) -> Value:
    try:
        return finite(math.pow(base, exponent))
    except ValueError:
        return None
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 else math.inf


def _exp(number: float) -> Value:
    if number < LEAST_EXPONENT:
        return 0.0
    try:
        return finite(math.exp(number))
    except OverflowError:
        return math.inf


def _subtract(a: Interval, b: Interval) -> Interval:
    return intervals.add(a, intervals.negate(b))


def _one_or_both(a: Interval, b: Interval) -> Interval:
    """A rest or floored quotient of whole numbers is never beyond the dividend."""
    return intervals.hull([a, intervals.negate(a), b])


ARITHMETIC = {
    "add": _closed(intervals.add, lambda a, b: a + b, 2),
    "subtract": _closed(_subtract, lambda a, b: a - b, 2),
    "multiply": _closed(intervals.multiply, lambda a, b: a * b, 2),
    "negate": _closed(intervals.negate, lambda a: -a, 1),
    "abs": _closed(intervals.absolute, abs, 1),
    "divide": Rule(2, 2, real, _divide_facts, _divide),
    "integer_divide": Rule(2, 2, _whole_where_it_fits(_one_or_both), _integer_divide_facts, _integer_divide),
    "modulo": Rule(2, 2, _whole_where_it_fits(_one_or_both), _modulo_facts, _modulo),
    "sign": Rule(1, 1, real, _sign_facts, lambda a: None if math.isnan(a) else (a > 0) - (a < 0)),
    "round": Rule(1, 2, _fit_round, _round_facts, _round),
    "floor": _to_whole(math.floor, math.floor),
    "ceil": _to_whole(math.ceil, math.ceil),
    "sqrt": Rule(1, 1, real, _root_facts, lambda a: math.sqrt(a) if a >= 0 else None),
    "ln": Rule(1, 1, real, _logarithm_facts(math.log), _positive(math.log)),
    "log10": Rule(1, 1, real, _logarithm_facts(math.log10), _positive(math.log10)),
    "exp": Rule(1, 1, real, _exponential_facts, _exp),
    "power": Rule(2, 2, real, _power_facts, _power),
}
