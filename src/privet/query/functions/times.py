"""Times: parts of dates and timestamps, their starts, and days between them.

day_of_week counts from Sunday = 0; weeks start on Monday, and the first of iso_year has its first Thursday. trunc_year,
trunc_quarter, trunc_month, trunc_week, trunc_day and last_day give a date. days_between(a, b) is b - a in whole days.
add_months keeps the day, or takes the last one of a shorter month. microseconds counts from 1970-01-01, and
from_microseconds back. What leaves the years 1 to 9999 is NULL.
"""

import calendar
import datetime as dt
import math
from collections.abc import Callable
from fractions import Fraction

from privet.query.functions.casts import cast
from privet.query.functions.intervals import add, negate
from privet.query.functions.rule import Arguments, Rule, expect, interval_of, nullable, numbers, type_of
from privet.query.scalars.dates import DAY, EPOCH, date_of, day_of, iso_date, iso_timestamp, second_of
from privet.query.scalars.expressions import facts_of
from privet.query.scalars.facts import Bound, Facts, Type, Value

LAST_YEAR = 9999
MICRO = 10**6
FIRST, LAST = Fraction(-62_135_596_800), Fraction(253_402_300_800)  # seconds: from the first moment to after the last
MOST_MONTHS = 120_000  # nothing within the years 1 to 9999 is farther apart


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
    for end, fallback in zip(_days(arguments), (1, LAST_YEAR), strict=True):
        date = None if end is None else date_of(int(end))
        ends.append(Fraction(fallback if date is None else date.year))
    return numbers(Type.INTEGER, (ends[0], ends[1]), null=nullable(arguments))


def _iso_year_facts(arguments: Arguments) -> Facts:
    """A year more or less than the year."""
    known = _year_facts(arguments)
    low, high = known.low or Fraction(1), known.high or Fraction(LAST_YEAR)
    return known.where(low=max(low - 1, Fraction(1)), high=min(high + 1, Fraction(LAST_YEAR)))


def _clock(seconds: int, most: int) -> Rule:
    """A part of the time of day, 0 of a date."""

    def value(text: str) -> Value:
        second = second_of(text)
        return 0 if second is None else int(second % DAY // seconds % (most + 1))

    return Rule(1, 1, _moment, _part(0, most, lambda _: 0).facts, value)


def _start(start: Callable[[dt.date], dt.date]) -> Rule:
    def day(end: Bound) -> Bound:
        date = None if end is None else date_of(int(end))
        return None if date is None else Fraction((start(date) - EPOCH).days)

    def facts(arguments: Arguments) -> Facts:
        low, high = _days(arguments)
        return numbers(Type.DATE, (day(low), day(high)), null=nullable(arguments))

    return Rule(1, 1, _moment, facts, _of_date(lambda date: start(date).isoformat()))


def last_day(date: dt.date) -> dt.date:
    """The last day of the month."""
    return date.replace(day=calendar.monthrange(date.year, date.month)[1])


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


def _later(date: dt.date, months: int) -> dt.date | None:
    """The same day so many months later, or the last one of a shorter month; None beyond the years 1 to 9999."""
    year, month = divmod(date.year * 12 + date.month - 1 + months, 12)
    if not 1 <= year <= LAST_YEAR:
        return None
    first = dt.date(year, month + 1, 1)
    return first.replace(day=min(date.day, last_day(first).day))


def _add_months_facts(arguments: Arguments) -> Facts:
    """Days stay in their order when months are added; what time of day it is may not."""
    moment, months = arguments
    ends: list[Bound] = []
    for day, gap in zip(_days((moment,)), interval_of(months), strict=True):
        date = None if day is None or gap is None or abs(gap) > MOST_MONTHS else date_of(int(day))
        later = None if date is None or gap is None else _later(date, int(gap))
        ends.append(None if later is None else Fraction((later - EPOCH).days))
    low, high = ends
    if type_of(moment) is Type.TIMESTAMP:
        low, high = (None if low is None else low * DAY, None if high is None else (high + 1) * DAY)
    return numbers(type_of(moment), (low, high), null=True)


def _add_months(text: str, months: int) -> Value:
    date = _date(text)
    later = None if date is None or abs(months) > MOST_MONTHS else _later(date, months)
    return None if later is None else later.isoformat() + text[len("2024-12-31") :]


def _timestamp(function: str, arguments: Arguments) -> Arguments:
    _moment(function, arguments)
    return tuple(cast(argument, Type.TIMESTAMP) for argument in arguments)


def _microseconds_facts(arguments: Arguments) -> Facts:
    low, high = interval_of(arguments[0])
    first = FIRST if low is None else max(low, FIRST)
    last = LAST if high is None else min(high, LAST)
    ends = (Fraction(math.floor(first * MICRO)), min(Fraction(math.ceil(last * MICRO)), LAST * MICRO - 1))
    return numbers(Type.INTEGER, ends, null=nullable(arguments))


def _microseconds(text: str) -> Value:
    second = second_of(text)
    return None if second is None else int(second * MICRO)


def _whole(function: str, arguments: Arguments) -> Arguments:
    expect(function, arguments, Type.INTEGER)
    return tuple(cast(argument, Type.INTEGER) for argument in arguments)


def _from_microseconds_facts(arguments: Arguments) -> Facts:
    low, high = (None if end is None else end / MICRO for end in interval_of(arguments[0]))
    inside = low is not None and high is not None and low >= FIRST and high < LAST
    ends = (FIRST if low is None else max(low, FIRST), LAST if high is None else min(high, LAST))
    return numbers(Type.TIMESTAMP, ends, null=nullable(arguments) or not inside)


TIMES = {
    "year": Rule(1, 1, _moment, _year_facts, _of_date(lambda date: date.year)),
    "quarter": _part(1, 4, lambda date: (date.month + 2) // 3),
    "month": _part(1, 12, lambda date: date.month),
    "day": _part(1, 31, lambda date: date.day),
    "week": _part(1, 53, lambda date: date.isocalendar().week),
    "iso_year": Rule(1, 1, _moment, _iso_year_facts, _of_date(lambda date: date.isocalendar().year)),
    "hour": _clock(3600, 23),
    "minute": _clock(60, 59),
    "second": _clock(1, 59),
    "day_of_week": _part(0, 6, lambda date: date.isoweekday() % 7),
    "day_of_year": _part(1, 366, lambda date: date.timetuple().tm_yday),
    "trunc_year": _start(lambda date: date.replace(month=1, day=1)),
    "trunc_quarter": _start(lambda date: date.replace(month=(date.month - 1) // 3 * 3 + 1, day=1)),
    "trunc_month": _start(lambda date: date.replace(day=1)),
    "trunc_week": _start(_monday),
    "trunc_day": _start(lambda date: date),
    "last_day": _start(last_day),
    "days_between": Rule(2, 2, _dates, _between_facts, _between),
    "add_days": Rule(2, 2, _fit_add_days, _add_days_facts, _add_days),
    "add_months": Rule(2, 2, _fit_add_days, _add_months_facts, _add_months),
    "microseconds": Rule(1, 1, _timestamp, _microseconds_facts, _microseconds),
    "from_microseconds": Rule(
        1, 1, _whole, _from_microseconds_facts, lambda number: iso_timestamp(Fraction(number, MICRO))
    ),
}
