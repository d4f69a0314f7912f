"""Draft: a catalog that is being declared, step by step, and what is wrong with it."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from privet.query.catalog import Catalog
from privet.query.catalog.toml_file import catalog_from
from privet.query.catalog.toml_text import text, word
from privet.query.drafting.draft import found_tables
from privet.query.drafting.found_table import FoundColumn, FoundTable
from privet.query.drafting.unit_candidates import unit_candidates
from privet.query.scalars.dates import day_of, second_of
from privet.query.scalars.engine_types import type_of
from privet.query.scalars.facts import Type
from privet.server.console.setup.numbers import number_text
from privet.server.console.texts import Texts

ROWS, GROUPS = 1, 1  # of one unit, until its owner says more
HEAD = "# Declared in the browser, from names and types alone: no row was read. See docs/catalog.md.\n"
NUMERIC = (Type.INTEGER, Type.REAL)
TIMES = (Type.DATE, Type.TIMESTAMP)
TYPES = tuple(each.value for each in Type)
PLACES = 8  # digits
WHOLE = 100_000  # the most rows or groups that are used of one unit


@dataclass
class DraftColumn:
    """A column, and what its owner says of it."""

    name: str
    type: str
    typed: bool
    nullable: bool
    use: bool = True
    low: str = ""
    high: str = ""
    values: str = ""
    error: str = ""

    @property
    def bounded(self) -> bool:
        """Whether bounds may be said."""
        return not self.typed or Type(self.type) in (*NUMERIC, *TIMES)

    @property
    def listed(self) -> bool:
        """Whether values may be listed."""
        return not self.typed or Type(self.type) is Type.TEXT


@dataclass
class DraftTable:
    """A table, and what its owner says of it. `owner` is the column that says who a row is about; "" if nobody."""

    name: str
    found: FoundTable
    columns: list[DraftColumn]
    owner: str = ""
    groups: int = GROUPS
    rows: int = ROWS

    @property
    def one(self) -> bool:
        """Whether nobody has two rows."""
        return self.owner in self.found.unique


@dataclass
class Draft:
    """All that was said so far."""

    name: str = ""
    source: str = ""
    unit: str = ""
    tables: list[DraftTable] = field(default_factory=list)
    limit: str = "3"
    delta: str = "1e-5"
    each: str = "0.1"

    # --- step by step -------------------------------------------------------------------------------------------

    def take_data(self, data: str | Path, *, folder: Path, name: str) -> None:
        """Read names and types of the data's tables."""
        found, source, tables = found_tables(data, folder=folder)
        self.name, self.source = name or found, source
        self.tables = [_table(each) for each in tables]

    def take_unit(self, said: Mapping[str, str]) -> None:
        """Who is protected, and by which columns."""
        self.unit = said.get("unit", "").strip()
        for place, table in enumerate(self.tables):
            names = [each.name for each in table.columns]
            owner = said.get(f"owner-{place}", "")
            table.owner = owner if owner in names else ""
            table.groups = _whole(said.get(f"groups-{place}", ""), table.groups)
            table.rows = _whole(said.get(f"rows-{place}", ""), table.rows)

    def take_columns(self, t: Texts, said: Mapping[str, str]) -> None:
        """What is known of the columns; what is wrong stands beside each."""
        for n, table in enumerate(self.tables):
            for c, column in enumerate(table.columns):
                place = f"{n}-{c}"
                column.use = f"use-{place}" in said or column.name == table.owner
                if not column.typed and said.get(f"type-{place}", "") in TYPES:
                    column.type = said[f"type-{place}"]
                column.low, column.high, column.values = (
                    said.get(f"{word}-{place}", "").strip() for word in ("low", "high", "values")
                )
                column.error = "" if column.name == table.owner else problem_of(t, column)

    @property
    def errors(self) -> list[dict[str, str]]:
        """What has to be put right, with the field that it is about."""
        return [
            {"id": f"b-{n}-{c}" if column.bounded else f"v-{n}-{c}", "words": f"{table.name}.{column.error}"}
            for n, table in enumerate(self.tables)
            for c, column in enumerate(table.columns)
            if column.error
        ]

    # --- what it says -------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The catalog as TOML."""
        delta = "" if self.delta == "0" else f", delta = {text(self.delta)}"
        budget_delta = "" if self.delta == "0" else ', delta = "1e-6"' if self.delta == "1e-5" else ', delta = "1e-7"'
        lines = [HEAD, f"name = {text(self.name)}"]
        if self.source:
            lines.append(f"source = {text(self.source)}")
        lines += [f"unit = {text(self.unit)}", f"limit = {{ epsilon = {text(self.limit)}{delta} }}"]
        if self.each:
            lines.append(f"budget = {{ epsilon = {text(self.each)}{budget_delta} }}")
        for table in self.tables:
            lines += _table_lines(table)
        return "\n".join(lines) + "\n"

    def catalog(self, folder: Path) -> Catalog:
        """The catalog, checked as a file would be."""
        return catalog_from(self.text(), folder=folder, stem=self.name)


def _table(found: FoundTable) -> DraftTable:
    columns = [column for each in found.columns if (column := _column(each)) is not None]
    candidates = unit_candidates(each.name for each in found.columns)
    return DraftTable(found.name, found, columns, candidates[0] if candidates else "")


def _column(found: FoundColumn) -> DraftColumn | None:
    """A column that Privet can read; None otherwise."""
    if found.engine is None:
        return DraftColumn(found.name, Type.TEXT.value, typed=False, nullable=True)
    kind = type_of(found.engine)
    return None if kind is None else DraftColumn(found.name, kind.value, typed=True, nullable=found.nullable)


def _whole(said: str, otherwise: int) -> int:
    known = said.isascii() and said.isdigit() and len(said) < PLACES
    return int(said) if known and 0 < int(said) <= WHOLE else otherwise


def problem_of(t: Texts, column: DraftColumn) -> str:
    """What is wrong with what was said of a column; "" if nothing."""
    kind = Type(column.type)
    if kind not in (*NUMERIC, *TIMES) or not column.use or not (column.low or column.high):
        return ""
    if not (column.low and column.high):
        return t.plain("setup.one_bound", column=column.name)
    if kind in NUMERIC:
        low, high = number_text(column.low), number_text(column.high)
        if low is None or high is None or (kind is Type.INTEGER and ("." in low or "." in high)):
            return t.plain("setup.no_number", column=column.name)
        swapped = Fraction(low) > Fraction(high)
    else:
        ends = [(day_of if kind is Type.DATE else second_of)(each) for each in (column.low, column.high)]
        if ends[0] is None or ends[1] is None:
            return t.plain("setup.no_date", column=column.name)
        swapped = ends[0] > ends[1]
    return t.plain("setup.swapped", column=column.name, low=column.high, high=column.low) if swapped else ""


def _table_lines(table: DraftTable) -> list[str]:
    lines = [f"\n[tables.{word(table.name)}]"]
    if table.found.files is not None:
        lines.append(f"{table.found.files[0]} = {text(table.found.files[1])}")
    if table.found.location is not None:
        lines.append(f"location = {text(table.found.location)}")
    if table.owner:
        lines.append(f"unit_column = {text(table.owner)}")
        if not table.one:
            lines += [f"groups_per_unit = {table.groups}", f"rows_per_group = {table.rows}"]
    else:
        lines.append("public = true")
    used = {each.name for each in table.columns if each.use}
    if unique := [each for each in table.found.unique if each in used]:
        lines.append(f"unique = [{', '.join(map(text, unique))}]")
    return lines + [f"columns.{word(each.name)} = {_column_text(table, each)}" for each in table.columns if each.use]


def _column_text(table: DraftTable, column: DraftColumn) -> str:
    kind = Type(column.type)
    parts = [f'type = "{kind.value}"']
    private = bool(table.owner) and column.name != table.owner
    if private and kind in (*NUMERIC, *TIMES) and column.low and column.high:
        ends = [str(number_text(each)) if kind in NUMERIC else text(each) for each in (column.low, column.high)]
        parts.append(f"bounds = [{', '.join(ends)}]")
    if private and kind is Type.TEXT and column.values:
        parts.append(f"values = [{', '.join(map(text, listed(column.values)))}]")
    if column.nullable and column.name != table.owner:
        parts.append("nullable = true")
    return "{ " + ", ".join(parts) + " }"


def listed(said: str) -> list[str]:
    """Values with commas between them; one with a comma in it stands in quotes.

    Example:
        >>> listed('F, M, "a, b"')
        ['F', 'M', 'a, b']
    """
    found = next(csv.reader([said.replace("\\n", " ")], skipinitialspace=True), [])
    return list(dict.fromkeys(each.strip() for each in found if each.strip()))
