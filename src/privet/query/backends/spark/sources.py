"""What a Spark catalog is made of: tables of the session, Parquet files, Spark frames. No row is looked at."""

import itertools
import os
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.sources import files_of
from privet.query.catalog import Catalog, DeclaredTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField

PARQUET = (".parquet", ".pq")
PATTERN = set("*?[]{}\\,")  # in the name of a file, Spark would take them for patterns
NUMBERS = itertools.count(1)  # of frames
CHAR = "__CHAR_VARCHAR_TYPE_STRING"  # under this word a column's metadata say that it is one


def frame_of(session: "SparkSession", catalog: Catalog, table: DeclaredTable) -> "DataFrame":
    """A table as a frame of this session.

    Raises:
        InvalidParameter: if it cannot be found, is no Parquet, or may have other rows each time it is computed.
    """
    name = table.name
    if name in catalog.frames:
        return _frame_rows(session, name, catalog.frames[name])
    if table.files is not None:
        return _read(session, catalog, table)
    try:
        return session.table(".".join(_quoted(part) for part in (table.location or name).split(".")))
    except Exception:  # noqa: BLE001 - pages of Java
        raise InvalidParameter(
            f"table {name} cannot be read from Spark's catalog; check its location and its name"
        ) from None


def _quoted(part: str) -> str:
    return "`" + part.replace("`", "``") + "`"


def _frame_rows(session: "SparkSession", name: str, frame: object) -> "DataFrame":
    from pyspark.sql import DataFrame  # noqa: PLC0415 - an extra

    if not isinstance(frame, DataFrame):
        raise InvalidParameter(
            f"table {name}: on Spark a frame must be a Spark DataFrame; make it one, or a Parquet file"
        )
    place = f"privet_{os.getpid()}_{next(NUMBERS)}"  # the one place that sessions share
    frame.createGlobalTempView(place)
    try:
        return session.table(f"global_temp.{place}")
    finally:
        frame.sparkSession.catalog.dropGlobalTempView(place)


def _read(session: "SparkSession", catalog: Catalog, table: DeclaredTable) -> "DataFrame":
    pattern = str(table.files)
    if not pattern.lower().endswith(PARQUET):
        raise InvalidParameter(
            f"table {table.name}: Spark reads CSV otherwise than other engines do; convert it to Parquet first"
        )
    paths = [pattern] if "://" in pattern else files_of(catalog, table)
    if "://" not in pattern and any(PATTERN & set(path) for path in paths):
        raise InvalidParameter(f"table {table.name}: a file's name must have none of * ? [ ] {{ }} , and \\ in it")
    places = paths if "://" in pattern else [f"file:{path}" for path in paths]
    try:
        return session.read.option("mergeSchema", "true").parquet(*places)
    except Exception:  # noqa: BLE001 - pages of Java
        raise InvalidParameter(f"table {table.name}: its files cannot be read as Parquet by Spark") from None


def as_plain(frame: "DataFrame") -> "DataFrame":
    """A frame whose texts are compared letter by letter, and whose CHARs end where their text does.

    Of texts that a collation takes for equal Spark would show whichever it met first, and units that differ would be
    one. Spaces that fill up a CHAR are not part of it, by what SQL says: as a VARCHAR it is the same unit.
    """
    items = [_plain(field) for field in frame.schema.fields]
    return frame.selectExpr(*items) if any(" AS " in item for item in items) else frame


def _plain(field: "StructField") -> str:
    name = _quoted(field.name)
    kind = field.dataType.simpleString()
    if kind.startswith("char(") or str(field.metadata.get(CHAR, "")).startswith("char("):
        return f"RTRIM({name}) AS {name}"
    return f"{name} COLLATE UTF8_BINARY AS {name}" if kind.startswith("string collate ") else name


def size_of(frame: "DataFrame") -> int:
    """How many bytes a table is thought to have, from the sizes of files; where Spark does not know, very many."""
    made: Any = frame
    return int(str(made._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))  # noqa: SLF001 - the way to a plan
