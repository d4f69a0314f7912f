"""Doubts: declarations that are allowed and probably not meant. Told from the catalog alone; no row is read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from privet.loss import Guarantee
from privet.query.catalog.catalog import Catalog
from privet.query.catalog.declared_table import DeclaredTable
from privet.query.plan.bounds_in_force import bound_text
from privet.query.scalars.dates import day_of
from privet.query.scalars.facts import Facts, Type

LARGE_EPSILON = 10  # from here on a limit promises little
LARGE_DELTA = Fraction(1, 10_000)
MANY_ROWS = 10_000  # of one unit
FAR = 4  # times the width of bounds: so far from 0 lies what is rarely meant
WIDEST = 10**12
CALENDAR = (1000, 3000)  # whole numbers between these may be years, which are far from 0
LAST_DAY = day_of("2500-01-01") or 0  # what is later stands for "no end"
OTHER_SCALES = {"day", "days", "week", "weeks", "month", "months", "hour", "hours", "second", "seconds", "ms"}
FAR_ANYWAY = {"id", "code", "zip", "time", "epoch", "date", "timestamp", "kelvin"}  # numbers that are far from 0


@dataclass(frozen=True)
class Usual:
    """Where the values of columns with a telling name usually lie."""

    low: int
    high: int
    widest: int


USUAL = {
    "age": Usual(0, 130, 200),
    "year": Usual(0, 3000, 10_000),
    "month": Usual(0, 12, 1_000),
    "percent": Usual(-100, 100, 100_000),
    "percentage": Usual(-100, 100, 100_000),
    "latitude": Usual(-90, 90, 360),
    "longitude": Usual(-180, 360, 1_000),
}


def doubts_about(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Where in the catalog, and what is doubtful there, with what to do about it."""
    yield from _promises(catalog)
    for name, table in catalog.tables.items():
        if table.public:
            continue
        yield from _limits(f"tables.{name}", table, catalog.limited)
        for column, facts in table.columns.items():
            if column != table.unit_column and (doubt := _bounds(column, facts)):
                yield f"tables.{name}.columns.{column}", doubt


def _promises(catalog: Catalog) -> Iterator[tuple[str, str]]:
    limit = catalog.limit
    if isinstance(limit, Guarantee) and limit.epsilon > LARGE_EPSILON:
        yield "limit", "an ε above 10 protects hardly anybody: 1 or less is a strong promise, 5 a weak one; lower it"
    if isinstance(limit, Guarantee) and limit.delta > LARGE_DELTA:
        yield "limit", f"δ is how often the promise may fail for a {catalog.unit.name}: 1e-6 is usual; lower it"
    if catalog.budget == limit:
        yield "budget", "one question that names no ε spends the whole limit: make the default a small part of it"


def _limits(place: str, table: DeclaredTable, whose: str) -> Iterator[tuple[str, str]]:
    if table.limits.rows > MANY_ROWS and not table.limits.automatic:
        fix = "declare what most have, and the rows of those with more are weighted down"
        yield place, f"noise must hide {table.limits.rows:,} rows of one {whose}: {fix}"


def _bounds(name: str, facts: Facts) -> str:
    """What is doubtful about the bounds of a column, "" if nothing is."""
    if facts.low is None or facts.high is None or facts.type in {Type.TEXT, Type.BOOLEAN}:
        return ""
    low, high = facts.low, facts.high
    ends = f"[{bound_text(low, facts.type)}, {bound_text(high, facts.type)}]"
    if low == high:
        return f"every value counts as {bound_text(low, facts.type)}: declare the lowest and the highest that can occur"
    if facts.type is Type.DATE or facts.type is Type.TIMESTAMP:
        last = high if facts.type is Type.DATE else high / (24 * 3600)
        return f"{ends} ends in a far future: declare the last day that can occur" if last >= LAST_DAY else ""
    return _of_name(name, low, high, ends) or _far_or_wide(name, facts, ends)


def _of_name(name: str, low: Fraction, high: Fraction, ends: str) -> str:
    """What the name of a column tells against its bounds."""
    words = _words(name)
    for word, usual in USUAL.items():
        if word not in words or words & OTHER_SCALES - {word}:
            continue
        if low > usual.high or high < usual.low:
            return (
                f"no {word} lies in {ends}, so each counts as a bound: declare the lowest and the highest there can be"
            )
        if high - low > usual.widest:
            return f"{ends} is wide for a column called {name}, and noise grows with it: declare what can occur"
    return ""


def _far_or_wide(name: str, facts: Facts, ends: str) -> str:
    low, high = facts.low or Fraction(0), facts.high or Fraction(0)
    width = high - low
    years = facts.type is Type.INTEGER and CALENDAR[0] <= low and high <= CALENDAR[1]
    if not years and not _words(name) & FAR_ANYWAY and (low > FAR * width or high < -FAR * width):
        beyond = f"below {bound_text(low, facts.type)}" if low > 0 else f"above {bound_text(high, facts.type)}"
        return f"{ends} is far from 0 for its width: whatever lies {beyond} counts as that; make sure that it is meant"
    if width > WIDEST:
        return f"{ends} is so wide that noise drowns most sums and averages: declare what can occur"
    return ""


def _words(name: str) -> set[str]:
    """The words of a column's name.

    Example:
        >>> sorted(_words("birthYear")), sorted(_words("age_at_visit"))
        (['birth', 'year'], ['age', 'at', 'visit'])
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()
    return {word for word in re.split(r"[^a-z]+", apart) if word}
