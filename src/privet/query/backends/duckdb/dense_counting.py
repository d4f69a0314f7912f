# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Counting: whole numbers as units are counted in an array, not a hash table, where they lie close together."""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import duckdb

MOST_BITS = 24  # of the range that the numbers lie in
LEAST_BITS = 12  # DuckDB's own choice
STATE = 64  # bytes for each number, at most: what is added up for one unit
SHARE = 4  # of the memory, one part in so many
ROOM = 4  # numbers in the range for each row, at most: to clear a larger array takes longer than to hash the rows


def count_in_arrays(connection: duckdb.DuckDBPyConnection, selects: Iterable[str]) -> None:
    """Let DuckDB group by whole numbers in an array, if those of a column lie close enough together.

    Every bounded sum counts the rows of each unit. Each thread has an array of its own, so how large one may be follows
    from the engine's threads and memory, and from how many rows there are.

    Args:
        connection: of an engine whose settings are not locked yet.
        selects: the units of each private table, as u1. DuckDB is asked for its plans of them, which it makes from what
            files and tables say of themselves; no row is read, and no answer depends on it, only how fast it is found.
    """
    # where the words are not known, the engine goes on as it does
    with suppress(duckdb.Error, ValueError, TypeError, KeyError):
        rows = max((_rows(_plan(connection, text)) for text in selects), default=0)
        bits = min(_room(connection), (ROOM * rows).bit_length() - 1, MOST_BITS)
        connection.execute(f"SET GLOBAL perfect_ht_threshold = {max(bits, LEAST_BITS)}")


def _room(connection: duckdb.DuckDBPyConnection) -> int:
    """The bits of a range that the engine's memory has room for."""
    row = connection.execute(
        "SELECT parse_formatted_bytes(current_setting('memory_limit')), current_setting('threads')"
    ).fetchone()
    memory, threads = row or (0, 1)
    return (int(memory) // (SHARE * STATE * int(threads))).bit_length() - 1


def _plan(connection: duckdb.DuckDBPyConnection, select: str) -> Any:  # noqa: ANN401 - as DuckDB writes it
    row = connection.execute(f"EXPLAIN (FORMAT JSON) SELECT u1, COUNT(*) FROM ({select}) AS t GROUP BY u1").fetchone()
    return json.loads(row[1]) if row is not None else []


def _rows(plan: Any) -> int:  # noqa: ANN401 - as DuckDB writes it
    """About how many rows the largest step of a plan has."""
    here = [int(step["extra_info"].get("Estimated Cardinality", 0)) for step in plan]
    return max([*here, *(_rows(step["children"]) for step in plan)], default=0)
