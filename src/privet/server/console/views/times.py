"""Times for people: British dates, to the minute."""

from datetime import UTC, datetime


def read_time(at: str | float | None) -> datetime | None:
    """A moment as it is kept: ISO 8601, or seconds since 1970."""
    if at is None:
        return None
    try:
        found = datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else datetime.fromisoformat(at)
    except (ValueError, OverflowError, OSError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def time_words(at: str | float | None) -> str:
    """A moment to the minute.

    Example:
        >>> time_words("2026-05-14T10:42:31+00:00"), time_words(None)
        ('14 May 2026, 10:42', '')
    """
    found = read_time(at)
    return "" if found is None else f"{found.day} {found:%B %Y, %H:%M}"


def short_words(at: str | float | None) -> str:
    """A moment where there is little room.

    Example:
        >>> short_words("2026-05-14T10:42:31+00:00")
        '14 May, 10:42'
    """
    found = read_time(at)
    return "" if found is None else f"{found.day} {found:%b, %H:%M}"


def day_words(at: str | float | None) -> str:
    """A day."""
    found = read_time(at)
    return "" if found is None else f"{found.day} {found:%B %Y}"
