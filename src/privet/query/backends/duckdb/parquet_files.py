# ruff: noqa: S608 - SQL is printed from the catalog's own words, never from the text of an analyst
"""Parquet files as DuckDB reads them: of one type in all files, and no value can make it fail."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.dialect import quoted

WHOLE = ("INT32", "INT64")


def parquet_scan(files: Sequence[str]) -> str:
    """What stands after FROM.

    Privacy: bytes that are no UTF-8 become question marks, instead of an error for all rows. Names of folders are not
        read as columns: their types would be taken from what the folders are called.
    """
    listed = ", ".join(map(quoted, files))
    return f"read_parquet([{listed}], union_by_name = true, utf8_validation = 'replace', hive_partitioning = false)"


def parquet_select(files: Sequence[str], types: Mapping[str, str], keys: Collection[str]) -> str:
    """The SELECT that gives the rows of Parquet files.

    Args:
        files: at least one.
        types: the engine's type of each column.
        keys: columns that say who a row is about.

    Privacy: a key that is not UTF-8 could, once it is mended, be somebody else's. As the engine does not tell which
        were mended, texts of keys with a question mark in them are NULL, and such rows are about nobody.
    """
    folded = {each.casefold() for each in keys}
    mended = [_name(each) for each, kind in types.items() if kind == "VARCHAR" and each.casefold() in folded]
    whole = ", ".join(f"CASE WHEN contains({each}, '?') THEN NULL ELSE {each} END AS {each}" for each in mended)
    return f"SELECT *{f' REPLACE ({whole})' if whole else ''} FROM {parquet_scan(files)}"


def refuse_unlike(name: str, files: Sequence[str], wanted: Collection[str]) -> None:
    """Raise if a wanted column has different types in different files, or one whose values could make a scan fail.

    DuckDB would turn the types into one that holds both, and rounds: real numbers for ids of 64 bits and reals.
    """
    folded = {each.casefold() for each in wanted}
    seen: dict[str, tuple[object, ...]] = {}
    for file in files:
        for column in _columns(name, file):
            key = column.name.casefold()
            if column.path != column.name or key not in folded:
                continue
            if "timeUnit=milliseconds" in str(column.logical_type) and "Timestamp" in str(column.logical_type):
                raise InvalidParameter(
                    f"table {name}: column {column.name} of {Path(file).name} holds milliseconds, of which one could "
                    "make every statement fail: write microseconds instead"
                )
            if seen.setdefault(key, _kind(column)) != _kind(column):
                raise InvalidParameter(
                    f"table {name}: column {column.name} must have one type in all files, and has another in "
                    f"{Path(file).name}: write them all alike"
                )


def _columns(name: str, file: str) -> list[Any]:
    try:
        schema = pq.read_metadata(file).schema
        return [schema.column(place) for place in range(len(schema))]
    except (OSError, ValueError, pa.ArrowException):
        raise InvalidParameter(
            f"table {name}: {Path(file).name} cannot be read as Parquet: replace it, or leave it out"
        ) from None


def _kind(column: Any) -> tuple[object, ...]:  # noqa: ANN401 - pyarrow has no types
    """What must be the same in all files; signed whole numbers are alike."""
    logical = str(column.logical_type)
    if column.physical_type in WHOLE and (logical == "None" or ("Int(" in logical and "isSigned=true" in logical)):
        return ("whole",)
    return (column.physical_type, logical, column.precision, column.scale, column.length)


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
