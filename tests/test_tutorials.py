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
BLOCK = re.compile(r"^```(python|console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def typed(line: str) -> tuple[list[str], bool]:
    """The words of a command, and whether the page says that it is refused."""
    command, _, remark = line.removeprefix("$ ").partition("   #")
    words = shlex.split(command)
    assert words[0] == "privet"
    return words[1:], "refused" in remark


def paste(page: str) -> list[str]:
    """Everything the commands of a page say."""
    said: list[str] = []
    names: dict[str, Any] = {}
    for kind, block in BLOCK.findall(page):
        if kind == "python":
            exec(compile(block, "the tutorial", "exec"), names)  # noqa: S102 - our own page
        elif kind == "toml":
            Path("people.toml").write_text(block, encoding="utf-8")
        else:
            for line in block.splitlines():
                if not line.startswith("$ "):
                    assert said[-1].strip() == line  # what the page shows is what is said
                    continue
                if line.split()[1] in FILES:
                    subprocess.run(shlex.split(line)[1:], check=True)  # noqa: S603 - our own page
                    continue
                words, refused = typed(line)
                done = CliRunner().invoke(app, words, env={"COLUMNS": "200"}, catch_exceptions=False)
                assert (done.exit_code != 0) == refused, (line, done.output)
                said.append(done.output)
    return said


def test_the_first_private_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = paste((PAGES / "first-private-table.md").read_text(encoding="utf-8"))
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


def test_every_tutorial_is_pasted() -> None:
    assert {page.name for page in PAGES.glob("*.md")} == {"first-private-table.md"}
