"""The value of an expression of an engine's SQL, for numbers of our own."""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sqlglot import exp


class Unreadable(Exception):  # noqa: N818 - what the text is
    """Something is not as it is printed."""


BINARY: Mapping[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
    exp.Div: operator.truediv,
    exp.LTE: operator.le,
    exp.LT: operator.lt,
    exp.GT: operator.gt,
    exp.BitwiseRightShift: lambda one, other: Fraction(int(one) >> int(other)),
    exp.IntDiv: lambda one, other: Fraction(int(one / other)),
    exp.Mod: lambda one, other: one - other * int(one / other),  # with the sign of the dividend, on every engine
}


def number_of(node: exp.Expression, known: Mapping[str, Fraction]) -> Fraction:  # noqa: C901, PLR0911 - one case for each word
    """The value of an expression; "*" stands for every column and function that is not known."""
    if type(node) in BINARY:
        found: Fraction = BINARY[type(node)](number_of(node.this, known), number_of(node.expression, known))
        return Fraction(int(found)) if _whole_quotient(node, known) else found
    match node:
        case exp.Literal():
            return Fraction(node.this)
        case exp.Neg():
            return -number_of(node.this, known)
        case exp.Paren() | exp.Cast() | exp.Floor():
            return number_of(node.this, known)
        case exp.Least():
            return min(number_of(each, known) for each in (node.this, *node.expressions))
        case exp.Greatest():
            return max(number_of(each, known) for each in (node.this, *node.expressions))
        case exp.Coalesce():
            return number_of(node.this, known)
        case exp.Case():
            return _chosen(node, known)
        case exp.Column() if node.name in known:
            return known[node.name]
        case exp.Column() | exp.Count() if "*" in known:
            return known["*"]
    raise Unreadable(f"{type(node).__name__} is not part of a request")


def _whole_quotient(node: exp.Expression, known: Mapping[str, Fraction]) -> bool:
    """Whether whole numbers are divided where that gives a whole number, cut off."""
    if not isinstance(node, exp.Div) or not node.args.get("typed"):
        return False
    return all(number_of(each, known).denominator == 1 for each in (node.this, node.expression))


def _chosen(node: exp.Case, known: Mapping[str, Fraction]) -> Fraction:
    for branch in node.args["ifs"]:
        test = branch.this
        if _there_is(test) or number_of(test, known):
            return number_of(branch.args["true"], known)
    return number_of(node.args["default"], known)


def _there_is(test: exp.Expression) -> bool:
    """Whether it is IS NOT NULL, in either of the ways it is parsed: there is a value."""
    return isinstance(test, exp.Not) or (isinstance(test, exp.Is) and bool(test.args.get("negate")))
