"""Literals: what a statement says as a text, before an engine's dialect writes it."""

import datetime as dt

from privet.errors import InvalidParameter


def date_of(text: str) -> dt.date:
    """The day that a date literal names."""
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        raise InvalidParameter("a date literal must be written as DATE '2024-12-31'") from None


def moment_of(text: str) -> dt.datetime:
    """The moment that a timestamp literal names."""
    try:
        moment = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is not None:
        raise InvalidParameter("a timestamp literal must be written as TIMESTAMP '2024-12-31 23:59:59', without a zone")
    return moment


def refuse_unprintable(text: str) -> None:
    """Raise if a name or text cannot be written down."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidParameter("a name or text has half a letter (a lone surrogate); write it in full") from None
