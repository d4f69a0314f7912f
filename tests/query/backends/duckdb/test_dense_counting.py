"""Counting in arrays: as large as there is room for, and the same answers as with a hash table."""

from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.query.backends.duckdb import DuckDBBackend
from privet.query.backends.duckdb.dense_counting import count_in_arrays
from privet.query.catalog import Catalog
from privet.query.catalog.toml_file import catalog_from
from tests.support.exact_session import ExactSession

FIRST = -(1 << 63)
LAST = (1 << 63) - 1
TEXT = "SELECT city, COUNT(*) AS n, SUM(pay) AS pay, AVG(pay) AS mean FROM t GROUP BY city"
COUNTED = "EXPLAIN (FORMAT JSON) SELECT u, COUNT(*) FROM {} GROUP BY u"
ARRAY = "PERFECT_HASH_GROUP_BY"  # what DuckDB calls it


@pytest.mark.parametrize(
    ("threads", "memory", "rows", "bits"),
    [
        (1, "8GiB", 10**8, 24),
        (4, "8GiB", 10**8, 23),
        (2, "1GiB", 10**8, 21),
        (1, "200MB", 10**8, 19),
        (1, "512KiB", 10**8, 12),
        (1, "8GiB", 10**5, 18),
        (1, "8GiB", 2**16, 18),
        (1, "8GiB", 7, 12),
    ],
)
def test_units_are_counted_in_arrays_that_there_is_room_for(threads: int, memory: str, rows: int, bits: int) -> None:
    """Each thread has one with 64 bytes for a number, all together at most a quarter of the memory; 4 for each row."""
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET threads = {threads}")
    connection.execute(f"SET memory_limit = '{memory}'")
    count_in_arrays(connection, ["SELECT 1 AS u1", f"SELECT range AS u1 FROM range({rows})"])  # noqa: S608 - ours
    assert connection.execute("SELECT current_setting('perfect_ht_threshold')").fetchone() == (bits,)
    assert connection.cursor().execute("SELECT current_setting('perfect_ht_threshold')").fetchone() == (bits,)
    connection.close()


def write(folder: Path, units: list[int] | list[str], rows: int) -> Catalog:
    """Units in turn, in cities in turn."""
    turns = -(-rows // len(units))
    columns = {"u": units * turns, "city": ["a", "b", "b"] * rows, "pay": [float(each % 7) for each in range(rows)]}
    pq.write_table(pa.table({name: values[:rows] for name, values in columns.items()}), folder / "t.parquet")
    kind = "text" if isinstance(units[0], str) else "integer"
    return catalog_from(
        f"""
        name = "c"
        unit = "person"
        limit = {{ epsilon = "9" }}
        [tables.t]
        parquet = "t.parquet"
        unit_column = "u"
        rows_per_unit = 2
        columns.u = {{ type = "{kind}" }}
        columns.city = {{ type = "text", values = ["a", "b"] }}
        columns.pay = {{ type = "real", bounds = [0, 5] }}
        """,
        folder=folder,
    )


def in_array(backend: DuckDBBackend) -> bool:
    plan = backend._connection.execute(COUNTED.format(backend._tables["t"].text)).fetchall()
    return ARRAY in str(plan)


@pytest.mark.parametrize(
    ("units", "rows", "close"),
    [
        ([-700_000, -1, 0, 1, 15, 16, 17, 900_000], 600_000, True),
        ([-700_000, -1, 0, 1, 15, 16, 17, 900_000], 40_000, False),  # an array is larger than the table
        ([0, 5, 7, 500_000], 400_000, True),
        ([0, 5, 7, 1 << 25], 400_000, False),  # too far apart
        ([FIRST, -1, LAST], 300, False),
        (["a", "b"], 300, False),
    ],
)
def test_what_is_counted_in_arrays_is_answered_alike(
    units: list[int] | list[str], rows: int, *, close: bool, tmp_path: Path
) -> None:
    catalog = write(tmp_path, units, rows)
    found = []
    for memory, expected in (("8GiB", close), ("40MB", False)):  # the second has no room for arrays
        with closing(DuckDBBackend(catalog, threads=1, memory=memory)) as backend:
            assert in_array(backend) is expected
            found.append(ExactSession(catalog, backend=backend).sql(TEXT).rows)
    assert found[0] == found[1]
