"""The tutorials run as they are printed, pasted from end to end in an empty folder."""

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from privet.cli import app

pytestmark = pytest.mark.whole

PAGES = Path(__file__).parents[1] / "docs" / "tutorials"
FILES = ("cp", "mkdir", "mv")  # commands that a page may use beside ours
BLOCK = re.compile(r"^```(python|console|toml|text ends)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIGITS = re.compile(r"[0-9][0-9.,:]*(?:e-?[0-9]+)?")


def typed(line: str) -> tuple[list[str], bool]:
    """The words of a command, and whether the page says that it is refused."""
    command, _, remark = line.removeprefix("$ ").partition("   #")
    words = shlex.split(command)
    assert words[0] == "privet"
    return words[1:], "refused" in remark


def alike(text: str) -> str:
    """What a screen says, whatever its numbers, its spaces and its lines."""
    return " ".join(re.sub("[─┏┓┗┛━┳┡┩╇]", "", DIGITS.sub("#", text)).split())


def paste(page: str, *, columns: int = 200) -> list[str]:
    """Everything the commands of a page say, on a screen of so many columns."""
    said: list[str] = []
    names: dict[str, Any] = {}
    for kind, block in BLOCK.findall(page):
        if kind == "python":
            exec(compile(block, "the tutorial", "exec"), names)  # noqa: S102 - our own page
        elif kind == "toml":
            Path("people.toml").write_text(block, encoding="utf-8")
        elif kind == "text ends":
            assert alike(said[-1]).endswith(alike(block)), (said[-1], block)
        else:
            for line in block.splitlines():
                if not line.startswith("$ "):
                    assert said[-1].strip() == line  # what the page shows is what is said
                    continue
                if line.split()[1] in FILES:
                    subprocess.run(shlex.split(line)[1:], check=True)  # noqa: S603 - our own page
                    continue
                words, refused = typed(line)
                done = CliRunner().invoke(app, words, env={"COLUMNS": str(columns)}, catch_exceptions=False)
                assert (done.exit_code != 0) == refused, (line, done.output)
                said.append(done.output)
    return said


def test_the_first_private_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = paste((PAGES / "first-private-table.md").read_text(encoding="utf-8"), columns=100)
    drafted, checked, explained, first, cities, *refused, shown, last, capped = said
    assert "is drafted" in drafted
    assert "Ready: privet ask people.toml" in checked
    assert "costs ε 0.5" in explained
    assert "±" in first
    assert all(city in cities for city in ("Bern", "Basel", "Genf", "Chur"))
    assert "Zermatt" not in cities
    assert all("privet: " in each for each in (*refused, last))
    assert "Promised so far" in shown
    assert "ε=6" in capped


def test_the_first_minute_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (PAGES.parents[1] / "README.md").read_text(encoding="utf-8")
    typed = next(line for line in page.splitlines() if line.startswith("privet demo"))
    assert (
        CliRunner().invoke(app, shlex.split(typed)[1:], env={"COLUMNS": "100"}, catch_exceptions=False).exit_code == 0
    )
    snippet = page.partition("```python\n")[2].partition("```")[0]
    assert "hospital.toml" in snippet
    exec(compile(snippet, "the README", "exec"), {})  # noqa: S102 - our own page


def test_the_first_private_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADULT", raising=False)
    assert paste((PAGES / "first-private-model.md").read_text(encoding="utf-8")) == []
    said = capsys.readouterr().out
    assert "bounds of the features must be declared" in said
    assert "would cost (ε=0.5)-DP for every person" in said
    assert "without privacy, on public rows" in said
    assert "public: " in said
    assert "ε=0.5, δ=0 of (ε=1)-DP" in said
    assert "accuracy 0." in said
    assert "spent ε=0.25 per person" in said
    assert "but ε=0.25, δ=0 remains of the limit" in said


def test_every_tutorial_is_pasted() -> None:
    assert {page.name for page in PAGES.glob("*.md")} == {"first-private-table.md", "first-private-model.md"}
