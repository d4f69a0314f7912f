"""Rule: what one function takes, means and tells. Each is total: for any argument it has a value or is NULL."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter
from privet.query.functions.intervals import UNKNOWN, Interval, tidy
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type, Value

Arguments: TypeAlias = tuple[Expression, ...]

LARGEST = 1 << 62  # whole numbers are computed as such only where their interval stays within this


@dataclass(frozen=True)
class Rule:
    """One function.

    Args:
        least: how many arguments it takes at least.
        most: and at most; None for any number.
        fit: checks the types of the arguments and makes them agree, with casts where needed.
        facts: what is known about the result, from the fitted arguments.
        value: the result for values that are not NULL (any values if `strict` is False). None is NULL.
        strict: whether the result is NULL as soon as an argument is.
    """

    least: int
    most: int | None
    fit: Callable[[str, Arguments], Arguments]
    facts: Callable[[Arguments], Facts]
    value: Callable[..., Value]
    strict: bool = True


def interval_of(expression: Expression) -> Interval:
    """Where a number, date or timestamp lies."""
    facts = facts_of(expression)
    return (facts.low, facts.high)


def can_be_zero(expression: Expression) -> bool:
    """Whether nothing that is known of a number says that it is not 0."""
    low, high = interval_of(expression)
    return not ((low is not None and low > 0) or (high is not None and high < 0))


def nullable(arguments: Arguments) -> bool:
    """Whether a strict function can be NULL because an argument is."""
    return any(facts_of(argument).nullable for argument in arguments)


def type_of(expression: Expression) -> Type:
    """The type of an expression's values."""
    return facts_of(expression).type


def is_null_literal(expression: Expression) -> bool:
    """Whether it is NULL as written, which has no type of its own."""
    return isinstance(expression, Literal) and expression.value is None


def within_whole(interval: Interval) -> bool:
    """Whether whole numbers in it can be computed as such, so that no engine overflows."""
    low, high = interval
    return low is not None and high is not None and low >= -LARGEST and high <= LARGEST


def numbers(type_: Type, interval: Interval = UNKNOWN, *, null: bool) -> Facts:
    """Facts of a numeric result."""
    low, high = tidy(interval)
    return Facts(type_, nullable=null, low=low, high=high)


def truth(*, null: bool) -> Facts:
    """Facts of a boolean result."""
    return Facts(Type.BOOLEAN, nullable=null, values=(False, True))


def expect(function: str, arguments: Arguments, *types: Type) -> None:
    """Every argument has one of these types."""
    for argument in arguments:
        if type_of(argument) not in types and not is_null_literal(argument):
            wanted = " or ".join(type_.value for type_ in types)
            raise InvalidParameter(f"{spoken(function)} takes {wanted}, got {type_of(argument).value}; CAST it first")


SIGNS = {
    "eq": "=",
    "ne": "<>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "integer_divide": "//",
    "modulo": "%",
}


def spoken(function: str) -> str:
    """A function's name as an analyst writes it."""
    return SIGNS.get(function, function.upper())


def finite(value: float) -> float | None:
    """A float result; NaN is NULL."""
    return None if math.isnan(value) else value


def whole_valued(expression: Expression) -> bool:
    """Whether every value is a whole number, also if its type is real."""
    if isinstance(expression, Literal):
        return isinstance(expression.value, int) or (
            isinstance(expression.value, float) and expression.value.is_integer()
        )
    if type_of(expression) is Type.INTEGER:
        return True
    function = getattr(expression, "function", None)
    return function == "cast_real" and type_of(expression.arguments[0]) is Type.INTEGER  # type: ignore[union-attr] # a call


def as_fraction(value: float) -> Fraction:
    """The exact number a literal stands for, as it is written."""
    return Fraction(str(value))
