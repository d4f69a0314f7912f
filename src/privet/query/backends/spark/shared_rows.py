"""SharedRows: rows that are counted and weighed, brought together by unit once for both.

Spark computes a common table wherever it is mentioned, unless something in it may differ from time to time; then it is
computed once, and read twice. The number of a partition is such a thing, which no row depends on here: it is never
below 0. The rows are moved so that all of a unit are on one worker: they are counted there, and the weights of its
units, one row for each, are looked up there in a table in memory; nothing is sorted, nothing passes the driver.
"""

import re
from collections.abc import Collection

UNITS = re.compile(r"SELECT (u\d+(?:, u\d+)*)\b")
ALWAYS = "SPARK_PARTITION_ID() >= 0"


def arranged(name: str, select: str, names: Collection[str]) -> str:
    """A common table of a request, as Spark is to compute it.

    Args:
        name: of this table.
        select: how it is printed for every engine.
        names: of all tables of the statement.

    Example:
        >>> arranged("placed", "SELECT u1, k1 FROM found", ["found", "placed", "weights", "weighed"])
        'SELECT /*+ REPARTITION(u1) */ u1, k1 FROM found WHERE SPARK_PARTITION_ID() >= 0'
    """
    if "weights" not in names:
        return select
    if name == "weighed":
        return _hinted(select, "SHUFFLE_HASH(weights)")
    units = UNITS.match(select)
    if name != "placed" or units is None or "sampled" in names:  # a sample is by unit already
        return select
    return f"{_hinted(select, f'REPARTITION({units[1]})')}{' AND ' if ' WHERE ' in select else ' WHERE '}{ALWAYS}"


def _hinted(select: str, hint: str) -> str:
    return f"SELECT /*+ {hint} */ {select.removeprefix('SELECT ')}"
