"""What somebody is told who connects to something that is no catalog: data, a database, or nothing at all."""

from pathlib import Path
from typing import Any

from privet.errors import InvalidParameter
from privet.wording.printable import plain

DATA = {".csv", ".tsv", ".gz", ".zst", ".parquet", ".pq", ".db", ".duckdb", ".sqlite", ".arrow", ".feather", ".json"}
MOST = 12  # columns that are named


def refuse_data(path: str | Path) -> None:
    """Raise if this names data, and not a catalog."""
    name = str(path)
    if "://" in name:
        raise InvalidParameter(
            "connect takes a catalog, not the address of a database: draft one with `privet catalog draft ADDRESS`"
        )
    if Path(name).suffix.lower() in DATA:
        raise InvalidParameter(
            f"{plain(name)} is data, not a catalog: draft one with `privet catalog draft {plain(name)}`, complete it, "
            "and connect to that"
        )


def refuse_object(given: Any) -> None:  # noqa: ANN401 - whatever a caller hands over
    """Raise if this is no path, with the line to write instead where there is one.

    Privacy: names of columns are part of the schema; nothing else of a frame is shown.
    """
    if isinstance(given, str | Path):
        return
    kind = type(given).__name__
    if kind == "DuckDBPyConnection":
        raise InvalidParameter(
            'connect takes a catalog, not a connection: name the database in one, source = "duckdb:///file", which '
            "`privet catalog draft FILE` drafts, or pass a relation of it to privet.Catalog.of"
        )
    names = _names(given)
    if names is None:
        raise InvalidParameter(
            f'connect takes a catalog file such as "hospital.toml" or a privet.Catalog, got {kind}: draft one with '
            "`privet catalog draft DATA`"
        )
    columns = ", ".join(f'"{plain(each)}": {{}}' for each in names[:MOST]) + (", …" if len(names) > MOST else "")
    raise InvalidParameter(
        f"connect takes a catalog, not a {kind}: say what is public about it, privet.connect(privet.Catalog.of(frame, "
        f'table="data", unit="person", unit_column="…", limit=privet.Guarantee(1), columns={{{columns}}})), with '
        '"bounds": [low, high] or "values": […] for the columns that have them'
    )


def _names(given: Any) -> list[str] | None:  # noqa: ANN401 - whatever a caller hands over
    """The names of a frame's columns; None if it is no frame."""
    if not hasattr(type(given), "columns") and not hasattr(given, "__arrow_c_stream__"):
        return None
    for where in ("column_names", "collect_schema", "columns"):
        try:
            found: Any = getattr(given, where, None)
            listed: Any = found() if callable(found) else found
            names = list(listed.names() if hasattr(listed, "names") and callable(listed.names) else listed)
        except Exception:  # noqa: BLE001, S112 - another library's own
            continue
        if all(isinstance(each, str) for each in names):
            return names
    return []
