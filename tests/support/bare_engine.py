"""A bare engine for tests of what is printed."""

from typing import Any

import duckdb
import pyarrow as pa


def execute(text: str, **tables: pa.Table) -> list[tuple[Any, ...]]:
    with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return connection.execute(text).fetchall()
