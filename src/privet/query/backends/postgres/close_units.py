"""Closeness: whether the units of a table are whole numbers so close together that blocks of them are worth while."""

import contextlib
from typing import Any

import psycopg

FEW = 1 << 18  # the weights of so many units fit into a cache, each on its own
RANGE = """
SELECT c.reltuples, CAST(CAST(s.histogram_bounds AS text) AS text[])
FROM pg_catalog.pg_stats AS s
JOIN pg_catalog.pg_namespace AS n ON n.nspname = s.schemaname
JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = s.tablename
WHERE c.oid = CAST(%s AS pg_catalog.regclass) AND s.attname = %s ORDER BY s.inherited DESC LIMIT 1
"""


def close_together(connection: "psycopg.Connection[Any]", table: str, column: str) -> bool:
    """Whether there are many units, in a range no wider than there are rows: 16 of them then share a block.

    Asks for what the planner knows, too: the statistics that ANALYZE made. No row is read, and no answer depends on it;
    where there are none, such as for a view, units are looked up one by one.
    """
    with contextlib.suppress(psycopg.Error, ValueError):
        row = connection.execute(RANGE, (table, column)).fetchone()
        if row is not None and row[1]:
            span = int(row[1][-1]) - int(row[1][0])
            return FEW <= span <= int(row[0])
    return False
