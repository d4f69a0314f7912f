"""Patterns: functions of a text and a regular expression (of those that `regular_pattern.py` has).

regexp_matches is true where the pattern is found. regexp_extract is the first piece that is found, or a group of it;
empty where nothing is. regexp_replace puts a text in the place of every piece, and cuts the result as `concat` does.
"""

import re

from privet.errors import InvalidParameter
from privet.query.functions.casts import cast
from privet.query.functions.pattern_reader import check_cut, check_search, read_pattern, trimmed
from privet.query.functions.regular_pattern import Group, Part, Pattern, Several
from privet.query.functions.rule import Arguments, Rule, expect, nullable, spoken, truth
from privet.query.functions.text_parts import LONGEST_LITERAL, longest_replaced, whole_of, word_of
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type

VERY_END = r"\Z"  # in Python


def pattern_of(expression: Expression) -> Pattern:
    """The pattern that a literal text says."""
    word = word_of(expression)
    if word is None:
        raise InvalidParameter("a pattern must be a literal text that is not empty")
    return read_pattern(word)


def _fit(function: str, arguments: Arguments) -> Arguments:
    expect(function, arguments[:1], Type.TEXT)
    pattern = pattern_of(arguments[1])
    if function == "regexp_matches":
        pattern = trimmed(pattern)
        check_search(pattern)
    else:
        check_cut(pattern)
    return (cast(arguments[0], Type.TEXT), Literal(pattern.printed(group=_group(arguments)), Type.TEXT), *arguments[2:])


def _group(arguments: Arguments) -> int:
    """Which group is extracted; the others are only parentheses."""
    number = whole_of(arguments[2]) if len(arguments) > 2 else None  # noqa: PLR2004 - a text, a pattern, a group
    return number or 0


def _fit_extract(function: str, arguments: Arguments) -> Arguments:
    text, pattern, *rest = arguments
    number = whole_of(rest[0]) if rest else 0
    groups = _outermost(pattern_of(pattern).body)
    if number is None or (number != 0 and number not in groups):
        raise InvalidParameter(
            f"{spoken(function)} takes 0 or the literal number of a group that is not repeated, got another; write 0"
        )
    fitted = _fit(function, (text, pattern, Literal(number, Type.INTEGER)))
    return (*fitted[:2], Literal(min(number, 1), Type.INTEGER))


def _outermost(part: Part) -> set[int]:
    """The groups that are in every match, once."""
    match part:
        case Several(parts):
            return set().union(*map(_outermost, parts))
        case Group(inner, number):
            return _outermost(inner) | ({number} if number is not None else set())
        case _:
            return set()


def _fit_replace(function: str, arguments: Arguments) -> Arguments:
    new = arguments[2].value if isinstance(arguments[2], Literal) else None
    if not (isinstance(new, str) and len(new) <= LONGEST_LITERAL and "\\" not in new):
        takes = f"a literal text of at most {LONGEST_LITERAL} letters, without a backslash, to put in"
        raise InvalidParameter(f"{spoken(function)} takes {takes}")
    if not pattern_of(arguments[1]).shortest:
        raise InvalidParameter(f"{spoken(function)} takes a pattern that is never empty; write + in the place of *")
    return _fit(function, arguments)


def _truth(arguments: Arguments) -> Facts:
    return truth(null=nullable(arguments))


def _piece(arguments: Arguments) -> Facts:
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=facts_of(arguments[0]).longest)


def sizes(arguments: Arguments) -> tuple[int, int]:
    """How many letters a piece has at least, and what is put in its place."""
    return pattern_of(arguments[1]).shortest, len(word_of(arguments[2]) or "")


def _replaced(arguments: Arguments) -> Facts:
    longest = longest_replaced(arguments[0], *sizes(arguments))
    return Facts(Type.TEXT, nullable=nullable(arguments), longest=longest)


def _python(pattern: str, group: int = 0) -> str:
    return read_pattern(pattern).printed(end=VERY_END, group=group)


def _extract(text: str, pattern: str, group: int) -> str:
    found = re.search(_python(pattern, group), text)
    return "" if found is None else found[group]


def _replace(text: str, pattern: str, new: str) -> str:
    return re.sub(_python(pattern), lambda _: new, text)


PATTERNS = {
    "regexp_matches": Rule(2, 2, _fit, _truth, lambda text, pattern: re.search(_python(pattern), text) is not None),
    "regexp_extract": Rule(2, 3, _fit_extract, _piece, _extract),
    "regexp_replace": Rule(3, 3, _fit_replace, _replaced, _replace),
}
