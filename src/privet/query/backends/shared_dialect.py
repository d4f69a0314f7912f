"""Words that DuckDB and Spark share; PostgreSQL, which raises errors where these give NULL, has its own."""

import math

from privet.query.functions.spelling import LONGEST_NUMBER

LONG = 1 << 62  # whole numbers read from texts and real ones stay within this


def real(number: float) -> str:
    """A real number, exactly."""
    return f"CAST('{'NaN' if math.isnan(number) else repr(number)}' AS DOUBLE)"


def plain(engine_type: str) -> str:
    """The engine's type without its parameters."""
    return engine_type.split("(", 1)[0].strip().upper()


def within(text: str, low: str, high: str) -> str:
    """NULL outside."""
    return f"CASE WHEN {text} BETWEEN {low} AND {high} THEN {text} END"


def short(text: str) -> str:
    """A text that may say a number; longer ones say none."""
    return f"CASE WHEN LENGTH({text}) <= {LONGEST_NUMBER} THEN {text} END"


def held(whole: str, number: str) -> str:
    """A whole number of 64 bits; where it does not fit them, the last that does, on the side of the number's sign."""
    low, high = (f"CAST({end} AS BIGINT)" for end in (-(1 << 63), (1 << 63) - 1))
    return f"COALESCE({whole}, CASE WHEN {number} >= 0 THEN {high} WHEN {number} < 0 THEN {low} END)"


def narrowed(number: str) -> str:
    """A wide number as a BIGINT, NULL if it is too large."""
    return f"CASE WHEN {number} BETWEEN {-LONG} AND {LONG} THEN CAST({number} AS BIGINT) END"
