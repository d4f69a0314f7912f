"""Tables that are public or released, to Spark and back."""

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ARROW = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
}


def arrow_from(schema: Any, rows: list[Any]) -> pa.Table:  # noqa: ANN401 - a schema of Spark's
    """Rows that Spark gave as a table."""
    columns, fields = [], []
    for place, field in enumerate(schema.fields):
        kind = field.dataType.simpleString()
        decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", kind)
        type_ = pa.decimal128(int(decimal[1]), int(decimal[2])) if decimal is not None else ARROW[kind]
        columns.append(pa.array([row[place] for row in rows], type_))
        fields.append(pa.field(field.name, type_))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def frame_from(session: "SparkSession", table: pa.Table) -> "DataFrame":
    """A released table as a frame."""
    from pyspark.sql.types import StructField, StructType  # noqa: PLC0415 - an extra

    kinds = [StructField(field.name, _spark_type(field.type)) for field in table.schema]
    columns = [column.to_pylist() for column in table.columns]
    rows = list(zip(*columns, strict=True)) if columns else []
    return session.createDataFrame(rows, StructType(kinds))


def _spark_type(kind: pa.DataType) -> Any:  # noqa: ANN401 - a type of Spark's
    from pyspark.sql import types  # noqa: PLC0415 - an extra

    if pa.types.is_decimal(kind):
        return types.DecimalType(kind.precision, kind.scale)
    known = (
        (pa.types.is_boolean, types.BooleanType),
        (pa.types.is_integer, types.LongType),
        (pa.types.is_floating, types.DoubleType),
        (pa.types.is_date, types.DateType),
        (pa.types.is_timestamp, types.TimestampNTZType),
    )
    return next((made() for is_one, made in known if is_one(kind)), types.StringType())
