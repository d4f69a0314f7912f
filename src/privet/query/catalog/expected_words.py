"""The word `expected` of a catalog: what its owner expects of the size of a table, and of the values of a column."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from privet.errors import InvalidParameter, PrivetError
from privet.loss.exact import exact
from privet.query.catalog.declared_table import ExpectedRows
from privet.query.catalog.word_reader import Words, as_written
from privet.query.scalars.facts import ExpectedValues

LARGEST = 10**300  # of a mean


def expected_rows(words: Words) -> ExpectedRows | None:
    """How many rows and units a table is expected to have, if it is said.

    Example:
        >>> expected_rows(Words({"expected": {"rows": 120_000, "units": 20_000}}, "tables.visit", ("expected",)))
        ExpectedRows(rows=120000, units=20000)
    """
    if "expected" not in words:
        return None
    parts = _parts(words, ("rows", "units"), "{ rows = 120000, units = 20000 }")
    rows = parts.count("rows")
    if rows is None:
        raise words.wrong("expected", "needs rows, such as { rows = 120000, units = 20000 }")
    return ExpectedRows(rows, parts.count("units"))


def expected_values(words: Words) -> ExpectedValues | None:
    """What the values of a column are expected to be like, if it is said.

    Example:
        >>> expected_values(Words({"expected": {"mean": 40}}, "tables.patient.columns.age", ("expected",)))
        ExpectedValues(mean=Fraction(40, 1), deviation=None)
    """
    if "expected" not in words:
        return None
    parts = _parts(words, ("mean", "deviation"), "{ mean = 300, deviation = 400 }")
    mean, deviation = (_number(parts, word) for word in ("mean", "deviation"))
    if mean is None:
        raise words.wrong("expected", "needs a mean, such as { mean = 300, deviation = 400 }")
    return ExpectedValues(mean, deviation)


def _parts(words: Words, known: tuple[str, ...], example: str) -> Words:
    found = words.table["expected"]
    if not isinstance(found, Mapping):
        raise words.wrong("expected", f"must be a table such as {example}, got {as_written(found)}")
    return Words(found, words.at("expected"), known)


def _number(parts: Words, word: str) -> Fraction | None:
    found = parts.table.get(word)
    if found is None:
        return None
    try:
        if isinstance(found, bool) or not isinstance(found, int | float | str | Decimal | Fraction):
            raise InvalidParameter("no number")
        number = exact(found, word)
        if abs(number) > LARGEST:
            raise InvalidParameter("too large")
    except (PrivetError, ValueError, OverflowError):
        raise parts.wrong(word, f"must be a finite number, got {as_written(found)}") from None
    return number
