"""Tables of results: on the screen, in a file, in a page."""

from pathlib import Path

import pytest
from query_sheet import Kept, Sheet, page
from rich.console import Console

SHEET = Sheet("Times", ("what", "Privet"), (("a | b", "1 s"), ("c", "2 s")), ("slow",))


def test_markdown() -> None:
    assert SHEET.markdown() == "## Times\n\n| what | Privet |\n| --- | --: |\n| a \\| b | 1 s |\n| c | 2 s |\n\n* slow"
    assert Sheet("None", ("what",), ()).markdown() == "## None\n\n| what |\n| --- |"


def test_a_terminal_shows_every_cell() -> None:
    console = Console(width=80)
    with console.capture() as shown:
        console.print(SHEET.table())
    assert all(cell in shown.get() for cell in ("Times", "what", "a | b", "1 s", "c", "2 s", "slow"))


def test_a_row_with_too_few_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells"):
        Sheet("Times", ("what", "Privet"), (("a",),))


def test_a_run_replaces_its_own_sheets_and_leaves_the_others(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "new" / "query.json")
    assert kept.sheets() == {}
    kept.put("comparison", SHEET)
    kept.put("scaling", Sheet("old", ("what",), (("x",),)))
    kept.put("scaling", Sheet("new", ("what",), (("ε ≤ 1",),)))
    again = Kept(tmp_path / "new" / "query.json").sheets()
    assert again == {"comparison": SHEET, "scaling": Sheet("new", ("what",), (("ε ≤ 1",),))}
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["query.json"]


def test_a_page_has_its_parts_in_order_and_leaves_out_what_is_not_there() -> None:
    sheets = {"b": Sheet("Second", ("what",), ()), "a": Sheet("First", ("what",), ()), "other": SHEET}
    text = page(sheets, ("a", "missing", "b"), machine="2 cores and 24 GB of memory", rows_per_unit=4)
    assert text.startswith("# Queries, measured\n")
    assert text.index("## First") < text.index("## Second")
    assert "## Times" not in text
    assert "2 cores and 24 GB of memory" in text
    assert "{" not in text
