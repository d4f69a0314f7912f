"""Date arithmetic of a statement: what is so much later or earlier, how far dates are apart, and dates from numbers."""

import re

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.choices import choice
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse

SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600}
DAYS = {"DAY": 1, "WEEK": 7}
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120}
UNITS = [unit.lower() for unit in (*SECONDS, *DAYS, *MONTHS)]
MICRO = 10**6
FAR = 10**12  # whatever is counted, so many lead out of the years 1 to 9999


def whole(value: int) -> Literal:
    """A whole number."""
    return Literal(value, Type.INTEGER)


def later(moment: Expression, unit: str, count: Expression, *, node: exp.Expr | str, sign: int = 1) -> Expression:
    """A date or timestamp so many units later (or earlier, if the sign is -1).

    Days, months and years keep a date a date; hours, minutes and seconds make a timestamp of it.
    """
    name = unit.upper().removesuffix("S")
    factor = SECONDS.get(name) or DAYS.get(name) or MONTHS.get(name)
    if factor is None:
        raise refuse(node, "there is no such unit of time", f"use one of {', '.join(UNITS)}")
    few = call("clip", cast(count, Type.INTEGER), whole(-FAR), whole(FAR))
    gap = call("multiply", few, whole(sign * factor))
    if name in MONTHS:
        return call("add_months", moment, gap)
    if name in DAYS:
        return call("add_days", moment, gap)
    return call("from_microseconds", call("add", call("microseconds", moment), call("multiply", gap, whole(MICRO))))


def is_interval(node: exp.Expr) -> bool:
    """Whether it is INTERVAL 3 DAY, or so many times that."""
    sides = (node.this, node.expression) if isinstance(node, exp.Mul) else ()
    return isinstance(node, exp.Interval) or any(isinstance(side, exp.Interval) for side in sides)


def shifted(reader: Reads, moment: exp.Expr, gap: exp.Expr, *, sign: int) -> Expression:
    """A date and an INTERVAL, added or taken away."""
    times: Expression = whole(1)
    if isinstance(gap, exp.Mul):
        only(gap, "this", "expression")
        first = isinstance(gap.this, exp.Interval)
        times = reader.read(gap.expression if first else gap.this)
        gap = gap.this if first else gap.expression
    only(gap, "this", "unit", "fraction_in_string")
    count, unit = gap.this, gap.args.get("unit")
    if unit is None or (isinstance(count, exp.Literal) and not re.fullmatch("-?[0-9]{1,18}", str(count.this).strip())):
        fix = "write d + INTERVAL 1 MONTH + INTERVAL 2 DAY, or a smaller unit"
        raise refuse(gap, "an interval is one whole number and one unit", fix)
    amount = whole(int(count.this)) if isinstance(count, exp.Literal) else reader.read(count)
    many = call("multiply", amount, times)
    return later(reader.read(moment), unit.name, many, node=gap, sign=sign)


def _date_add(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "unit")
    if is_interval(node.expression):
        return shifted(reader, node.this, node.expression, sign=1)
    if node.args.get("unit") is not None or isinstance(node.this, exp.Literal):
        raise refuse("DATE_ADD", "dialects order its arguments differently", "write d + INTERVAL 3 MONTH")
    return later(reader.read(node.this), "DAY", reader.read(node.expression), node=node)


def date_sub(reader: Reads, node: exp.Anonymous) -> Expression:
    """DATE_SUB(day, INTERVAL 3 MONTH)."""
    if len(node.expressions) == 2 and is_interval(node.expressions[1]):  # noqa: PLR2004 - a date and an interval
        return shifted(reader, *node.expressions, sign=-1)
    raise refuse(
        "DATE_SUB", "it takes a date and an INTERVAL", "write d - INTERVAL 3 MONTH, or DATE_DIFF('month', a, b)"
    )


def dateadd(reader: Reads, node: exp.Anonymous) -> Expression:
    """DATEADD(month, 3, day)."""
    if len(node.expressions) != 3:  # noqa: PLR2004 - unit, count, date
        raise refuse("DATEADD", "it takes a unit, a number and a date", "write d + INTERVAL 3 MONTH")
    unit, count, moment = node.expressions
    return later(reader.read(moment), unit.name, reader.read(count), node="DATEADD")


def _years(moment: Expression) -> Expression:
    return call("year", moment)


def _months(moment: Expression) -> Expression:
    return call("add", call("multiply", call("year", moment), whole(12)), call("month", moment))


def _quarters(moment: Expression) -> Expression:
    return call("add", call("multiply", call("year", moment), whole(4)), call("quarter", moment))


def difference(unit: str, first: Expression, second: Expression, node: exp.Expr) -> Expression:
    """How many starts of a unit lie after the first moment, up to the second; of weeks, how often seven days passed.

    That is how DuckDB counts.
    """
    name = unit.upper().removesuffix("S")
    if name == "DAY":
        return call("days_between", first, second)
    if name == "WEEK":
        days = call("days_between", first, second)
        return call("integer_divide", call("subtract", days, call("modulo", days, whole(7))), whole(7))
    if name in SECONDS:
        step = whole(SECONDS[name] * MICRO)
        ends = [call("integer_divide", call("microseconds", moment), step) for moment in (second, first)]
        return call("subtract", *ends)
    counts = {"MONTH": _months, "QUARTER": _quarters, "YEAR": _years}
    if name not in counts:
        raise refuse(node, "there is no such part of a date", "write DATE_DIFF('month', a, b)")
    return call("subtract", counts[name](second), counts[name](first))


def _date_difference(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "unit")
    unit = node.args.get("unit")
    name = "DAY" if unit is None else unit.name
    return difference(name, reader.read(node.expression), reader.read(node.this), node)


def _make_date(reader: Reads, node: exp.Expr) -> Expression:
    """NULL where there is no such day."""
    only(node, "year", "month", "day")
    parts = [node.args.get(name) for name in ("year", "month", "day")]
    if None in parts:
        raise refuse("MAKE_DATE", "it takes a year, a month and a day", "write MAKE_DATE(2024, 12, 31)")
    few = [call("clip", cast(reader.read(part), Type.INTEGER), whole(-FAR), whole(FAR)) for part in parts if part]
    year, month, day = few
    months = call(
        "add", call("multiply", call("subtract", year, whole(1)), whole(12)), call("subtract", month, whole(1))
    )
    first = call("add_months", Literal("0001-01-01", Type.DATE), months)
    real = call(
        "and",
        call("ge", month, whole(1)),
        call("le", month, whole(12)),
        call("ge", day, whole(1)),
        call("le", day, call("day", call("last_day", first))),
    )
    return choice(real, call("add_days", first, call("subtract", day, whole(1))))


def _from_seconds(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this")
    value = reader.read(node.this)
    if facts_of(value).type is Type.INTEGER:
        few = call("clip", value, whole(-FAR), whole(FAR))
        return call("from_microseconds", call("multiply", few, whole(MICRO)))
    return call("from_microseconds", cast(call("multiply", value, Literal(float(MICRO), Type.REAL)), Type.INTEGER))


ARITHMETIC: Readers = {
    exp.DateAdd: _date_add,
    exp.DateDiff: _date_difference,
    exp.DateFromParts: _make_date,
    exp.UnixToTime: _from_seconds,
}
