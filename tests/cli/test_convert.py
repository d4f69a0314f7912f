"""`privet catalog convert …`, as an owner types it."""

import datetime as dt
import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from privet.cli import app

CATALOG = """
unit = "person"
limit = { epsilon = 1 }
[tables.t]
csv = "a.csv"
unit_column = "id"
columns.id = { type = "integer" }
columns.day = { type = "date" }
columns.at = { type = "timestamp" }
columns.pay = { type = "real" }
columns.ok = { type = "boolean" }
"""


def convert(folder: Path, *words: str) -> Any:  # noqa: ANN401 - what the runner gives
    typed = [str(folder / word) if "." in word else word for word in words]
    return CliRunner().invoke(app, ["catalog", "convert", *typed], env={"COLUMNS": "300"}, catch_exceptions=False)


def test_line_breaks_and_quotes_within_fields(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbfid,"no,te"\r\n1,"two\r\nlines, ""so"""\r\n2,\r\n,"x"')
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(b'no,te\tid\n"a\tb"\t3\n'))
    done = convert(tmp_path, "a.csv", "b.tsv.gz", "out.parquet")
    assert (done.exit_code, "4 rows" in done.stdout) == (0, True), done.output
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.to_pydict() == {"id": ["1", "2", None, "3"], "no,te": ['two\r\nlines, "so"', None, "x", "a\tb"]}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "b.tsv.gz", "out.parquet"]


def test_as_declared(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CATALOG)
    large = 2**62 + 1
    (tmp_path / "a.csv").write_text(
        f"id,day,at,pay,ok,note\n{large},2024-02-29,2024-02-29 01:02:03.5,1e3,true,7\n,,,,,\n"
    )
    assert convert(tmp_path, "a.csv", "out.parquet", "--catalog", "c.toml", "--table", "t").exit_code == 0
    found = pq.read_table(tmp_path / "out.parquet")
    kinds = [pa.int64(), pa.date32(), pa.timestamp("us"), pa.float64(), pa.bool_(), pa.string()]
    assert found.schema.types == kinds
    moment = dt.datetime(2024, 2, 29, 1, 2, 3, 500000)  # noqa: DTZ001 - has none
    assert list(found.to_pylist()[0].values()) == [large, dt.date(2024, 2, 29), moment, 1000.0, True, "7"]
    assert set(found.to_pylist()[1].values()) == {None}


def test_parquet_becomes_microseconds(tmp_path: Path) -> None:
    pq.write_table(pa.table({"at": pa.array([1, None], pa.timestamp("ms")), "n": [1, 2]}), tmp_path / "a.parquet")
    assert convert(tmp_path, "a.parquet", "out.parquet").exit_code == 0
    assert pq.read_table(tmp_path / "out.parquet").schema.types == [pa.timestamp("us"), pa.int64()]
    pq.write_table(pa.table({"at": pa.array([2**62], pa.timestamp("ms"))}), tmp_path / "a.parquet")
    refused = convert(tmp_path, "a.parquet", "far.parquet")
    assert (refused.exit_code, "column at is timestamp[ms]" in refused.stderr) == (1, True)
    assert not (tmp_path / "far.parquet").exists()


WRONG = {
    "an open quote": (b'id,note\n1,a\n2,"secret\n3,b\n', "line 3: a quote is never closed"),
    "a stray quote": (b'id,note\n1,"a\nb"\n2,se"cr"et\n', "line 4: a quote must be around a whole field"),
    "a field too many": (b"id,note\n1,a\n2,secret,c\n", "line 3: it has 3 fields and line 1 has 2 names"),
    "a blank line": (b"id,note\n1,a\n\n", "line 3: it has 1 fields"),
    "other letters": (b"id,note\n1,a\n2,secret\xff\n", "line 3: it is not UTF-8"),
    "no names": (b"", "line 1: it must name every column once"),
    "a name twice": (b"id,ID\n", "line 1: it must name every column once"),
    "no number": (b"id,note\n1,a\nsecret,b\n", "line 3: column id does not say integer"),
    "a number of too many digits": (b"id,note\n9223372036854775808,b\n", "line 2: column id does not say integer"),
    "a broken gzip": (b"", "is damaged"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_told_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    raw, sentence = WRONG[name]
    (tmp_path / "c.toml").write_text(CATALOG)
    file = "a.csv.gz" if "gzip" in name else "a.csv"
    (tmp_path / file).write_bytes(raw if "gzip" not in name else b"\x1f\x8bnothing")
    before = sorted(tmp_path.iterdir())
    done = convert(tmp_path, file, "out.parquet", "--catalog", "c.toml")
    assert (done.exit_code, sentence in done.stderr) == (1, True), done.stderr
    assert "secret" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    (tmp_path / "b.csv").write_text("other\n1\n")
    (tmp_path / "out.parquet").write_text("mine")
    for words in (
        ["a.csv", "out.parquet"],
        ["out.parquet", "out.parquet", "--force"],
        ["a.csv", "b.csv", "out.parquet", "--force"],
    ):
        assert convert(tmp_path, *words).exit_code == 1
        assert (tmp_path / "out.parquet").read_text() == "mine"
        assert not list(tmp_path.glob(".*")), "half a file"
    for words in (["a.csv"], ["none.csv", "out.parquet"], ["a.csv", "out.csv"]):
        assert convert(tmp_path, *words).exit_code == 1
    assert convert(tmp_path, "a.csv", "out.parquet", "--force").exit_code == 0
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 1
