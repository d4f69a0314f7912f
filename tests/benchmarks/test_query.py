"""The command: what is measured is kept and shown, and becomes a page, whatever fails."""

from pathlib import Path

import pytest
import query
from query_sheet import Kept, Sheet


def sheet(title: str) -> Sheet:
    return Sheet(title, ("what",), (("x",),))


def options(folder: Path) -> list[str]:
    return ["--results", str(folder / "kept.json"), "--page", str(folder / "page.md"), "--data", str(folder)]


def test_a_page_is_made_of_what_is_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept.json")
    for part in ("scaling-spark", "comparison"):
        kept.put(part, sheet(part))
    query.main(["--only-write", *options(tmp_path)])
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert text.index("## comparison") < text.index("## scaling-spark")
    assert query.machine() in text


def test_a_part_that_fails_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(query, "one_engine", broken)
    monkeypatch.setattr(query, "scale", lambda _, kept, __: kept.put("scaling-spark", sheet("an engine")))
    with pytest.raises(SystemExit, match="1"):
        query.main(["--large", "1e3", "--scaling", "--write", *options(tmp_path)])
    assert "no disk" in capsys.readouterr().out
    assert "## an engine" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_an_engine_that_is_not_there_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(query, "compare", lambda _, kept, __: kept.put("comparison", sheet("peers")))
    monkeypatch.setattr(query, "missing", lambda _: "pyspark is not installed")
    query.main(["--rows", "1e3", *options(tmp_path)])
    assert set(Kept(tmp_path / "kept.json").sheets()) == {"comparison"}
    assert "left out, pyspark is not installed" in " ".join(capsys.readouterr().out.split())


def test_a_large_table_is_asked_within_its_memory(tmp_path: Path) -> None:
    query.main(["--large", "2000", "--memory", "500MB", *options(tmp_path)])
    found = Kept(tmp_path / "kept.json").sheets()["large"]
    assert [row[0] for row in found.rows] == ["plain DuckDB", "Privet"]
    assert "–" not in {cell for row in found.rows for cell in row}
    assert found.remarks == ("The engine was told to use at most 500MB.",)
