"""Pages that are too large to be run as printed are pasted with fewer rows."""

from pathlib import Path

import pytest

from tests.test_tutorials import paste

PAGES = Path(__file__).parents[1] / "docs" / "how-to"


def test_a_hundred_million_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (PAGES / "hundred-million-rows.md").read_text(encoding="utf-8")
    assert page.count("100_000_000, 20") == 1
    checked, asked = paste(page.replace("100_000_000, 20", "40_000, 4"))
    assert "Ready: privet ask people.toml" in checked
    assert "± at 95%" in asked
    assert "… 20 more rows" in asked
    assert len(list(Path("people").glob("*.parquet"))) == 4
