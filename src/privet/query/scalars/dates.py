"""Dates: ISO texts as whole days and seconds since 1970-01-01, and back. Total: what is no date is None."""

import datetime as dt
from fractions import Fraction

EPOCH = dt.date(1970, 1, 1)
DAY = 86_400  # seconds


def day_of(text: str) -> int | None:
    """Days since 1970-01-01 of an ISO date; None if it is none.

    Example:
        >>> day_of("1970-01-03"), day_of("2024-02-30")
        (2, None)
    """
    try:
        return (dt.date.fromisoformat(text.strip()) - EPOCH).days
    except ValueError:
        return None


def second_of(text: str) -> Fraction | None:
    """Seconds since 1970-01-01 of an ISO timestamp without a zone; None if it is none."""
    try:
        moment = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is not None:
        return None
    gap = moment - dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a wall clock, as the engine's
    return Fraction(gap.days * DAY + gap.seconds) + Fraction(gap.microseconds, 10**6)


def date_of(day: int) -> dt.date | None:
    """The date so many days after 1970-01-01, within the years 1 to 9999."""
    try:
        return EPOCH + dt.timedelta(days=day)
    except OverflowError:
        return None


def iso_date(day: int) -> str | None:
    """The ISO text of a day."""
    date = date_of(day)
    return None if date is None else date.isoformat()


def iso_timestamp(second: Fraction) -> str | None:
    """The ISO text of a second."""
    try:
        moment = dt.datetime(1970, 1, 1) + dt.timedelta(  # noqa: DTZ001 - a wall clock
            days=second // DAY, microseconds=int(second % DAY * 10**6)
        )
    except OverflowError:
        return None
    return moment.isoformat(sep=" ")
