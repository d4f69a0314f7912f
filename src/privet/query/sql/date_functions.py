"""Dates of a statement: their parts and starts, and the names of days and months."""

from collections.abc import Callable

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.scalars.expressions import Expression, Literal
from privet.query.scalars.facts import Type
from privet.query.sql.choices import choice
from privet.query.sql.date_arithmetic import MICRO, SECONDS, whole
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse

PARTS = {
    "year": "year",
    "isoyear": "iso_year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "weekofyear": "week",
    "day": "day",
    "dayofmonth": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "dow": "day_of_week",
    "dayofweek": "day_of_week",
    "weekday": "day_of_week",
    "isodow": "isodow",
    "doy": "day_of_year",
    "dayofyear": "day_of_year",
    "epoch": "epoch",
    "decade": "decade",
    "century": "century",
}
STARTS = ("year", "quarter", "month", "week", "day")
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def part_of(part: str, value: Expression, node: exp.Expr | str) -> Expression:
    """A part of a date, by its name."""
    function = PARTS.get(part.lower().removesuffix("s"))
    match function:
        case None:
            raise refuse(node, "there is no such part of a date", f"use one of {', '.join(sorted(PARTS))}")
        case "isodow":
            return call("add", call("modulo", call("add", call("day_of_week", value), whole(6)), whole(7)), whole(1))
        case "epoch":
            return call("divide", cast(call("microseconds", value), Type.REAL), Literal(float(MICRO), Type.REAL))
        case "decade":
            return call("integer_divide", call("year", value), whole(10))
        case "century":
            return call("integer_divide", call("add", call("year", value), whole(99)), whole(100))
        case _:
            return call(function, value)


def named(numbered: Expression, names: tuple[str, ...], first: int) -> Expression:
    """The English name of a day or month, whatever the engine's language: one of a list that is public."""
    pairs = [(call("eq", numbered, whole(place)), Literal(name, Type.TEXT)) for place, name in enumerate(names, first)]
    return choice(*(part for pair in pairs for part in pair))


def day_name(value: Expression) -> Expression:
    """Sunday to Saturday."""
    return named(call("day_of_week", value), DAYS, 0)


def month_name(value: Expression) -> Expression:
    """January to December."""
    return named(call("month", value), MONTHS, 1)


def _extract(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return part_of(node.this.name, reader.read(node.expression), node)


def _part(part: str) -> Callable[[Reads, exp.Expr], Expression]:
    def read(reader: Reads, node: exp.Expr) -> Expression:
        only(node, "this")
        return part_of(part, reader.read(node.this), node)

    return read


def _truncate(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "unit")
    unit = node.args["unit"].name.lower().removesuffix("s")
    value = reader.read(node.this)
    if unit in STARTS:
        return call(f"trunc_{unit}", value)
    if unit.upper() in SECONDS:
        step = whole(SECONDS[unit.upper()] * MICRO)
        return call(
            "from_microseconds", call("multiply", call("integer_divide", call("microseconds", value), step), step)
        )
    raise refuse(
        node, "dates can be cut to a year, quarter, month, week, day, hour, minute or second", "use one of these"
    )


def _last_day(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this")
    return call("last_day", reader.read(node.this))


def _day_name(reader: Reads, node: exp.Expr) -> Expression:
    return day_name(reader.read(only(node, "this").this))


def _month_name(reader: Reads, node: exp.Expr) -> Expression:
    return month_name(reader.read(only(node, "this").this))


def _date(reader: Reads, node: exp.Expr) -> Expression:
    return cast(reader.read(only(node, "this").this), Type.DATE)


def date_part(reader: Reads, node: exp.Anonymous) -> Expression:
    """DATE_PART('month', day)."""
    values = reader.all(node.expressions)
    if len(values) != 2 or not isinstance(values[0], Literal):  # noqa: PLR2004 - part and date
        raise refuse(node, "it takes a literal part and a date", "write DATE_PART('month', day)")
    return part_of(str(values[0].value), values[1], node)


def part_by_name(reader: Reads, node: exp.Anonymous) -> Expression:
    """ISOYEAR(day), and other parts that the parser has no class for."""
    if len(node.expressions) != 1:
        raise refuse(node, "it takes a date", f"write {str(node.this).upper()}(day)")
    return part_of(str(node.this), reader.read(node.expressions[0]), node)


DATES: Readers = {
    exp.Extract: _extract,
    exp.DayOfWeekIso: _part("isodow"),
    exp.Week: _part("week"),
    exp.WeekOfYear: _part("week"),
    exp.Minute: _part("minute"),
    exp.Second: _part("second"),
    exp.TimeToUnix: _part("epoch"),
    exp.TimestampTrunc: _truncate,
    exp.DateTrunc: _truncate,
    exp.LastDay: _last_day,
    exp.Dayname: _day_name,
    exp.Monthname: _month_name,
    exp.Date: _date,
}
