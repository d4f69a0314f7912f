"""Dates of a statement: their parts, starts and differences."""

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.scalars.expressions import Expression, Literal
from privet.query.scalars.facts import Type
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.number_literals import number
from privet.query.sql.refuse import refuse

PARTS = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "day": "day",
    "hour": "hour",
    "dow": "day_of_week",
    "dayofweek": "day_of_week",
    "isodow": "isodow",
    "doy": "day_of_year",
    "dayofyear": "day_of_year",
}


STARTS = {"year": "trunc_year", "month": "trunc_month", "week": "trunc_week", "day": "trunc_day"}


def part_of(part: str, value: Expression, node: exp.Expr) -> Expression:
    """A part of a date, by its name."""
    function = PARTS.get(part.lower())
    if function is None:
        raise refuse(node, "there is no such part of a date", f"use one of {', '.join(sorted(PARTS))}")
    if function == "isodow":
        six, seven, one = (Literal(value, Type.INTEGER) for value in (6, 7, 1))
        return call("add", call("modulo", call("add", call("day_of_week", value), six), seven), one)
    return call(function, value)


def interval(reader: Reads, node: exp.Interval, *, sign: int) -> Expression:
    """The days of INTERVAL 3 DAY."""
    only(node, "this", "unit")
    unit = str(node.args.get("unit") or "day").upper().rstrip("S")
    factor = {"DAY": 1, "WEEK": 7}.get(unit)
    if factor is None:
        raise refuse(node, "only days and weeks can be added", "write INTERVAL 30 DAY")
    count = node.this
    amount = number(exp.Literal.number(count.this)) if isinstance(count, exp.Literal) else reader.read(count)
    return call("multiply", cast(amount, Type.INTEGER), Literal(sign * factor, Type.INTEGER))


def _extract(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return part_of(node.this.name, reader.read(node.expression), node)


def _iso_weekday(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this")
    return part_of("isodow", reader.read(node.this), node)


def _truncate(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "unit")
    function = STARTS.get(node.args["unit"].name.lower())
    if function is None:
        raise refuse(node, "dates can be cut to year, month, week or day", "use one of these")
    return call(function, reader.read(node.this))


def _date_difference(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "unit")
    unit = node.args.get("unit")
    if unit is not None and unit.name.upper() != "DAY":
        raise refuse(node, "only days between dates are counted", "write DATE_DIFF('day', a, b)")
    return call("days_between", reader.read(node.expression), reader.read(node.this))


def date_part(_: Reads, node: exp.Anonymous, values: list[Expression]) -> Expression:
    """DATE_PART('month', day)."""
    if len(values) != 2 or not isinstance(values[0], Literal):  # noqa: PLR2004 - part and date
        raise refuse(node, "it takes a literal part and a date", "write DATE_PART('month', day)")
    return part_of(str(values[0].value), values[1], node)


DATES: Readers = {
    exp.Extract: _extract,
    exp.DayOfWeekIso: _iso_weekday,
    exp.TimestampTrunc: _truncate,
    exp.DateTrunc: _truncate,
    exp.DateDiff: _date_difference,
}
