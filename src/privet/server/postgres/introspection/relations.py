"""Relations: the tables of pg_catalog and information_schema that clients look into, with their columns and types."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import pyarrow as pa

PLACE = "privet.server.postgres.introspection"
TYPES: Mapping[str, pa.DataType] = {
    "oid": pa.uint32(),
    "text": pa.string(),
    "bool": pa.bool_(),
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "timestamp": pa.timestamp("us"),
    "text[]": pa.list_(pa.string()),
    "oid[]": pa.list_(pa.uint32()),
    "int2[]": pa.list_(pa.int16()),
    "float4[]": pa.list_(pa.float32()),
}
NOTHING: Mapping[str, object] = {"oid": 0, "bool": False, "int2": 0, "int4": 0, "int8": 0, "float4": 0.0}


@cache
def relations() -> Mapping[str, Mapping[str, str]]:
    """The columns of each relation with the names of their types; a relation is called "pg_catalog.pg_class"."""
    text = (files(PLACE) / "relations.txt").read_text(encoding="utf-8").replace("\n    ", " ")
    found = {}
    for line in text.splitlines():
        name, _, columns = line.partition(": ")
        found[name] = dict(each.split(" ") for each in columns.split(", "))
    return found


@cache
def column_kinds() -> Mapping[str, str]:
    """The types of columns that are of one type in all relations of pg_catalog, and are no texts."""
    found: dict[str, set[str]] = {}
    for name, columns in relations().items():
        for column, kind in columns.items() if name.startswith("pg_catalog.") else ():
            found.setdefault(column, set()).add(kind)
    return {name: next(iter(kinds)) for name, kinds in found.items() if len(kinds) == 1 and kinds != {"text"}}


@cache
def known_types() -> tuple[Mapping[str, str], ...]:
    """The types that clients know, by the columns of pg_type."""
    head, *lines = (files(PLACE) / "types.txt").read_text(encoding="utf-8").splitlines()
    return tuple(dict(zip(head.split(" "), line.split(" "), strict=True)) for line in lines)


def filled(name: str, rows: list[dict[str, object]]) -> pa.Table:
    """A relation with rows; what a row does not say is 0, false or NULL."""
    columns = relations()[name]
    return pa.table(
        {
            column: pa.array([row.get(column, NOTHING.get(kind)) for row in rows], TYPES[kind])
            for column, kind in columns.items()
        }
    )
