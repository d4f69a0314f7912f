"""Times: parts of dates and timestamps, their starts, and days between them.

day_of_week counts from Sunday = 0; weeks start on Monday. trunc_year, trunc_month, trunc_week and trunc_day give a
date. days_between(a, b) is b - a in whole days. What leaves the years 1 to 9999 is NULL.
"""

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

from privet.query.functions.casts import cast
from privet.query.functions.intervals import add, negate
from privet.query.functions.rule import Arguments, Rule, expect, interval_of, nullable, numbers, type_of
from privet.query.scalars.dates import DAY, EPOCH, date_of, day_of, iso_date, iso_timestamp, second_of
from privet.query.scalars.expressions import facts_of
from privet.query.scalars.facts import Bound, Facts, Type, Value


def _moment(function: str, arguments: Arguments) -> Arguments:
    expect(function, arguments, Type.DATE, Type.TIMESTAMP)
    return arguments


def _dates(function: str, arguments: Arguments) -> Arguments:
    _moment(function, arguments)
    return tuple(cast(argument, Type.DATE) for argument in arguments)


def _days(arguments: Arguments) -> tuple[Bound, Bound]:
    """The first and last day an argument can lie in."""
    low, high = interval_of(arguments[0])
    if type_of(arguments[0]) is Type.TIMESTAMP:
        low, high = (None if end is None else Fraction(end // DAY) for end in (low, high))
    return (low, high)


def _date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        return None


def _part(least: int, most: int, part: Callable[[dt.date], int]) -> Rule:
    def facts(arguments: Arguments) -> Facts:
        return numbers(Type.INTEGER, (Fraction(least), Fraction(most)), null=nullable(arguments))

    return Rule(1, 1, _moment, facts, _of_date(part))


def _of_date(part: Callable[[dt.date], Value]) -> Callable[[str], Value]:
    def value(text: str) -> Value:
        date = _date(text)
        return None if date is None else part(date)

    return value


def _year_facts(arguments: Arguments) -> Facts:
    ends = []
    for end, fallback in zip(_days(arguments), (1, 9999), strict=True):
        date = None if end is None else date_of(int(end))
        ends.append(Fraction(fallback if date is None else date.year))
    return numbers(Type.INTEGER, (ends[0], ends[1]), null=nullable(arguments))


def _hour(text: str) -> Value:
    second = second_of(text)
    return 0 if second is None else int(second % DAY // 3600)


def _start(start: Callable[[dt.date], dt.date]) -> Rule:
    def day(end: Bound) -> Bound:
        date = None if end is None else date_of(int(end))
        return None if date is None else Fraction((start(date) - EPOCH).days)

    def facts(arguments: Arguments) -> Facts:
        low, high = _days(arguments)
        return numbers(Type.DATE, (day(low), day(high)), null=nullable(arguments))

    return Rule(1, 1, _moment, facts, _of_date(lambda date: start(date).isoformat()))


def _monday(date: dt.date) -> dt.date:
    return max(date, dt.date(1, 1, 1) + dt.timedelta(days=date.weekday())) - dt.timedelta(days=date.weekday())


def _between_facts(arguments: Arguments) -> Facts:
    interval = add(interval_of(arguments[1]), negate(interval_of(arguments[0])))
    return numbers(Type.INTEGER, interval, null=nullable(arguments))


def _between(first: str, second: str) -> Value:
    a, b = day_of(first), day_of(second)
    return None if a is None or b is None else b - a


def _fit_add_days(function: str, arguments: Arguments) -> Arguments:
    _moment(function, arguments[:1])
    expect(function, arguments[1:], Type.INTEGER)
    return arguments


def _add_days_facts(arguments: Arguments) -> Facts:
    moment, days = arguments
    seconds = DAY if type_of(moment) is Type.TIMESTAMP else 1
    low, high = facts_of(days).low, facts_of(days).high
    gap = (None if low is None else low * seconds, None if high is None else high * seconds)
    return numbers(type_of(moment), add(interval_of(moment), gap), null=True)


def _add_days(text: str, days: int) -> Value:
    day, second = day_of(text), second_of(text)
    if len(text) <= len("2024-12-31") and day is not None:
        return iso_date(day + days)
    return None if second is None else iso_timestamp(second + days * DAY)


TIMES = {
    "year": Rule(1, 1, _moment, _year_facts, _of_date(lambda date: date.year)),
    "quarter": _part(1, 4, lambda date: (date.month + 2) // 3),
    "month": _part(1, 12, lambda date: date.month),
    "day": _part(1, 31, lambda date: date.day),
    "hour": Rule(1, 1, _moment, _part(0, 23, lambda _: 0).facts, _hour),
    "day_of_week": _part(0, 6, lambda date: date.isoweekday() % 7),
    "day_of_year": _part(1, 366, lambda date: date.timetuple().tm_yday),
    "trunc_year": _start(lambda date: date.replace(month=1, day=1)),
    "trunc_month": _start(lambda date: date.replace(day=1)),
    "trunc_week": _start(_monday),
    "trunc_day": _start(lambda date: date),
    "days_between": Rule(2, 2, _dates, _between_facts, _between),
    "add_days": Rule(2, 2, _fit_add_days, _add_days_facts, _add_days),
}
