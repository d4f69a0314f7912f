"""Zeros: there is one. Floats have two that are equal, and an engine shows whichever it met first: one row's sign.

Every real column of every table that is printed holds 0.0 and never -0.0.

Proof, by the nodes of `plan/relations.py`: a table is read so (`Dialect.read`), literals are so, and what a node
    computes is printed with 0.0 added wherever this file does not rule -0.0 out: -0.0 + 0.0 is 0.0, and no other
    number changes.
    Sums and averages are quotients of whole numbers. Within one expression nothing but a cast to text sees the sign of
    a zero, and it adds 0.0 too: divisors that are 0 give NULL, and comparisons, roots, powers and rounding of both
    zeros differ in the sign of a zero at most.
"""

from privet.query.functions.rule import can_be_zero, type_of
from privet.query.scalars.expressions import Call, Expression
from privet.query.scalars.facts import Type

NEVER = {"abs", "exp", "ln", "log10"}
ONE_OF = {"case", "coalesce", "nullif", "least", "greatest", "clip"}  # as one of the arguments is


def can_be_negative_zero(expression: Expression) -> bool:
    """Whether nothing that is known of an expression over columns says that it is not -0.0.

    Example:
        >>> from privet.query.scalars.expressions import Column, Literal, Reference
        >>> from privet.query.scalars.facts import Facts
        >>> from privet.query.functions import call
        >>> x = Reference(Column("x", Facts(Type.REAL)))
        >>> can_be_negative_zero(call("negate", x)), can_be_negative_zero(call("add", x, x))
        (True, False)
    """
    if not isinstance(expression, Call) or type_of(expression) is not Type.REAL or not can_be_zero(expression):
        return False
    function, arguments = expression.function, expression.arguments
    if function == "add":  # two that are 0 and of unlike signs have the sum 0.0
        return all(map(can_be_negative_zero, arguments))
    if function == "subtract":
        return can_be_negative_zero(arguments[0])
    if function in ONE_OF:
        return any(map(can_be_negative_zero, arguments))
    if function == "cast_real":
        return type_of(arguments[0]) is Type.TEXT
    return function not in NEVER
