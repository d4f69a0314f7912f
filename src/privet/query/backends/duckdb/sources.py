"""What a DuckDB catalog is made of: a database file, Parquet and CSV files, frames. No row is looked at here."""

import glob
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from privet.errors import InvalidParameter
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.catalog.frame_columns import columns_of
from privet.query.scalars.facts import Type

SCHEME = "duckdb:///"


def database_of(catalog: Catalog) -> str | None:
    """The path of the database file; None if there is none."""
    if not catalog.source:
        return None
    if not catalog.source.startswith(SCHEME):
        raise InvalidParameter(f"source must be written as duckdb:///file.duckdb, got {catalog.source}")
    path = catalog.folder / catalog.source.removeprefix(SCHEME)
    if not path.is_file():
        raise InvalidParameter(f"source {catalog.source}: there is no such file")
    return str(path)


def files_of(catalog: Catalog, table: DeclaredTable) -> list[str]:
    """The files of a table, listed when the catalog is opened: files that come later are not read."""
    if table.files is None or table.name in catalog.frames:
        return []
    found = sorted(glob.glob(str(catalog.folder / table.files), recursive=True))  # noqa: PTH207 - patterns may be absolute
    if not found:
        raise InvalidParameter(f"table {table.name}: no file is called {table.files}")
    return [str(Path(file).resolve()) for file in found]


def keys_of_tables(catalog: Catalog) -> dict[str, set[str]]:
    """By table, the columns that say who rows are about: units, and the keys on the way to them."""
    keys: dict[str, set[str]] = {name: set() for name in catalog.tables}
    for name, table in catalog.tables.items():
        here = name
        for step in table.unit_path:
            keys.setdefault(here, set()).add(step.column)
            keys.setdefault(step.table, set()).add(step.key)
            here = step.table
        if table.unit_column is not None:
            keys.setdefault(here, set()).add(table.unit_column)
    return keys


def arrow_of(table: DeclaredTable, frame: object, keys: Collection[str]) -> pa.Table:
    """A pandas, polars or Arrow frame as an Arrow table with the columns that can be read.

    Args:
        table: as it is declared.
        frame: its rows.
        keys: columns that say who rows are about.

    Raises:
        InvalidParameter: if a column that is declared, or a key, cannot be read.
    """
    folded = {each.casefold() for each in keys}
    kinds = {name.casefold(): facts.type for name, facts in table.columns.items()}
    read = {}
    for name, column in columns_of(frame).items():
        kind = kinds.get(name.casefold())
        key = name.casefold() in folded
        if kind is None and column.loose and not table.public:
            if key:
                raise InvalidParameter(f"table {table.name}: column {name} has no type of its own: declare one")
            continue  # nobody may name it
        exact = key or (table.public and (kind or column.public) not in {Type.REAL, Type.TIMESTAMP})
        try:
            array = column.array(kind or (column.public if table.public else None), exact)
        except InvalidParameter as problem:
            raise InvalidParameter(f"table {table.name}: {problem}") from None
        except Exception:  # noqa: BLE001 - its text may show values
            array = None
        if array is not None:
            read[name] = array
        elif kind is not None or key:
            raise InvalidParameter(
                f"table {table.name}: column {name} is of type {column.told}, which Privet does not read: convert "
                "it, or leave it out"
            )
    return pa.table(read)


Stamp: TypeAlias = tuple[int, int, int, int]


def stamps_of(files: Iterable[str]) -> dict[str, Stamp | None]:
    """What changes when a file is replaced or written to: its place on the disk, size and time."""
    return {file: _stamp(file) for file in files}


def _stamp(file: str) -> Stamp | None:
    try:
        found = os.stat(file)  # noqa: PTH116 - a text, many times
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
