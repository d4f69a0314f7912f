"""table_view: the public facts of a table, as the list beside the editor and the owner's page say them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from privet.wording.printable import printable

if TYPE_CHECKING:
    from privet.query.catalog import Catalog
    from privet.server.console.texts import Texts
    from privet.server.desk import TableFacts
    from privet.server.desk.facts import ColumnFacts

LISTED = 8  # values that are named
LONGEST = 40  # letters of a value
NUMBERS = ("integer", "real")
LIMITS = {"rows_per_unit": "rows_in_all", "groups_per_unit": "groups", "rows_per_group": "rows"}


@dataclass(frozen=True)
class ColumnView:
    """A column: what is known of its values, and a few words."""

    name: str
    known: str | Markup
    words: str | Markup


@dataclass(frozen=True)
class TableView:
    """A table: who its rows are about, its columns, what is used of one unit."""

    name: str
    public: bool
    badge: Markup
    columns: list[ColumnView]
    facts: list[Markup]


@dataclass(frozen=True)
class Declared:
    """One declaration, and what it unlocks."""

    name: str
    what: str | Markup
    unlocks: Markup
    known: bool


def table_views(t: "Texts", tables: "Sequence[TableFacts]", catalog: "Catalog") -> list[TableView]:
    """Every table of a catalog. Declarations alone; nothing is read."""
    return [_table(t, each, catalog) for each in tables]


def _table(t: "Texts", table: "TableFacts", catalog: "Catalog") -> TableView:
    owner, one = _owner(table, catalog)
    badge = t("tables.public") if table.public else t("tables.one") if one else t("tables.many")
    columns = [_column(t, each, table, owner, catalog.unit.name) for each in table.columns]
    limits = {} if table.public else limit_numbers(table.limits)
    facts = [] if one and set(limits.values()) <= {1} else _facts(t, limits, catalog.limited)
    return TableView(printable(table.name), table.public, badge, columns, facts)


def _facts(t: "Texts", limits: Mapping[str, int], unit: str) -> list[Markup]:
    """What is used of one unit."""
    groups, rows = limits.get("groups_per_unit"), limits.get("rows_per_group")
    if groups is not None and rows is not None:
        return [t("tables.both", unit=unit, groups=groups, rows=rows)]
    return [t(f"tables.{LIMITS[name]}", unit=unit, groups=n, rows=n) for name, n in limits.items()]


def _owner(table: "TableFacts", catalog: "Catalog") -> tuple[str | None, bool]:
    """The column that says who a row is about, and whether nobody has two rows."""
    declared = catalog.tables.get(table.name)
    if declared is None or declared.public or declared.unit_path:
        return None, False
    return declared.unit_column, declared.unit_column in declared.unique


def limit_numbers(limits: Mapping[str, int | str]) -> dict[str, int]:
    """What is used of one unit, where it is a number."""
    return {name: number for name, number in limits.items() if name in LIMITS and isinstance(number, int)}


def _column(t: "Texts", column: "ColumnFacts", table: "TableFacts", owner: str | None, unit: str) -> ColumnView:
    name, kind = printable(column.name), t(f"type.{column.type}")
    if table.public:
        return ColumnView(name, "", kind)
    if column.name == owner:
        return ColumnView(name, "", t("tables.owner", unit=unit))
    if column.values is not None:
        return ColumnView(name, values_words(t, column.values), t("tables.all_shown"))
    if column.low is not None and column.high is not None:
        return ColumnView(name, t("tables.range", low=end_words(column.low), high=end_words(column.high)), kind)
    rest = t("tables.no_bounds") if column.type in NUMBERS else t("tables.unlisted")
    return ColumnView(name, "", Markup("{}, {}").format(kind, rest))


def values_words(t: "Texts", values: "Sequence[object]") -> str | Markup:
    """The first values of a list."""
    first = ", ".join(_short(printable(each)) for each in values[:LISTED])
    return t("tables.more_values", values=first, count=len(values) - LISTED) if len(values) > LISTED else first


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def end_words(end: str) -> str:
    """A bound for people.

    Example:
        >>> end_words("2000"), end_words("0.5"), end_words("2025-12-31")
        ('2,000', '0.5', '2025-12-31')
    """
    return f"{int(end):,}" if end.removeprefix("-").isdigit() and len(end) < 20 else end  # noqa: PLR2004 - longer is no number for people


def declarations(t: "Texts", tables: "Sequence[TableFacts]", catalog: "Catalog", *, budget: str) -> list[Declared]:
    """What the owner declared, and what each declaration unlocks.

    Args:
        t: the texts.
        tables: of the catalog.
        catalog: which columns say who a row is about.
        budget: the usual price in words, "" if there is none.
    """
    found = []
    for table in tables:
        if table.public:
            found.append(
                Declared(printable(table.name), t("owner.cat_public"), t("owner.cat_public_unlocks"), known=True)
            )
            continue
        owner, _ = _owner(table, catalog)
        for column in table.columns:
            name = printable(f"{table.name}.{column.name}")
            found.append(_declared(t, name, column, owner))
    word = "cat_budget" if budget else "cat_no_budget"
    unlocks = t(f"owner.{word}_unlocks")
    found.append(
        Declared(
            t.plain("owner.budget_name"),
            t(f"owner.{word}", budget=budget) if budget else t(f"owner.{word}"),
            unlocks,
            known=bool(budget),
        )
    )
    return found


def _declared(t: "Texts", name: str, column: "ColumnFacts", owner: str | None) -> Declared:
    if column.name == owner:
        return Declared(name, t("owner.cat_unit"), t("owner.cat_unit_unlocks"), known=True)
    if column.values is not None:
        return Declared(name, values_words(t, column.values), t("owner.cat_values_unlocks"), known=True)
    if column.low is not None and column.high is not None:
        what = t("owner.cat_bounds", low=end_words(column.low), high=end_words(column.high))
        return Declared(name, what, t("owner.cat_bounds_unlocks"), known=True)
    word = "cat_unbounded" if column.type in NUMBERS else "cat_open"
    return Declared(name, t(f"owner.{word}"), t(f"owner.{word}_unlocks"), known=False)
