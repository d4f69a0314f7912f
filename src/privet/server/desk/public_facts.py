"""Public facts: what a catalog says, as those who ask may see it; and a name of that version of the data."""

from collections.abc import Iterator
from dataclasses import replace

from privet.loss.exact import shortest
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.catalog.toml_text import catalog_text
from privet.query.scalars.dates import iso_date, iso_timestamp
from privet.query.scalars.facts import Bound, Facts, Type
from privet.server.desk.facts import ColumnFacts, TableFacts
from privet.server.people.secret import derived


def table_facts(catalog: Catalog) -> tuple[TableFacts, ...]:
    """The tables of a catalog: what is declared, and nothing of the data or of where it is."""
    return tuple(_table(catalog, table) for table in catalog.tables.values())


def _table(catalog: Catalog, table: DeclaredTable) -> TableFacts:
    unit = None if table.public else catalog.unit.name
    limits = {} if table.public else table.limits.words
    return TableFacts(table.name, table.public, unit, tuple(_columns(table)), limits)


def _columns(table: DeclaredTable) -> Iterator[ColumnFacts]:
    for name, facts in table.columns.items():
        low, high = (_bound(each, facts.type) for each in (facts.low, facts.high))
        yield ColumnFacts(name, facts.type.value, facts.nullable, low, high, _values(facts))


def _values(facts: Facts) -> tuple[object, ...] | None:
    return None if facts.values is None else tuple(facts.values)


def _bound(bound: Bound, kind: Type) -> str | None:
    if bound is None:
        return None
    if kind is Type.DATE:
        return str(iso_date(int(bound)))
    return str(iso_timestamp(bound)) if kind is Type.TIMESTAMP else shortest(bound)


def version_of(catalog: Catalog, key: str) -> str:
    """A name of what is declared of the data: whatever is declared otherwise makes another.

    Privacy: it follows from the catalog, and from nothing in the data or about its files: that a file has changed may
        tell that somebody came. It tells nobody where the data is, for that they would need the key.
    """
    declared = catalog_text(replace(catalog, ledger=None, anchor=None, analysts={}))
    lines = [line for line in declared.splitlines() if not line.startswith("limit = ")]
    return derived(key, "version", *lines)[:8].hex()
