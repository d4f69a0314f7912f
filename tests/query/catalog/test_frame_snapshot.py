"""Frames of any library: read once into a table that stays what it was, or refused in one sentence."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import privet
from privet.errors import InvalidParameter
from privet.query.catalog.frame_snapshot import snapshot_of

ROWS = {"id": [*range(200)], "age": [n % 90 for n in range(200)]}
TABLE = pa.table(ROWS)


class Stream:
    """A library of its own that speaks Arrow."""

    def __init__(self, table: Any) -> None:  # noqa: ANN401 - whatever it holds
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Batch:
    """The same, with one batch."""

    def __init__(self, array: Any) -> None:  # noqa: ANN401 - whatever it holds
        self.array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self.array.__arrow_c_array__(requested_schema)


def lazy(kind: str, folder: Path) -> Any:  # noqa: ANN401 - of any library
    pq.write_table(TABLE, folder / "t.parquet")
    made = {
        "LazyFrame": lambda: pl.LazyFrame(ROWS),
        "relation": lambda: duckdb.connect().from_arrow(TABLE),
        "reader": TABLE.to_reader,
        "dataset": lambda: ds.dataset(folder / "t.parquet"),
        "stream": lambda: Stream(TABLE),
    }
    return made[kind]()


@pytest.mark.parametrize("kind", ["LazyFrame", "relation", "reader", "dataset", "stream"])
def test_what_is_lazy_is_read_once(kind: str, tmp_path: Path) -> None:
    frame = lazy(kind, tmp_path)
    catalog = privet.Catalog.of(
        frame, unit="person", unit_column="id", limit=privet.Guarantee(200), columns={"age": {"bounds": [0, 110]}}
    )
    (tmp_path / "t.parquet").unlink()  # it is not needed any more
    with privet.connect(catalog) as session:
        for _ in range(2):  # a reader could be read only once
            assert abs(session.sql("SELECT COUNT(*) AS n FROM data", epsilon=50).rows[0]["n"] - 200) < 5


def test_an_array_of_rows_and_frames_as_they_are() -> None:
    assert snapshot_of(Batch(TABLE.combine_chunks().to_batches()[0])).num_rows == 200
    frame = pl.DataFrame(ROWS)
    assert snapshot_of(frame) is frame
    assert snapshot_of(TABLE) is TABLE


class Broken:
    """A library whose errors show rows."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise RuntimeError("row 7 is secret")


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (Broken(), "this Broken cannot be read as a table"),
        (pl.LazyFrame({"a": ["secret"]}).with_columns(pl.col("a").cast(pl.Int64)), "this LazyFrame cannot be read"),
        (pl.Series([1]), "this Series cannot be read"),
        (pa.array([1]), "cannot be read as a table"),
        ([1], "a frame is a pandas, polars or Spark DataFrame"),
        (None, "got NoneType"),
    ],
)
def test_what_cannot_be_read_is_refused_without_its_words(frame: Any, says: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=says) as told:
        privet.Catalog.of(frame, unit="person", unit_column="a", limit=privet.Guarantee(1), columns={})
    assert "secret" not in str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__context__ is None


def test_answers_go_out_as_arrow() -> None:
    catalog = privet.Catalog.of(
        TABLE, unit="person", unit_column="id", limit=privet.Guarantee(2), columns={"age": {"bounds": [0, 110]}}
    )
    with privet.connect(catalog) as session:
        answer = session.sql("SELECT AVG(age) AS age FROM data", epsilon=1)
    assert pa.table(answer) == answer.table
    assert pl.DataFrame(answer).columns == ["age", "age_low", "age_high"]
    assert duckdb.connect().sql("FROM answer").columns == ["age", "age_low", "age_high"]


def test_columns_of_any_library() -> None:
    for column in (Stream(pa.chunked_array([[1.0, 2.0] * 50])), Batch(pa.array([1.0, 2.0] * 50))):
        assert abs(float(privet.mean(column, bounds=(0, 5), epsilon=50)) - 1.5) < 0.5
