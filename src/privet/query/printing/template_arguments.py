"""Arguments: what templates of functions make of the arguments of a call, whatever the engine.

What is known of arguments makes texts shorter, where a template would mention one twice in order to look at it first: a
key is computed for every row, and engines compute what a filter mentions as often as it does. No text fails if what is
known were not so.
"""

from privet.errors import InvalidParameter
from privet.query.functions.rule import can_be_zero, within_whole
from privet.query.printing.dialect import Dialect
from privet.query.scalars.expressions import Call, Expression, Literal, facts_of
from privet.query.scalars.facts import Type


def all_whole(call: Call) -> bool:
    """Whether all arguments are whole numbers."""
    return all(facts_of(argument).type is Type.INTEGER for argument in call.arguments)


def as_reals(dialect: Dialect, call: Call, texts: list[str]) -> list[str]:
    """Arguments as real numbers; there may be fewer texts than arguments."""
    kinds = [facts_of(argument).type for argument in call.arguments]
    return [
        dialect.convert(text, kind, Type.REAL) if kind is Type.INTEGER else text
        for text, kind in zip(texts, kinds, strict=False)
    ]


def as_typed(dialect: Dialect, text: str, source: Type, call: Call) -> str:
    """What a call computes as one type, as the type that it has."""
    facts = call.facts
    if source is facts.type:
        return text
    return dialect.convert(text, source, facts.type, fits=within_whole((facts.low, facts.high)))


def finite(argument: Expression) -> bool:
    """Whether it is surely no infinite number."""
    facts = facts_of(argument)
    return facts.type is Type.INTEGER or facts.bounded


def nonzero(argument: Expression, text: str) -> str:
    """An argument; NULL instead of 0."""
    return f"NULLIF({text}, 0)" if can_be_zero(argument) else text


def digits_of(call: Call) -> int:
    """How many digits after the point ROUND is told to keep."""
    digits = call.arguments[1] if len(call.arguments) > 1 else Literal(0, Type.INTEGER)
    if not isinstance(digits, Literal) or not isinstance(digits.value, int):
        raise InvalidParameter("ROUND takes a literal number of digits")
    return int(digits.value)


def word_of(argument: Expression) -> str:
    """The letters of a literal text."""
    if not isinstance(argument, Literal) or not isinstance(argument.value, str):
        raise InvalidParameter("a literal text must stand here")
    return argument.value


def number_of(argument: Expression) -> int | None:
    """The number of a literal whole number; None if it is anything else."""
    value = argument.value if isinstance(argument, Literal) else None
    return value if type(value) is int else None
