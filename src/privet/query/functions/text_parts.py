"""Text parts: finding, cutting out, exchanging and padding. Positions count from 1; a letter is a code point.

What is looked for, and every number, is a literal: so how long the result can be is public, and nothing can fail.

| function | rule |
|---|---|
| position | of the first place where a text stands in another; 0 if it does not |
| split_part | the nth piece between separators, from the end if n < 0; empty if there is none |
| replace | every place from the left, none twice; what becomes too long is cut as `concat` cuts |
| lpad rpad | exactly so many letters; what is longer keeps its first ones |
| trim ltrim rtrim | takes away all of these letters at the ends; spaces, if none are said |
"""

from collections.abc import Callable
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.functions.casts import cast
from privet.query.functions.rule import Arguments, Rule, expect, nullable, numbers, spoken
from privet.query.functions.texts import longest_joined
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import LONGEST_TEXT, Facts, Type, Value

MOST_PIECES = 1_000  # of a text that is split
LONGEST_LITERAL = 100  # letters of a text that is put in the place of others
SPACE = Literal(" ", Type.TEXT)


def word_of(expression: Expression) -> str | None:
    """The letters of a literal text that has some."""
    word = expression.value if isinstance(expression, Literal) and expression.type is Type.TEXT else None
    return word if isinstance(word, str) and word else None


def whole_of(expression: Expression) -> int | None:
    """The number of a literal whole number."""
    value = expression.value if isinstance(expression, Literal) else None
    return value if type(value) is int else None


def _fitted(function: str, arguments: Arguments, allowed: bool, takes: str) -> Arguments:  # noqa: FBT001 - what is checked
    """The arguments, of which the first is a text, if the others are as they must be."""
    expect(function, arguments[:1], Type.TEXT)
    if not allowed:
        raise InvalidParameter(f"{spoken(function)} takes a text and {takes}")
    return (cast(arguments[0], Type.TEXT), *arguments[1:])


def _fit_word(function: str, arguments: Arguments) -> Arguments:
    return _fitted(function, arguments, word_of(arguments[1]) is not None, "a literal text that is not empty")


def _fit_trim(function: str, arguments: Arguments) -> Arguments:
    return _fit_word(function, (*arguments, SPACE)[:2])


def _fit_split(function: str, arguments: Arguments) -> Arguments:
    place = whole_of(arguments[2])
    good = word_of(arguments[1]) is not None and place is not None and 1 <= abs(place) <= MOST_PIECES
    takes = f"literals: a separator that is not empty, and which piece, from 1 to {MOST_PIECES:,} (from the end: -1)"
    return _fitted(function, arguments, good, takes)


def _fit_replace(function: str, arguments: Arguments) -> Arguments:
    new = arguments[2]
    short = isinstance(new, Literal) and isinstance(new.value, str) and len(new.value) <= LONGEST_LITERAL
    takes = f"two literal texts: one that is not empty, and one of at most {LONGEST_LITERAL} letters for it"
    return _fitted(function, arguments, word_of(arguments[1]) is not None and short, takes)


def _fit_pad(function: str, arguments: Arguments) -> Arguments:
    text, size, fill = (*arguments, SPACE)[:3]
    length = whole_of(size)
    good = length is not None and 0 <= length <= LONGEST_TEXT and word_of(fill) is not None
    takes = f"literals: a length from 0 to {LONGEST_TEXT:,}, and letters to fill it with"
    return _fitted(function, (text, size, fill), good, takes)


def _fit_right(function: str, arguments: Arguments) -> Arguments:
    size = whole_of(arguments[1])
    return _fitted(function, arguments, size is not None and size >= 0, "a literal length from 0")


def _fit_text(function: str, arguments: Arguments) -> Arguments:
    return _fitted(function, arguments, allowed=True, takes="")


def _part_facts(arguments: Arguments) -> Facts:
    """No longer than the text."""
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=facts_of(arguments[0]).longest)


def _position_facts(arguments: Arguments) -> Facts:
    return numbers(Type.INTEGER, (Fraction(0), None), null=nullable(arguments))


def _right_facts(arguments: Arguments) -> Facts:
    known, size = facts_of(arguments[0]).longest, whole_of(arguments[1]) or 0
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=size if known is None else min(known, size))


def _pad_facts(arguments: Arguments) -> Facts:
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=whole_of(arguments[1]))


def longest_replaced(text: Expression, old: int, new: int) -> int | None:
    """How long a text is after pieces of at least `old` letters became `new` letters each, and what is cut is cut.

    None is as long as it was, where that is not known.
    """
    known = facts_of(text).longest
    if new <= old:
        return known
    most = longest_joined((text,))
    return most if known is None else min(known + known // old * (new - old), most)


def _replace_facts(arguments: Arguments) -> Facts:
    old, new = (len(str(literal.value)) for literal in arguments[1:] if isinstance(literal, Literal))
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=longest_replaced(arguments[0], old, new))


def _split(text: str, separator: str, place: int) -> Value:
    pieces = text.split(separator)
    if place < 0:
        pieces, place = pieces[::-1], -place
    return pieces[place - 1] if place <= len(pieces) else ""


def _filled(text: str, size: int, fill: str) -> str:
    missing = max(size - len(text), 0)
    return (fill * (missing // len(fill) + 1))[:missing]


def _trimmed(strip: Callable[[str, str], str]) -> Rule:
    return Rule(1, 2, _fit_trim, _part_facts, strip)


TEXT_PARTS = {
    "position": Rule(2, 2, _fit_word, _position_facts, lambda text, word: text.find(word) + 1),
    "split_part": Rule(3, 3, _fit_split, _part_facts, _split),
    "replace": Rule(3, 3, _fit_replace, _replace_facts, lambda text, old, new: text.replace(old, new)),
    "lpad": Rule(2, 3, _fit_pad, _pad_facts, lambda text, size, fill: (_filled(text, size, fill) + text)[:size]),
    "rpad": Rule(2, 3, _fit_pad, _pad_facts, lambda text, size, fill: (text + _filled(text, size, fill))[:size]),
    "right": Rule(2, 2, _fit_right, _right_facts, lambda text, size: text[max(len(text) - size, 0) :]),
    "trim": _trimmed(str.strip),
    "ltrim": _trimmed(str.lstrip),
    "rtrim": _trimmed(str.rstrip),
    "reverse": Rule(1, 1, _fit_text, _part_facts, lambda text: text[::-1]),
}
