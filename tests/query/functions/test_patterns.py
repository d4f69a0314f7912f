"""Patterns that are read are those that mean one thing and cannot take long; what is printed is read as the same."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.query.functions import call
from privet.query.functions.pattern_reader import check_search, read_pattern
from privet.query.functions.regular_pattern import Pattern
from privet.query.scalars.expressions import Column, Literal, Reference
from privet.query.scalars.facts import Facts, Type

TEXT = Reference(Column("x", Facts(Type.TEXT)))
PIECES = [
    *("a", "b", "[ab]", "[^a]", ".", r"\d", r"\w", r"\s", "é"),
    *("(", ")", "(?:", "|", "*", "+", "?", "{2}", "{0,3}", "^", "$"),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join), st.text("ab1 é\n", max_size=8))
def test_what_is_read_is_what_python_means(text: str, row: str) -> None:
    """Where a dot is no line end and $ the very end; a letter that is printed anew stands for the same letters."""
    try:
        pattern = read_pattern(text)
    except InvalidParameter:
        assume(condition=False)
        raise
    meant = re.search(text.removesuffix("$") + r"\Z" if text.endswith("$") else text, row, re.ASCII)
    found = re.search(pattern.printed(end=r"\Z"), row)
    assert (found is None) == (meant is None)
    assert found is None or meant is None or found[0] == meant[0]
    again = read_pattern(pattern.printed())
    assert again.printed() == pattern.printed()
    assert longest_is_first(pattern, row) or not pattern.plain


def longest_is_first(pattern: Pattern, row: str) -> bool:
    """Whether no longer piece could be found at the place where the first is."""
    body = pattern.printed(end=r"\Z")
    found = re.search(body, row)
    if found is None:
        return True
    ends = [end for end in range(len(row) + 1) if re.compile(body).fullmatch(row, found.start(), end) is not None]
    return pattern.end or pattern.start or found.end() == max(ends)


@pytest.mark.parametrize(
    "text",
    [
        *("(a+)+$", "(a|aa){1,30}$", "(a?){20}", "a*a*a*b", "a?a?a?a?a?a?a?aaaaaaa", "(a|b|ab){1,9}c", ".*.*x"),
        *("(.|a){1,50}", "(a{1,9}){1,9}", "x" + "(a|a)" * 9),
    ],
)
def test_what_could_take_long_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="the pattern"):
        check_search(read_pattern(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r"\bx", "no one meaning"),
        ("a+?", "two signs"),
        ("(?i)a", r"with \(\?"),
        ("a|", "can be empty"),
        ("(a", "without its"),
        ("a)", "without its"),
        ("[[:alpha:]]", "class"),
        ("[z-a]", "range"),
        ("a{200}", "more than 100"),
        ("^a|b$", "alternatives"),
        ("a^b", "no meaning"),
        (r"(a)\1", "no one meaning"),
        ("((a{100}){9})", "written out"),
        ("[a", "ends"),
        ("", "1 to"),
    ],
)
def test_what_engines_read_differently_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidParameter, match=reason):
        read_pattern(text)


def test_pieces_that_engines_choose_differently_are_refused() -> None:
    for text in ("a|ab", "a?(ab)?", "(a|[ab]c)", "[ab]*b"):
        with pytest.raises(InvalidParameter, match="different lengths"):
            call("regexp_extract", TEXT, Literal(text, Type.TEXT), Literal(0, Type.INTEGER))
    with pytest.raises(InvalidParameter, match="never empty"):
        call("regexp_replace", TEXT, Literal("a*", Type.TEXT), Literal("x", Type.TEXT))
