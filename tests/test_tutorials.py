"""The tutorials run as they are printed, pasted from end to end in an empty folder."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from privet.cli import app
from privet.server.collect import collector_config, open_collector
from privet.server.serve import WebServer, listening
from tests.server.test_serve import serving

pytestmark = pytest.mark.whole
pytest.importorskip("mcp")  # once, before a test takes the streams that it keeps

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


@contextmanager
def collecting(store: str) -> Iterator[str]:
    """`privet collect`, in a thread, and its address."""
    with closing(listening("127.0.0.1", 0)) as http:
        server = WebServer(collector_config(open_collector(store), host="127.0.0.1", port=0, rate=None))
        thread = Thread(target=lambda: asyncio.run(server.serve(sockets=[http])))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def test_the_first_survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    before, asking, after = (PAGES / "first-survey.md").read_text(encoding="utf-8").partition("## 3. A class")
    (made,) = paste(before)
    link = re.search(r"take part {3}http://127\.0\.0\.1:8420/survey/([0-9a-f]{32})", made)
    assert link is not None
    wanted = int(capsys.readouterr().out)
    assert 700 < wanted <= 1000  # the page says that 1,000 are enough
    after = after.replace("range(1000)", "range(100)").replace("4f3a", link[1][:8])
    with collecting("survey.db") as address:
        listed, closed = paste(asking + after.replace("http://127.0.0.1:8420", address))
    assert link[1] in listed
    assert "100 answers" in closed
    assert re.search(r"yes: -?\d+\.\d%, from -?\d+\.\d% to \d+\.\d% \(95 %\)", closed)


def test_the_first_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    begun, serve, rest = (PAGES / "first-server.md").read_text(encoding="utf-8").partition("## 2. Start it")
    made, ask, used = rest.partition("## 4. Ask")
    paste(begun)
    assert "privet serve hospital/hospital.toml --dev" in made
    with serving(tmp_path / "hospital" / "hospital.toml", "--dev") as (_, address, _):
        *_, token = paste(serve + made)
        here = used.replace("privet_…", token.strip()).replace("https://localhost:8443", address)
        (shown,) = paste(ask + here)
    told = capsys.readouterr().out
    assert "ε=0.75" in told  # asked twice, paid once
    assert "would exceed" in told or "remains" in told
    assert "the nightly report" in shown
    assert "nightly" in shown


def test_the_first_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    command = tmp_path / "privet"
    text = f"#!{sys.executable}\nimport sys\nsys.path[:0] = {sys.path!r}\nfrom privet.cli import app\napp()\n"
    command.write_text(text, encoding="utf-8")
    command.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    _, capped, shown = paste((PAGES / "first-agent.md").read_text(encoding="utf-8"))
    assert "0.5" in capped
    told = capsys.readouterr().out
    assert "refused nothing" in told  # the second question
    assert "age by sex" in shown
    assert "how many" not in shown


def test_every_tutorial_is_pasted() -> None:
    """And none stands in the list of tutorials that is not here."""
    told = {f"first-{name}.md" for name in ("private-table", "private-model", "survey", "server", "agent")}
    assert {page.name for page in PAGES.glob("*.md")} == told
