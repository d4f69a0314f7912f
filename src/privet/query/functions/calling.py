"""Calling: the one way to make a `Call`."""

import math

from privet.errors import InvalidParameter
from privet.query.functions.casts import cast
from privet.query.functions.evaluate import evaluate
from privet.query.functions.function_table import FUNCTIONS
from privet.query.functions.rule import LARGEST, is_null_literal, spoken, type_of
from privet.query.scalars.expressions import Call, Expression, Literal


def call(function: str, *arguments: Expression) -> Expression:
    """A function of expressions: types checked and made to agree, facts derived; of literals, a literal.

    Arithmetic on whole numbers stays whole exactly where its result surely fits 62 bits: then all arguments are whole,
    else all are cast to real. So an engine can go by the arguments' types and never overflows.

    Example:
        >>> from privet.query.scalars.facts import Type
        >>> call("add", Literal(2, Type.INTEGER), Literal(0.5, Type.REAL))
        Literal(value=2.5, type=<Type.REAL: 'real'>)
    """
    rule = FUNCTIONS.get(function)
    if rule is None:
        raise InvalidParameter(f"no function is called {function}")
    if len(arguments) < rule.least or (rule.most is not None and len(arguments) > rule.most):
        most = "or more" if rule.most is None else f"to {rule.most}"
        count = f"{rule.least}" if rule.least == rule.most else f"{rule.least} {most}"
        raise InvalidParameter(f"{spoken(function)} takes {count} arguments, got {len(arguments)}")
    if function.startswith("cast_") and (
        type_of(arguments[0]).value == function.removeprefix("cast_") or is_null_literal(arguments[0])
    ):
        return cast(arguments[0], next(t for t in type(type_of(arguments[0])) if f"cast_{t.value}" == function))
    fitted = rule.fit(function, arguments)
    made = Call(function, fitted, rule.facts(fitted))
    return _folded(made) if all(isinstance(argument, Literal) for argument in fitted) else made


def _folded(made: Call) -> Expression:
    """A call of literals is a literal, unless its value cannot be written as one."""
    value = evaluate(made, {})
    if isinstance(value, float) and not math.isfinite(value):
        return made
    if type(value) is int and abs(value) > LARGEST:
        return made
    return Literal(value, made.facts.type)
