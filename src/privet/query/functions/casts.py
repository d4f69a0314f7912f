"""Casts: one type as another. What cannot be read as the new type is NULL, never an error.

A real number becomes whole by rounding, and NULL beyond 62 bits; a boolean is 0 or 1; a timestamp becomes its date.
"""

import math
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.functions.rule import LARGEST, Arguments, Rule, is_null_literal, numbers, truth, type_of, within_whole
from privet.query.functions.spelling import DATE_TEXT, INTEGER_TEXT, LONGEST_NUMBER, REAL_TEXT, TIMESTAMP_TEXT, matched
from privet.query.scalars.dates import DAY, day_of, iso_date, iso_timestamp, second_of
from privet.query.scalars.expressions import Call, Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type, Value

FROM = {
    Type.INTEGER: {Type.BOOLEAN, Type.INTEGER, Type.REAL, Type.TEXT},
    Type.REAL: {Type.BOOLEAN, Type.INTEGER, Type.REAL, Type.TEXT},
    Type.TEXT: set(Type),
    Type.BOOLEAN: {Type.BOOLEAN, Type.INTEGER, Type.TEXT},
    Type.DATE: {Type.TEXT, Type.DATE, Type.TIMESTAMP},
    Type.TIMESTAMP: {Type.TEXT, Type.DATE, Type.TIMESTAMP},
}
TRUE, FALSE = {"true", "t", "1"}, {"false", "f", "0"}
HALF = Fraction(1, 2)
LONGEST_SPELLED = 40  # letters of a number, date or timestamp that is written as a text


def cast(expression: Expression, type_: Type) -> Expression:
    """The expression as another type; itself if it has that type."""
    if is_null_literal(expression):
        return Literal(None, type_)
    if type_of(expression) is type_:
        return expression
    name = f"cast_{type_.value}"
    rule = CASTS[name]
    arguments = rule.fit(name, (expression,))
    if isinstance(expression, Literal):
        return Literal(rule.value(expression.value, expression.type), type_)
    return Call(name, arguments, rule.facts(arguments))


def _rule(type_: Type) -> Rule:
    def fit(_: str, arguments: Arguments) -> Arguments:
        if type_of(arguments[0]) not in FROM[type_]:
            raise InvalidParameter(f"{type_of(arguments[0]).value} cannot be cast to {type_.value}")
        return arguments

    def facts(arguments: Arguments) -> Facts:
        return _facts(facts_of(arguments[0]), type_)

    def value(value: Value, source: Type) -> Value:
        if source is Type.TIMESTAMP and type_ is Type.TEXT and "." in str(value):
            return str(value).rstrip("0")
        return value if source is type_ else convert(value, type_)

    return Rule(1, 1, fit, facts, value)


def _facts(known: Facts, type_: Type) -> Facts:  # noqa: PLR0911 - one return for each type
    """What is known after a cast."""
    source = known.type
    if source is Type.TEXT:
        return Facts(type_, nullable=True)
    if source is Type.BOOLEAN and type_.numeric:
        return numbers(type_, (Fraction(0), Fraction(1)), null=known.nullable)
    if type_ is Type.REAL:
        return numbers(type_, (known.low, known.high), null=known.nullable)
    if type_ is Type.INTEGER:
        low = None if known.low is None else Fraction(math.ceil(known.low - HALF))
        high = None if known.high is None else Fraction(math.floor(known.high + HALF))
        return numbers(type_, (low, high), null=known.nullable or not within_whole((low, high)))
    if type_ is Type.DATE:
        low, high = (None if end is None else Fraction(end // DAY) for end in (known.low, known.high))
        return numbers(type_, (low, high), null=known.nullable)
    if type_ is Type.TIMESTAMP:
        low, high = (None if end is None else end * DAY for end in (known.low, known.high))
        return numbers(type_, (low, high), null=known.nullable)
    if type_ is Type.BOOLEAN:
        return truth(null=known.nullable)
    return Facts(type_, nullable=known.nullable, longest=LONGEST_SPELLED)


def convert(value: Value, type_: Type) -> Value:
    """The value as another type; None if it is none."""
    if type_ is Type.TEXT:
        return _text(value)
    if type_ is Type.BOOLEAN:
        if isinstance(value, str):
            word = value.strip(" ").lower()
            return True if word in TRUE else False if word in FALSE else None
        return bool(value)
    if type_.numeric:
        return _number(value, type_)
    assert isinstance(value, str)  # noqa: S101 - dates are texts
    if type_ is Type.DATE:
        day = day_of(matched(value, DATE_TEXT) or "")
        return None if day is None else iso_date(day)
    second = second_of(matched(value, TIMESTAMP_TEXT) or "")
    return None if second is None else iso_timestamp(second)


def _text(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Value, type_: Type) -> Value:
    number = _read(value) if isinstance(value, str) else value or 0
    if number is None or math.isnan(number):
        return None
    if type_ is Type.REAL:
        return float(number)
    if not -LARGEST <= number <= LARGEST:
        return None
    return (
        int(number) if isinstance(number, int) else math.floor(abs(Fraction(number)) + HALF) * (-1 if number < 0 else 1)
    )


def _read(text: str) -> float | None:
    """The number a text says, whole if it is written so."""
    if len(text) > LONGEST_NUMBER:
        return None
    whole = matched(text, INTEGER_TEXT)
    number = matched(text, REAL_TEXT)
    return int(whole) if whole is not None else None if number is None else float(number)


CASTS = {f"cast_{type_.value}": _rule(type_) for type_ in Type}
