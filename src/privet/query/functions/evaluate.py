"""Evaluate: what an expression means, in Python: the reference that every engine agrees with."""

from collections.abc import Mapping

from privet.query.functions.function_table import FUNCTIONS
from privet.query.functions.rule import type_of
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Type, Value


def evaluate(expression: Expression, row: Mapping[Column, Value]) -> Value:
    """The value of an expression in a row.

    Example:
        >>> from privet.query.scalars.facts import Type
        >>> from privet.query.functions import call
        >>> evaluate(call("divide", Literal(1, Type.INTEGER), Literal(0, Type.INTEGER)), {}) is None
        True
    """
    if isinstance(expression, Literal):
        return expression.value
    if isinstance(expression, Reference):
        return _one_zero(row[expression.column])
    rule = FUNCTIONS[expression.function]
    values = [evaluate(argument, row) for argument in expression.arguments]
    if rule.strict and None in values:
        return None
    if expression.function.startswith("cast_"):
        return _one_zero(rule.value(values[0], type_of(expression.arguments[0])))
    value = rule.value(*values)
    if isinstance(value, str) and expression.facts.type is Type.TEXT:
        return value[: expression.facts.longest]
    return float(value) if type(value) is int and expression.facts.type is Type.REAL else _one_zero(value)


def _one_zero(value: Value) -> Value:
    """The value; 0.0 instead of -0.0, which is equal to it, so that nothing can tell them apart."""
    return value + 0.0 if isinstance(value, float) else value
