"""public_catalog: what a catalog says to analysts: everything but where things are, and what others may spend."""

from dataclasses import replace

from privet.query.catalog import Catalog
from privet.query.catalog.toml_file import catalog_from
from privet.query.catalog.toml_text import catalog_text


def public_text(catalog: Catalog) -> str:
    """A catalog in the words of docs/catalog.md, without addresses, files, names of other analysts and their limits.

    Privacy: public by declaration; the names of analysts and the places of files are not, and are left out.
    """
    tables = {name: replace(table, files=None, location=None) for name, table in catalog.tables.items()}
    shown = replace(catalog, tables=tables, source="", analysts={}, ledger=None, anchor=None, frames={})
    return catalog_text(shown)


def catalog_of(text: str, *, address: str) -> Catalog:
    """The catalog that `public_text` wrote, whose tables are at an address."""
    return replace(catalog_from(text), source=address, ledger=None, anchor=None)
