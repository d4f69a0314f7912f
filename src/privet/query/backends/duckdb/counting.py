"""Counting: whole numbers as units are counted in an array, not a hash table, where they lie close together."""

from contextlib import suppress

import duckdb

MOST_BITS = 24  # of the range that the numbers lie in
LEAST_BITS = 12  # DuckDB's own choice
STATE = 64  # bytes for each number, at most: what is added up for one unit
SHARE = 4  # of the memory, one part in so many


def count_in_arrays(connection: duckdb.DuckDBPyConnection) -> None:
    """Let DuckDB group by whole numbers in an array, if those of a column lie within 2^24 or what memory has room for.

    Every bounded sum counts the rows of each unit. Each thread has an array of its own, so how large one may be
    follows from the engine's threads and memory, never from the data.
    """
    with suppress(duckdb.Error, TypeError):  # where the words are not known, the engine goes on as it does
        row = connection.execute(
            "SELECT parse_formatted_bytes(current_setting('memory_limit')), current_setting('threads')"
        ).fetchone()
        memory, threads = row or (0, 1)
        bits = (int(memory) // (SHARE * STATE * int(threads))).bit_length() - 1
        connection.execute(f"SET GLOBAL perfect_ht_threshold = {min(max(bits, LEAST_BITS), MOST_BITS)}")
