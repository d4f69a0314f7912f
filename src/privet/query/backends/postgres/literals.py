# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Literals: names and constants as PostgreSQL writes them, and a value that is named so that it is computed once."""

import math
import re

from privet.errors import InvalidParameter
from privet.query.printing.literal_texts import refuse_unprintable

REAL = "DOUBLE PRECISION"
FENCE = " OFFSET '0'"  # keeps a subquery whole; without quotes it counts as a limit, and one process works alone
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
    refuse_unprintable(text)


def text_of(text: str) -> str:
    """Something as a text that is compared byte by byte, whatever the database's language."""
    return f'(CAST({text} AS TEXT) COLLATE "C")'


def real(number: float) -> str:
    """A real number, to the last bit."""
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return f"CAST('{'NaN' if math.isnan(number) else words.get(number, repr(number))}' AS {REAL})"


def named(pattern: str, **values: str) -> str:
    """A pattern in which {a}, {b}, … stand for values, each computed once, however often it occurs.

    What is no plain name or constant is computed in a subquery of its own, which a fence keeps from being dissolved:
    a text that repeats its arguments would double with every level.
    """
    if all(PLAIN.fullmatch(text) for text in values.values()):
        return f"({pattern.format(**values)})"
    inner = ", ".join(f"{text} AS {name}" for name, text in values.items())
    body = pattern.format(**{name: f"q.{name}" for name in values})
    return f"(SELECT {body} FROM (SELECT {inner}{FENCE}) AS q)"
