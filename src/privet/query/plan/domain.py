"""Domain: every value a key can have, where that is public."""

import datetime as dt
import itertools
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from privet.query.functions import evaluate
from privet.query.functions.times import last_day
from privet.query.scalars.dates import date_of, iso_date
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type, Value

MOST_OF_A_KEY = 10_000
MOST_IN_ALL = 100_000
MOST_DAYS = 100_000  # looked through for the first days of years, months and weeks
STARTS: dict[str, Callable[[dt.date], bool]] = {
    "trunc_year": lambda day: (day.month, day.day) == (1, 1),
    "trunc_quarter": lambda day: day.day == 1 and day.month % 3 == 1,
    "trunc_month": lambda day: day.day == 1,
    "last_day": lambda day: day == last_day(day),
    "trunc_week": lambda day: day.weekday() == 0,
}
MOST_COMPUTED = 4_096  # combinations of column values that an expression is computed for

Lister: TypeAlias = Callable[[str, str], tuple[Value, ...]]


def domain_of(expression: Expression, *, values: Lister) -> tuple[Value, ...] | None:
    """Every value of a key, NULL last if it can be that; None if they are not public or too many.

    Args:
        expression: the key.
        values: lists the distinct values of a public table's column.
    """
    facts = facts_of(expression)
    domain = _starts(expression, facts) or listed(facts, values=values)
    if domain is None or (facts.values is None and not isinstance(expression, Reference)):
        domain = _computed(expression, values=values) or domain
    return None if domain is None or len(domain) > MOST_OF_A_KEY else domain


def listed(facts: Facts, *, values: Lister) -> tuple[Value, ...] | None:
    """Every value that facts allow, if they can be listed."""
    found: Sequence[Value] | None = facts.values
    if found is None and facts.origin is not None:
        found = [value for value in values(*facts.origin) if value is not None]
    if found is None and facts.type is Type.BOOLEAN:
        found = (False, True)
    if found is None and facts.type in {Type.INTEGER, Type.DATE} and facts.low is not None and facts.high is not None:
        first, last = math.ceil(facts.low), math.floor(facts.high)
        if last - first < MOST_OF_A_KEY:
            days = range(first, last + 1)
            found = [iso_date(day) for day in days] if facts.type is Type.DATE else list(days)
    if found is None:
        return None
    return (*found, *((None,) if facts.nullable and None not in found else ()))


def _starts(expression: Expression, facts: Facts) -> tuple[Value, ...] | None:
    """The first days of the years, months or weeks between the bounds, if the key is one of those."""
    starts = STARTS.get(expression.function) if isinstance(expression, Call) else None
    if starts is None or facts.low is None or facts.high is None or facts.high - facts.low > MOST_DAYS:
        return None
    days = [date_of(day) for day in range(math.ceil(facts.low), math.floor(facts.high) + 1)]
    return (*(day.isoformat() for day in days if day is not None and starts(day)), *((None,) if facts.nullable else ()))


def _computed(expression: Expression, *, values: Lister) -> tuple[Value, ...] | None:
    """Every value of an expression of columns that can be listed."""
    columns = sorted(columns_in(expression), key=lambda column: column.name)
    choices = [listed(c.facts, values=values) if c.facts.other is None else None for c in columns]
    known = [choice for choice in choices if choice is not None]
    if len(known) < len(choices) or not columns or math.prod(map(len, known)) > MOST_COMPUTED:
        return None
    return _sorted({_value(expression, columns, row) for row in itertools.product(*known)})


def _value(expression: Expression, columns: list[Column], row: tuple[Value, ...]) -> Value:
    return evaluate(expression, dict(zip(columns, row, strict=True)))


def _sorted(values: set[Value]) -> tuple[Value, ...]:
    """In order, NULL last."""
    found = sorted((value for value in values if value is not None), key=lambda value: (str(type(value)), value))
    return (*found, *((None,) if None in values else ()))


def within_all(domains: list[tuple[Value, ...] | None]) -> list[tuple[Value, ...] | None]:
    """Domains whose combinations are few enough; the largest is given up until they are."""
    kept = list(domains)
    while math.prod(len(domain) for domain in kept if domain is not None) > MOST_IN_ALL:
        largest = max((domain for domain in kept if domain is not None), key=len)
        kept[kept.index(largest)] = None
    return kept
