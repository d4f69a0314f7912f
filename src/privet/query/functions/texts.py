"""Texts: lengths, joining and changing case. Positions count from 1. What finds and cuts is in `text_parts.py`.

Whatever joins texts cuts the result, so that none is longer than a public number (docs/decisions/0014-public-sizes.md).
A letter is a code point, on every engine and in Python.
"""

from fractions import Fraction
from typing import TypeGuard

from privet.errors import InvalidParameter
from privet.query.functions import letters
from privet.query.functions.casts import cast
from privet.query.functions.rule import Arguments, Rule, expect, nullable, numbers
from privet.query.scalars.expressions import Call, Expression, Literal, facts_of
from privet.query.scalars.facts import LONGEST_TEXT, Facts, Type

MOST_PARTS = 100  # texts that are joined into one


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


def _joined(function: str, arguments: Arguments) -> Arguments:
    """All parts as texts; those of a part that was joined itself, since cutting the whole cuts that too."""
    parts = (part.arguments if _joins(part) else (part,) for part in _any_as_text(function, arguments))
    found = tuple(part for each in parts for part in each)
    if len(found) > MOST_PARTS:
        raise InvalidParameter(f"at most {MOST_PARTS} texts are joined, got {len(found)}; join fewer")
    return found


def _joins(part: Expression) -> TypeGuard[Call]:
    return isinstance(part, Call) and part.function == "concat"


def _text_facts(arguments: Arguments) -> Facts:
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=facts_of(arguments[0]).longest)


def _substring_facts(arguments: Arguments) -> Facts:
    known = facts_of(arguments[0]).longest
    length = arguments[2]
    size = int(length.value or 0) if isinstance(length, Literal) else None
    ends = [end for end in (known, size) if end is not None]
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=min(ends) if ends else None)


def longest_joined(arguments: Arguments) -> int:
    """To how many letters joined texts are cut: the usual number, or a larger one that is declared for a part."""
    known = [facts_of(part).longest for part in arguments if not isinstance(part, Literal)]
    return max([LONGEST_TEXT, *(each for each in known if each is not None)])


def _joined_facts(arguments: Arguments) -> Facts:
    """The sum of the lengths, or what the result is cut to."""
    known = [facts_of(part).longest for part in arguments]
    most = longest_joined(arguments)
    total = sum(most if each is None else each for each in known)
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=min(total, most))


def _length_facts(arguments: Arguments) -> Facts:
    return numbers(Type.INTEGER, (Fraction(0), None), null=nullable(arguments))


TEXTS = {
    "lower": Rule(1, 1, _text, _text_facts, letters.lower),
    "upper": Rule(1, 1, _text, _text_facts, letters.upper),
    "length": Rule(1, 1, _text, _length_facts, len),
    "substring": Rule(
        3, 3, _fit_substring, _substring_facts, lambda text, start, size: text[start - 1 : start - 1 + size]
    ),
    "concat": Rule(1, None, _joined, _joined_facts, lambda *texts: "".join(texts)),
}
