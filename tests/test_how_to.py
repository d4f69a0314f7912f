"""Pages that are too large to be run as printed are pasted with fewer rows."""

import re
from pathlib import Path

import pytest

from tests.support.postgres import MISSING, server
from tests.test_tutorials import paste

pytestmark = pytest.mark.whole

PAGES = Path(__file__).parents[1] / "docs" / "how-to"


def test_a_hundred_million_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (PAGES / "hundred-million-rows.md").read_text(encoding="utf-8")
    assert page.count("100_000_000, 20") == 1
    checked, asked = paste(page.replace("100_000_000, 20", "40_000, 4"))
    assert "Ready: privet ask people.toml" in checked
    assert "± at 95 %" in asked
    assert "… 20 more rows" in asked
    assert len(list(Path("people").glob("*.parquet"))) == 4


def test_back_up_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = paste((PAGES / "back-up-a-ledger.md").read_text(encoding="utf-8"))
    _, backed_up, checked, _, restored, refused, accepted, verified, raised, frozen, *_, moved, thawed = said
    assert "1 rows are in monday.backup" in backed_up
    assert "1 rows are as they were written" in checked
    assert "ε=0.5, δ=0" in restored
    assert "ends with row 0, but the anchor" in refused
    assert "all that was left then (ε=2, δ=1e-6) counts as spent by everybody" in accepted
    assert "2 rows are as they were written" in verified
    assert "ε=1, δ=1e-6" in raised
    assert all("frozen" in each for each in (frozen, moved))
    assert "frozen" not in thawed


def test_on_postgresql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.chdir(tmp_path)
    page = (PAGES / "on-postgresql.md").read_text(encoding="utf-8")
    with server() as address:
        if address is None:
            pytest.skip(MISSING)
        with psycopg.connect(address, autocommit=True) as owner:
            for block in re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
                owner.execute(block)
        reader = re.sub("postgres:?@", "privet_reader@", address)
        page = page.replace("postgresql://privet_reader@db.example/clinic?", f"{reader}&")
        page = page.replace("postgresql://privet_reader@db.example/clinic", f"'{reader}'")
        drafted, checked, asked, explained = paste(page)
    assert 'location = "clinic.visit"' in drafted
    assert 'columns.cost = { type = "real", nullable = true }' in drafted
    assert "can change" not in checked
    assert "Ready: privet ask people.toml" in checked
    assert "ABC0" in asked
    assert "costs ε 0.5" in explained
    assert "patients" in capsys.readouterr().out


def test_train_in_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    explained, trained, shown, undeclared = paste((PAGES / "train-in-the-terminal.md").read_text(encoding="utf-8"))
    assert "returns (no or yes) from age, visits, town: 5 numbers a row" in explained
    assert "nothing was spent" in explained
    assert "saved     returns.joblib" in trained
    assert "score of a model of returns" in shown
    assert "GradientBoostingRegressor" in undeclared
