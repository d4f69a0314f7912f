"""Shapes: every statement is answered, and stands beside what plain DuckDB and SQL by hand take."""

from pathlib import Path

import query
from query_shapes import SHAPES
from query_sheet import Kept


def test_every_shape_is_in_one_table(tmp_path: Path) -> None:
    options = ["--results", str(tmp_path / "kept.json"), "--data", str(tmp_path)]
    query.main(["--shapes", "--rows", "2000", *options])
    sheets = Kept(tmp_path / "kept.json").sheets()
    assert set(sheets) == {"shapes"}
    assert [row[0] for row in sheets["shapes"].rows] == [shape.name for shape in SHAPES]
    by_hand = {row[0] for row in sheets["shapes"].rows if row[3] != "–"}
    assert by_hand == {shape.name for shape in SHAPES if shape.by_hand is not None}
