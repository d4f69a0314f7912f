"""Pages that are too large to be run as printed are pasted with fewer rows."""

import asyncio
import os
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from privet.server.agents.hang_in import hang_in
from privet.server.desk import Desk
from privet.server.http.app import make_app
from privet.server.people import People
from privet.server.settings import Settings
from tests.support.postgres import MISSING, server
from tests.support.served import Served, on_a_socket
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


def test_let_an_ai_agent_study_your_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = tmp_path / "privet"
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {sys.path!r}\nfrom privet.cli import app\napp()\n",
        encoding="utf-8",
    )
    command.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    page = (PAGES / "let-an-ai-agent-study-your-data.md").read_text(encoding="utf-8")
    _, capped = paste(re.sub("```python.*?```", "", page, flags=re.DOTALL))
    assert "ε=1" in capped
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(block, "the page", "exec"), names)  # noqa: S102 - our own page
    assert "do_not_conclude" in capsys.readouterr().out
    assert names["tables"]["dataset"] == "hospital"
    assert names["price"]["columns"][1]["expected_margin"].endswith("0.5 in 2,000 rows")
    assert [names[each]["charged"] for each in ("answer", "again", "rows", "greedy")] == ["yes", *["nothing"] * 3]
    assert [names[each]["status"] for each in ("rows", "greedy")] == ["refused", "waits_for_owner"]
    assert names["budget"]["remaining"]["epsilon"] == "0.8"
    with closing(People.open("sqlite:///hospital/hospital.people.db")) as people:
        token, settings = people.make_token("helper", label="far away"), Settings()
        desk = Desk.open("hospital/hospital.toml", people=people, settings=settings)
        with closing(desk):
            app = make_app(desk, people, settings)
            hang_in(app, desk, people, settings)
            with on_a_socket(Served(app, desk, people, settings, {})) as address:
                *_, answer, again, _, _, budget = asyncio.run(names["study_far_away"](f"{address}/mcp", token))
    assert (answer["repeated"], answer["rows"]) == (True, names["answer"]["rows"])  # one analyst, one history
    assert again["charged"] == "nothing"
    assert budget["spent"] == names["budget"]["spent"]
