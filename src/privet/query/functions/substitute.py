"""Substitute: the same expression with some parts exchanged, and its facts derived anew."""

from collections.abc import Callable

from privet.query.functions.calling import call
from privet.query.scalars.expressions import Call, Expression


def substitute(expression: Expression, swap: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with each part, from the outside in, for which `swap` has another."""
    other = swap(expression)
    if other is not None:
        return other
    if isinstance(expression, Call):
        arguments = tuple(substitute(argument, swap) for argument in expression.arguments)
        if all(new is old for new, old in zip(arguments, expression.arguments, strict=True)):
            return expression
        return call(expression.function, *arguments)
    return expression
