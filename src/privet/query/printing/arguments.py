"""Arguments: what templates of functions make of the arguments of a call, whatever the engine."""

from privet.errors import InvalidParameter
from privet.query.expressions import Call, Literal, facts_of
from privet.query.facts import Type
from privet.query.printing.dialect import Dialect


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


def as_type(dialect: Dialect, text: str, source: Type, target: Type) -> str:
    """A text of one type as another."""
    return text if source is target else dialect.convert(text, source, target)


def digits_of(call: Call) -> int:
    """How many digits after the point ROUND is told to keep."""
    digits = call.arguments[1] if len(call.arguments) > 1 else Literal(0, Type.INTEGER)
    if not isinstance(digits, Literal) or not isinstance(digits.value, int):
        raise InvalidParameter("ROUND takes a literal number of digits")
    return int(digits.value)
