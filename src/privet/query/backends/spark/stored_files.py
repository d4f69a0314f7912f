"""Stored: tables that lie in files, as Spark's plans name them; how they are kept, and whether they have changed."""

import re
from collections.abc import Iterable
from typing import Any

from privet.errors import InvalidParameter

SOURCES = "org.apache.spark.sql.execution.datasources."
RELATION, RELATION_V2 = f"{SOURCES}LogicalRelation", f"{SOURCES}v2.DataSourceV2Relation"
FILES = f"{SOURCES}HadoopFsRelation"
TYPED = {
    f"{SOURCES}parquet.ParquetFileFormat",
    f"{SOURCES}orc.OrcFileFormat",
}  # each value has a type, each row its own
DELTA, ICEBERG = "org.apache.spark.sql.delta.DeltaParquetFileFormat", "org.apache.iceberg.spark.source.SparkTable"
LISTED, PARTITIONED = f"{SOURCES}InMemoryFileIndex", f"{SOURCES}CatalogFileIndex"
HARMLESS = {"path", "paths", "basepath", "mergeschema", "recursivefilelookup", "pathglobfilter", "serialization.format"}
STATE = re.compile(r"path=(.*?); isDirectory=.*?length=(\d+);.*?modification_time=(\d+);", re.DOTALL)


def refuse_unknown(name: str, node: Any, *, otherwise: str) -> None:  # noqa: ANN401 - a node of Spark's plans
    """Raise if a node of a plan that makes rows of itself is no table of typed files.

    A line of a CSV or JSON file may be read differently because of another line, and a row that is broken may be left
    out, be NULL, or end the statement; code of a data source may do anything.

    Raises:
        InvalidParameter: with what to do instead, which is `otherwise` if nothing is known about it.
    """
    kind = str(node.getClass().getName())
    if kind == RELATION_V2 and str(node.table().getClass().getName()) == ICEBERG:
        return
    if kind != RELATION or str(node.relation().getClass().getName()) != FILES:
        raise InvalidParameter(f"table {name}: {otherwise}")
    relation = node.relation()
    kept = str(relation.fileFormat().getClass().getName())
    if kept == DELTA:
        return
    if kept not in TYPED:
        raise InvalidParameter(
            f"table {name}: Spark reads {relation.fileFormat().toString()} otherwise than other engines do; "
            "convert it to Parquet first"
        )
    if str(relation.location().getClass().getName()) not in {LISTED, PARTITIONED}:
        raise InvalidParameter(f"table {name}: {otherwise}")
    if unknown := [word for word in _words(relation.options().keys()) if word.lower() not in HARMLESS]:
        raise InvalidParameter(
            f"table {name}: it is read with the option {unknown[0]}, which may change its rows; leave that out"
        )
    if node.catalogTable().isEmpty():
        _refuse_found_types(name, relation.partitionSchema())


def _refuse_found_types(name: str, partitions: Any) -> None:  # noqa: ANN401 - a schema of Spark's
    """Raise if names of folders, which rows decide, have decided the type of a column."""
    for column in partitions.fields():
        if str(column.dataType().sql()) != "STRING":
            raise InvalidParameter(
                f"table {name}: the type of {column.name()} was found in names of folders; read it where "
                "spark.sql.sources.partitionColumnTypeInference.enabled is false"
            )


def _words(names: Any) -> list[str]:  # noqa: ANN401 - Scala's
    return [word for word in str(names.mkString("\n")).split("\n") if word]


def state_of(nodes: Iterable[Any]) -> str:
    """Which files the tables of a plan lie in now, how long each is, and when it was written.

    Two looks that find the same have nothing written between them, unless someone sets a file's clock back. Delta and
    Iceberg keep versions of their own, of which a statement sees one.
    """
    found = []
    for node in nodes:
        if str(node.getClass().getName()) != RELATION:
            continue
        index = node.relation().location()
        kind = str(index.getClass().getName())
        if kind in {LISTED, PARTITIONED}:
            index.refresh()
            files = index.filterPartitions(_nothing(node)) if kind == PARTITIONED else index
            found += sorted(map(str, STATE.findall(str(files.allFiles().mkString("\n")))))
    return "\n".join(found)


def _nothing(node: Any) -> Any:  # noqa: ANN401 - an empty sequence of Scala's
    return node.children()
