"""Released: tables of earlier stages as part of a statement, so that nothing is ever written on the server."""

import datetime as dt
from typing import Any

import pyarrow as pa

from privet.query.backends.postgres.literals import quoted

TYPES = {
    pa.bool_(): "BOOLEAN",
    pa.int64(): "BIGINT",
    pa.int32(): "BIGINT",
    pa.float64(): "DOUBLE PRECISION",
    pa.string(): "TEXT",
    pa.large_string(): "TEXT",
    pa.date32(): "DATE",
    pa.timestamp("us"): "TIMESTAMP",
}
ARROW = {  # by the number that PostgreSQL gives a type
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int64(),
    23: pa.int64(),
    25: pa.string(),
    701: pa.float64(),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1700: pa.float64(),
}


def inline_table(name: str, table: pa.Table) -> str:
    """What stands after FROM for a table that was released: one array for each column.

    Example:
        >>> print(inline_table("released_1", pa.table({"c1": ["a", None], "c2": [1, 2]})))
        UNNEST(CAST('{"a",NULL}' AS TEXT[]) COLLATE "C", CAST('{"1","2"}' AS BIGINT[])) AS released_1 (c1, c2)
    """
    arrays = [_array(column) for column in table.columns]
    return f"UNNEST({', '.join(arrays)}) AS {name} ({', '.join(table.column_names)})"


def _array(column: pa.ChunkedArray) -> str:
    items = ",".join(_item(value) for value in column.to_pylist())
    kind = TYPES.get(column.type, "TEXT")
    bytewise = ' COLLATE "C"' if kind == "TEXT" else ""
    return f"CAST({quoted('{' + items + '}')} AS {kind}[]){bytewise}"


def _item(value: Any) -> str:  # noqa: ANN401 - any cell
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def arrow_table(kinds: list[int], rows: list[tuple[Any, ...]]) -> pa.Table:
    """Rows of the server as an Arrow table whose columns are named c1, c2."""
    arrays = [
        pa.array([_cell(row[place], kind) for row in rows], ARROW.get(kind, pa.string()))
        for place, kind in enumerate(kinds)
    ]
    return pa.table({f"c{place + 1}": array for place, array in enumerate(arrays)})


def _cell(value: Any, kind: int) -> Any:  # noqa: ANN401 - any cell
    if value is None or kind in ARROW:
        return float(value) if kind == 1700 and value is not None else value  # noqa: PLR2004 - a decimal
    return str(value)
