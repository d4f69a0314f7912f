"""Curves: angles, arcs and cube roots of real numbers.

| function | rule where mathematics or an engine has none |
|---|---|
| sin cos tan | of radians; NULL of what is infinite |
| asin acos | in radians; NULL beyond -1 and 1 |
| atan atan2 cbrt | of every number |

The last bit is the C library's, as that of LN is; nothing but the value itself rests on it.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from privet.query.functions import intervals
from privet.query.functions.arithmetic import real
from privet.query.functions.intervals import Interval
from privet.query.functions.rule import Arguments, Rule, finite, interval_of, nullable, numbers
from privet.query.scalars.expressions import facts_of
from privet.query.scalars.facts import Facts, Type, Value

ONE: Interval = (Fraction(-1), Fraction(1))


def _ring(interval: Interval, value: Callable[[float], float]) -> Rule:
    """A function that goes round: it has no value where a number is infinite."""

    def facts(arguments: Arguments) -> Facts:
        null = nullable(arguments) or not facts_of(arguments[0]).bounded
        return numbers(Type.REAL, interval, null=null)

    return Rule(1, 1, real, facts, lambda number: finite(value(number)) if math.isfinite(number) else None)


def _arc(interval: Interval, value: Callable[[float], float]) -> Rule:
    """A function of numbers from -1 to 1."""

    def facts(arguments: Arguments) -> Facts:
        low, high = interval_of(arguments[0])
        inside = low is not None and high is not None and low >= -1 and high <= 1
        return numbers(Type.REAL, interval, null=nullable(arguments) or not inside)

    return Rule(1, 1, real, facts, lambda number: value(number) if -1 <= number <= 1 else None)


def _around(number: float) -> Interval:
    """From minus a number to it, rounded outward."""
    _, high = intervals.around(number)
    return (None if high is None else -high, high)


def _turn_facts(arguments: Arguments) -> Facts:
    return numbers(Type.REAL, _around(math.pi if len(arguments) > 1 else math.pi / 2), null=nullable(arguments))


def _cube_root_facts(arguments: Arguments) -> Facts:
    interval = intervals.monotone(interval_of(arguments[0]), intervals.floated(math.cbrt))
    return numbers(Type.REAL, interval, null=nullable(arguments))


def _atan2(opposite: float, adjacent: float) -> Value:
    return math.atan2(opposite + 0.0, adjacent + 0.0)  # there is one zero


CURVES = {
    "sin": _ring(ONE, math.sin),
    "cos": _ring(ONE, math.cos),
    "tan": _ring(intervals.UNKNOWN, math.tan),
    "asin": _arc(_around(math.pi / 2), math.asin),
    "acos": _arc((Fraction(0), _around(math.pi)[1]), math.acos),
    "atan": Rule(1, 1, real, _turn_facts, math.atan),
    "atan2": Rule(2, 2, real, _turn_facts, _atan2),
    "cbrt": Rule(1, 1, real, _cube_root_facts, math.cbrt),
}
