"""Time templates: parts of dates and timestamps, their starts, and what is so much later; `functions/times.py`."""

from collections.abc import Mapping
from types import MappingProxyType

from privet.query.functions.times import MOST_MONTHS
from privet.query.printing.dialect import Dialect, Template
from privet.query.scalars.expressions import Call, facts_of
from privet.query.scalars.facts import Type

FIRST_MONTH, LAST_MONTH = 12, 9999 * 12 + 11  # of the years 1 to 9999, counted from January of the year 0
MICROSECONDS = (-62_135_596_800_000_000, 253_402_300_799_999_999)  # of the first and last moment, since 1970


def _part(part: str) -> Template:
    return lambda dialect, _, texts: dialect.part(part, texts[0])


def _clock(part: str) -> Template:
    """A part of the time of day, which a date has none of."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        if facts_of(call.arguments[0]).type is Type.DATE:
            return f"CASE WHEN {texts[0]} IS NULL THEN NULL ELSE {dialect.literal(0, Type.INTEGER)} END"
        return dialect.part(part, texts[0])

    return template


def _start(part: str) -> Template:
    return lambda dialect, _, texts: dialect.start(part, texts[0])


def few_months(months: str) -> str:
    """So many months; NULL if they lead out of the years 1 to 9999 anyway, before anything could overflow."""
    return f"CASE WHEN {months} BETWEEN -{MOST_MONTHS} AND {MOST_MONTHS} THEN {months} END"


def within_years(dialect: Dialect, moment: str, months: str, later: str) -> str:
    """What is so many months later; NULL beyond the years 1 to 9999."""
    month = f"{dialect.part('year', moment)} * 12 + {dialect.part('month', moment)} - 1 + {few_months(months)}"
    return f"CASE WHEN {month} BETWEEN {FIRST_MONTH} AND {LAST_MONTH} THEN {later} END"


def _add_months(dialect: Dialect, call: Call, texts: list[str]) -> str:
    moment, months = texts
    later = f"{moment} + TO_MONTHS({few_months(months)})"
    return within_years(dialect, moment, months, f"CAST({later} AS {dialect.types[call.facts.type]})")


def _from_microseconds(_: Dialect, __: Call, texts: list[str]) -> str:
    low, high = MICROSECONDS
    return f"MAKE_TIMESTAMP(CASE WHEN {texts[0]} BETWEEN {low} AND {high} THEN {texts[0]} END)"


PARTS = ("year", "quarter", "month", "week", "iso_year", "day", "day_of_week", "day_of_year")
STARTS = ("year", "quarter", "month", "week", "day")
TIME_TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {part: _part(part) for part in PARTS}
    | {part: _clock(part) for part in ("hour", "minute", "second")}
    | {f"trunc_{part}": _start(part) for part in STARTS}
    | {
        "last_day": lambda _, __, texts: f"LAST_DAY({texts[0]})",
        "days_between": lambda dialect, _, texts: dialect.days_between(texts[0], texts[1]),
        "add_days": lambda dialect, call, texts: dialect.add_days(texts[0], texts[1], call.facts.type),
        "add_months": _add_months,
        "microseconds": lambda _, __, texts: f"EPOCH_US({texts[0]})",
        "from_microseconds": _from_microseconds,
    }
)
