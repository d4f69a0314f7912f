"""What a DuckDB catalog is made of: a database file, Parquet and CSV files, frames. No row is looked at here."""

import csv
import glob
from pathlib import Path

import pyarrow as pa

from privet.errors import InvalidParameter
from privet.query.catalog import Catalog, DeclaredTable

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


def header_of(name: str, file: str) -> list[str]:
    """The names of a CSV file's columns: its first line, and nothing else.

    Bytes that are no text are replaced: rows are read along with the first line, and an error would tell about them.
    """
    try:
        with Path(file).open(newline="", encoding="utf-8-sig", errors="replace") as lines:
            names = next(csv.reader(lines, delimiter="\t" if file.lower().endswith(".tsv") else ","), [])
    except (OSError, csv.Error):
        raise InvalidParameter(f"table {name}: the first line of its file cannot be read") from None
    if not names or len(set(names)) < len(names) or not all(names):
        raise InvalidParameter(f"table {name}: the first line of its file must name every column once")
    return names


def arrow_of(name: str, frame: object) -> pa.Table:
    """A pandas, polars or arrow frame as an arrow table."""
    try:
        if isinstance(frame, pa.Table):
            return frame
        if hasattr(frame, "to_arrow"):
            return frame.to_arrow()
        return pa.Table.from_pandas(frame, preserve_index=False)
    except Exception:  # noqa: BLE001 - its text may show values
        raise InvalidParameter(
            f"table {name}: its frame must be a pandas, polars or arrow table whose columns each have one type"
        ) from None
