"""Moments as numbers, and back: places among dates are found among days, those among timestamps among seconds."""

from privet.query.functions.calling import call
from privet.query.functions.casts import cast
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Type

MICRO = Literal(10**6, Type.INTEGER)
FIRST_DAY = Literal("1970-01-01", Type.DATE)


def since_1970(moment: Expression, type_: Type) -> Expression:
    """The days of a date, or the seconds of a timestamp, since 1970-01-01."""
    if type_ is Type.DATE:
        return call("days_between", FIRST_DAY, moment)
    return call("divide", call("microseconds", moment), MICRO)


def as_moment(column: Column, type_: Type) -> Expression:
    """A released place among days or seconds as a date or timestamp again."""
    if type_ is Type.DATE:
        return call("add_days", FIRST_DAY, cast(call("round", Reference(column)), Type.INTEGER))
    return call("from_microseconds", cast(call("round", call("multiply", Reference(column), MICRO)), Type.INTEGER))
