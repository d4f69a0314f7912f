# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Words: names and constants as PostgreSQL writes them, and a value that is named so that it is computed once."""

import datetime as dt
import math
import re

from privet.errors import InvalidParameter

REAL, WIDE, LONG = "DOUBLE PRECISION", "NUMERIC", "BIGINT"
PLAIN = re.compile(r"""\w+(\.(\w+|"[^"]*"))?|CAST\((\w+|'[-+.\w]+'|[-+]?\d+) AS [A-Z ]+\)""")


def quoted_name(text: str) -> str:
    """A name, whatever it holds."""
    _refuse_unprintable(text)
    return '"' + text.replace('"', '""') + '"'


def quoted(text: str) -> str:
    """A text, whatever it holds; quotes are doubled, and nothing else has a meaning (standard_conforming_strings)."""
    _refuse_unprintable(text)
    return "'" + text.replace("'", "''") + "'"


def _refuse_unprintable(text: str) -> None:
    if "\0" in text:
        raise InvalidParameter("PostgreSQL has no names or texts with a NUL letter in them: leave it out")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidParameter("a name or text has half a letter (a lone surrogate); write it in full") from None


def text_of(text: str) -> str:
    """Something as a text that is compared byte by byte, whatever the database's language."""
    return f'(CAST({text} AS TEXT) COLLATE "C")'


def whole(number: int) -> str:
    """A whole number, as wide as it needs to be."""
    return f"CAST({number} AS {LONG if -(1 << 63) <= number < 1 << 63 else WIDE})"


def real(number: float) -> str:
    """A real number, to the last bit."""
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return f"CAST('{'NaN' if math.isnan(number) else words.get(number, repr(number))}' AS {REAL})"


def date(text: str) -> str:
    """A day."""
    try:
        day = dt.date.fromisoformat(text.strip())
    except ValueError:
        raise InvalidParameter("a date literal must be written as DATE '2024-12-31'") from None
    return f"DATE '{day.isoformat()}'"


def moment(text: str) -> str:
    """A moment without a zone."""
    try:
        found = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        found = None
    if found is None or found.tzinfo is not None:
        raise InvalidParameter("a timestamp literal must be written as TIMESTAMP '2024-12-31 23:59:59', without a zone")
    return f"TIMESTAMP '{found.isoformat(sep=' ')}'"


def named(pattern: str, **values: str) -> str:
    """A pattern in which {a}, {b}, … stand for values, each computed once, however often it occurs.

    What is no plain name or constant is computed in a subquery of its own, which OFFSET 0 keeps from being dissolved:
    a text that repeats its arguments would double with every level.
    """
    if all(PLAIN.fullmatch(text) for text in values.values()):
        return f"({pattern.format(**values)})"
    inner = ", ".join(f"{text} AS {name}" for name, text in values.items())
    body = pattern.format(**{name: f"q.{name}" for name in values})
    return f"(SELECT {body} FROM (SELECT {inner} OFFSET 0) AS q)"
