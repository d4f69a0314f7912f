# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Tables: how a table of the catalog is read: as declared, clipped to its bounds, with the unit of each row."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from privet.errors import InvalidParameter
from privet.query.plan.relations import Table
from privet.query.printing.dialect import Dialect
from privet.query.printing.table_locations import Source, Sources
from privet.query.scalars.dates import iso_date, iso_timestamp
from privet.query.scalars.engine_types import type_of
from privet.query.scalars.expressions import Column
from privet.query.scalars.facts import LONGEST_TEXT, Facts, Type
from privet.query.scalars.unit_types import unit_type

LARGEST = (1 << 63) - 1
Known = TypeVar("Known")


@dataclass(frozen=True)
class ReadTable:
    """How a table is read.

    Args:
        select: the SELECT.
        once: whether it must be computed once, because it numbers the rows.
        steady: whether it surely has the same rows when it is computed twice.
    """

    select: str
    once: bool
    steady: bool


@dataclass(frozen=True)
class OnlyRows:
    """What is known of how a table is used, so that less of it need be read.

    Args:
        filled: columns of numbers; rows without a number in any of them do not matter.
        unnumbered: whether no row is told from another one where each row is a unit.
    """

    filled: frozenset[Column] = frozenset()
    unnumbered: bool = False


def print_table(
    table: Table, dialect: Dialect, sources: Sources, name: Callable[[Column], str], only: OnlyRows = OnlyRows()
) -> ReadTable:
    """The SELECT that reads a table.

    Rows without a unit (NULL, or a path that leads nowhere) are left out. A row whose path leads to several units,
    because a key that should be unique is not, is there once for each.
    """
    reader = _Reader(table, dialect, sources, only)
    inner, outer, there = [], [], list[str]()
    unit = table.owner.unit if table.owner is not None else ()
    for place, column in enumerate(unit):
        inner.append(f"{reader.unit(place)} AS u{place + 1}")
        outer.append(f"u{place + 1} AS {name(column)}")
    told = {column for column, _ in table.outside}
    read: dict[Column, str] = {}
    for place, column in enumerate(column for column in table.columns if column not in unit and column not in told):
        read[column] = f"x{place + 1}"
        inner.append(f"{reader.value(column)} AS x{place + 1}")
        if reader.filled(column) is not None:
            there.append(dialect.is_number(f"x{place + 1}"))
        outer.append(f"{reader.held(f'x{place + 1}', column)} AS {name(column)}")
        if reader.cuts(column):
            outer.append(f"x{place + 1} AS {uncut(name(column))}")
    outer += [f"{beyond(read[old], old.facts, dialect)} AS {name(column)}" for column, old in table.outside]
    where = " AND ".join([*(f"u{place + 1} IS NOT NULL" for place in range(len(unit))), *there])
    text = f"SELECT {', '.join(outer) or '1'} FROM (SELECT {', '.join(inner) or '1'} FROM {reader.joined()}) AS t"
    return ReadTable(f"{text} WHERE {where}" if where else text, reader.numbered, reader.steady)


def uncut(name: str) -> str:
    """What the text of a column is called as it is stored: for keys that must be one of a few short texts anyway."""
    return f"{name}_whole"


def clipped(text: str, facts: Facts, dialect: Dialect) -> str:
    """A column held to its bounds; NULL stays NULL. The text is repeated, so it is a plain name."""
    ends = _ends(facts)
    cases = [
        f"WHEN {text} {sign} {dialect.literal(end, facts.type)} THEN {dialect.literal(end, facts.type)}"
        for sign, end in zip("<>", ends, strict=True)
        if end is not None
    ]
    return f"CASE {' '.join(cases)} ELSE {text} END" if cases else text


def beyond(text: str, facts: Facts, dialect: Dialect) -> str:
    """Whether a column, a plain name, is outside its bounds; NULL of NULL."""
    sides = zip("<>", _ends(facts), strict=True)
    return " OR ".join(f"{text} {sign} {dialect.literal(end, facts.type)}" for sign, end in sides if end is not None)


def _ends(facts: Facts) -> tuple[int | float | str | None, int | float | str | None]:
    """The bounds as literals of the column's type."""
    low, high = facts.low, facts.high
    if facts.type is Type.INTEGER:
        return (
            None if low is None or low < -LARGEST else math.ceil(low),
            None if high is None or high > LARGEST else math.floor(high),
        )
    if facts.type is Type.REAL:
        return (None if low is None else float(low), None if high is None else float(high))
    if facts.type is Type.DATE:
        return (None if low is None else iso_date(math.ceil(low)), None if high is None else iso_date(math.floor(high)))
    if facts.type is Type.TIMESTAMP:
        return (_moment(low, math.ceil), _moment(high, math.floor))
    return (None, None)


def _moment(second: Fraction | None, rounded: Callable[[Fraction], int]) -> str | None:
    return None if second is None else iso_timestamp(Fraction(rounded(second * 10**6), 10**6))


class _Reader:
    """What the columns and the unit of one table are, in the engine."""

    def __init__(self, table: Table, dialect: Dialect, sources: Sources, only: OnlyRows) -> None:
        self._table = table
        self._only = only
        self._dialect = dialect
        self._catalog = sources.catalog
        self._sources = sources
        self._declared = known(sources.catalog.tables, table.name)
        self._source = known(sources.tables, table.name)
        self._public = table.owner is None
        if self._public != self._declared.public:
            raise InvalidParameter(f"table {table.name} is {'' if self._declared.public else 'not '}public")
        alone = not self._public and self._catalog.row_level
        self.numbered = alone and self._source.row_number is None and not only.unnumbered

    @property
    def steady(self) -> bool:
        """Whether the table and those on the way to its unit have the same rows in every scan."""
        return all(known(self._sources.tables, name).steady for name in (self._table.name, *self._way()))

    def _way(self) -> tuple[str, ...]:
        return () if self._public else tuple(step.table for step in self._declared.unit_path)

    def value(self, column: Column) -> str:
        """A column as its declared type."""
        if (text := self.filled(column)) is not None:
            return text
        engine = engine_column(self._source, self._table.name, column.name)
        return self._dialect.read(f"s0.{self._dialect.name(engine)}", self._source.types[engine], column.facts.type)

    def filled(self, column: Column) -> str | None:
        """The column as a number that may be NaN, where rows without a number do not matter and that is faster."""
        if column not in self._only.filled or column.facts.type is not Type.REAL:
            return None
        engine = engine_column(self._source, self._table.name, column.name)
        return self._dialect.plain_real(f"s0.{self._dialect.name(engine)}", self._source.types[engine])

    def cuts(self, column: Column) -> bool:
        """Whether it is a text of a private table."""
        return column.facts.type is Type.TEXT and not self._public

    def held(self, text: str, column: Column) -> str:
        """What was read, a plain name, within its bounds; a text of a private table cut to its longest length."""
        if self.cuts(column):
            longest = LONGEST_TEXT if column.facts.longest is None else column.facts.longest
            short = self._dialect.first_letters(text, longest)
            return f"CASE WHEN {self._dialect.size(text)} > {longest} THEN {short} ELSE {text} END"
        return clipped(text, column.facts, self._dialect)

    def unit(self, place: int) -> str:
        """The unit of a row: its column, a row of its own, or for w-event privacy also its time."""
        if place == 1:
            return self._time()
        if self._catalog.row_level and self._only.unnumbered:
            return self._dialect.literal(1, Type.INTEGER)
        if self._catalog.row_level:
            return f"s0.{self._source.row_number}" if self._source.row_number is not None else "ROW_NUMBER() OVER ()"
        if self._declared.unit_column is None:
            raise InvalidParameter(f"table {self._table.name} has no unit: declare its unit_column")
        last = self._declared.unit_path[-1].table if self._declared.unit_path else self._table.name
        alias = f"s{len(self._declared.unit_path)}"
        return unit_text(last, self._declared.unit_column, alias, dialect=self._dialect, sources=self._sources)

    def _time(self) -> str:
        window = self._catalog.window
        if window is None:
            raise InvalidParameter("a second unit column needs a window in the catalog")
        engine = engine_column(self._source, self._table.name, window.column)
        facts = self._declared.columns.get(window.column)
        whole = facts is not None and facts.type is Type.INTEGER
        text = f"s0.{self._dialect.name(engine)}"
        kind = self._source.types[engine]
        return self._dialect.unit(text, kind, Type.INTEGER) if whole else self._dialect.read(text, kind, Type.DATE)

    def joined(self) -> str:
        """The table, and those on the way to its unit."""
        return f"{self._source.text} AS s0" + "".join(self._steps())

    def _steps(self) -> Iterator[str]:
        here = self._source
        table = self._table.name
        path = () if self._public or self._catalog.row_level else self._declared.unit_path
        for place, step in enumerate(path):
            there = known(self._sources.tables, step.table)
            left = engine_column(here, table, step.column)
            right = engine_column(there, step.table, step.key)
            one = self._dialect.identity(f"s{place}.{self._dialect.name(left)}", here.types[left])
            other = self._dialect.identity(f"s{place + 1}.{self._dialect.name(right)}", there.types[right])
            yield f" JOIN {there.text} AS s{place + 1} ON {one} = {other}"
            here = there
            table = step.table


def unit_text(table: str, column: str, alias: str, *, dialect: Dialect, sources: Sources) -> str:
    """A unit column: as declared if it is, but never clipped or cut, because that would make one unit of several."""
    source = known(sources.tables, table)
    engine = engine_column(source, table, column)
    text = f"{alias}.{dialect.name(engine)}"
    facts = known(sources.catalog.tables, table).columns.get(column)
    kind = unit_type(source.types[engine]) if facts is None else facts.type
    unit = dialect.unit(text, source.types[engine], kind or Type.TEXT)
    is_text = kind in {None, Type.TEXT} and type_of(source.types[engine]) in {None, Type.TEXT}
    return dialect.short_unit(unit) if is_text else unit


def known(tables: Mapping[str, Known], name: str) -> Known:
    """The table of this name."""
    if name not in tables:
        raise InvalidParameter(f"table {name} is not in the catalog; declare it there")
    return tables[name]


def engine_column(source: Source, table: str, name: str) -> str:
    """A column of a table, as the engine spells it."""
    engine = source.column(name)
    if engine is None:
        raise InvalidParameter(f"the data has no column {name} in table {table}; correct the catalog")
    return engine
