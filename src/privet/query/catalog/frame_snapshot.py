"""Frames of any library: what is lazy or speaks Arrow becomes one Arrow table, read once."""

from typing import Any

import pyarrow as pa

from privet.errors import InvalidParameter

KNOWN = {"pandas", "polars", "pyarrow", "pyspark"}
IN_MEMORY = {"DataFrame", "Table", "RecordBatch"}
TAKEN = "a pandas, polars or Spark DataFrame, an Arrow table, or anything that can be read as one (__arrow_c_stream__)"


def snapshot_of(frame: Any) -> Any:  # noqa: ANN401 - a frame of any library
    """A frame that stays what it is: those in memory and Spark's as they are, all others read into an Arrow table.

    Taken are polars' LazyFrames, Arrow's readers and datasets, DuckDB's relations, Ibis tables, and whatever offers
    `__arrow_c_stream__` or `__arrow_c_array__`.

    Privacy: a lazy frame would be computed anew for each question, from rows that may have changed, with errors of its
        own; so it is read here, once, when its owner declares it. What goes wrong is told without the library's words,
        which may show values.
    """
    kind = type(frame)
    if kind.__module__.partition(".")[0] in KNOWN and kind.__name__ in IN_MEMORY:
        return frame
    way = _way(frame)
    if way is None:
        raise InvalidParameter(f"a frame is {TAKEN}, got {kind.__name__}: convert it")
    try:
        found = way()
    except Exception:  # noqa: BLE001 - its words may show values
        found = None
    if not isinstance(found, pa.Table | pa.RecordBatch) and type(found).__name__ != "DataFrame":
        raise InvalidParameter(f"this {kind.__name__} cannot be read as a table: convert it to an Arrow table first")
    return found


def _way(frame: Any) -> Any:  # noqa: ANN401 - a frame of any library
    """How such a frame is read; None if it is none."""
    library = type(frame).__module__.partition(".")[0]
    if library == "polars" and hasattr(frame, "collect"):
        return frame.collect
    if library == "pyarrow" and hasattr(frame, "to_table"):  # a dataset
        return frame.to_table
    if hasattr(frame, "__arrow_c_stream__"):
        return lambda: pa.RecordBatchReader.from_stream(frame).read_all()
    if library == "ibis" and hasattr(frame, "to_pyarrow"):
        return frame.to_pyarrow
    return (lambda: pa.record_batch(frame)) if hasattr(frame, "__arrow_c_array__") else None
