"""Texts: cutting, joining and changing case. Positions count from 1."""

from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.expressions import Literal
from privet.query.facts import Facts, Type
from privet.query.functions import letters
from privet.query.functions.casts import cast
from privet.query.functions.rule import Arguments, Rule, expect, nullable, numbers


def _text(function: str, arguments: Arguments) -> Arguments:
    expect(function, arguments, Type.TEXT)
    return tuple(cast(argument, Type.TEXT) for argument in arguments)


def _any_as_text(_: str, arguments: Arguments) -> Arguments:
    return tuple(cast(argument, Type.TEXT) for argument in arguments)


def _fit_substring(function: str, arguments: Arguments) -> Arguments:
    text, start, length = arguments
    expect(function, (text,), Type.TEXT)
    places = [place.value if isinstance(place, Literal) else None for place in (start, length)]
    if not (type(places[0]) is int and type(places[1]) is int and places[0] >= 1 and places[1] >= 0):
        raise InvalidParameter("SUBSTRING takes a literal start from 1 and a literal length from 0")
    return (cast(text, Type.TEXT), start, length)


def _text_facts(arguments: Arguments) -> Facts:
    return Facts(Type.TEXT, nullable=nullable(arguments))


def _length_facts(arguments: Arguments) -> Facts:
    return numbers(Type.INTEGER, (Fraction(0), None), null=nullable(arguments))


TEXTS = {
    "lower": Rule(1, 1, _text, _text_facts, letters.lower),
    "upper": Rule(1, 1, _text, _text_facts, letters.upper),
    "trim": Rule(1, 1, _text, _text_facts, lambda text: text.strip(" ")),
    "length": Rule(1, 1, _text, _length_facts, len),
    "substring": Rule(3, 3, _fit_substring, _text_facts, lambda text, start, size: text[start - 1 : start - 1 + size]),
    "concat": Rule(1, None, _any_as_text, _text_facts, lambda *texts: "".join(texts)),
}
