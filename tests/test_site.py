"""The site: links lead somewhere, docstrings keep their sections, every page has its place; faults are planted."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from privet import errors
from privet.cli import app

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools" / "site"))
pytest.importorskip("griffe")


def part(name: str) -> Any:  # noqa: ANN401 - a module of the tool, which is no package
    return importlib.import_module(name)


complaints = part("checks").complaints
commands_page = part("commands").commands_page
llms_text = part("llms").llms_text
matrix_page = part("matrix").matrix_page
navigation = part("navigation").navigation
pages_of = part("pages")
reference = part("reference")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    made: dict[str, str] = pages_of.gathered(ROOT, tmp_path_factory.mktemp("site"))
    made.update(reference.reference_pages(ROOT / "src"))
    made["reference/commands.md"] = commands_page()
    made["reference/engines.md"] = matrix_page()
    return made


def test_every_page_has_a_heading_and_a_place(pages: dict[str, str]) -> None:
    listed = llms_text(pages)
    assert all(f"]({page})" in listed for page in pages)
    parts = navigation({page: pages_of.title_of(text) for page, text in pages.items()})
    assert [next(iter(each)) for each in parts] == ["Privet", "Tutorials", "How to", "Reference", "Explanation"]
    with pytest.raises(ValueError, match="stands in no part"):
        navigation({"nowhere/else.md": "Lost"})
    assert pages_of.summary_of("# A\n\n* a list\n\nOne [sentence](b.md) here. Another.") == "One sentence here."


def test_the_companion_lists_its_pages_and_says_what_is_wrong(pages: dict[str, str]) -> None:
    index = pages["lecture/index.md"]
    inside = {page.removeprefix("lecture/") for page in pages if page.startswith("lecture/")} - {"index.md"}
    assert len(inside) == 13
    ordered = [page for page in part("navigation").READ_IN_ORDER if page.startswith("lecture/")]
    assert re.findall(r"\]\(([a-z-]+\.md)\)", index)[:13] == [page.removeprefix("lecture/") for page in ordered]
    for page in inside:
        assert index.count(f"]({page})") == 1
        assert ">>> " in pages[f"lecture/{page}"]
        assert "\n## Put right\n" in pages[f"lecture/{page}"]


def test_links_are_led_to_where_pages_stand(tmp_path: Path) -> None:
    for name in ("docs/a/b.md", "docs/c.md", "README.md", "src/x.py", "examples/one_two.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# T")
    text = (
        "[c](../c.md#end) [r](../../README.md) [x\ny](../../src/x.py) [e](../../examples/one_two.py) [w](https://a.b)\n"
    )
    found = pages_of.relinked(text + "```\n[c](../nothing.md)\n```\n", "docs/a/b.md", tmp_path)
    assert found.splitlines()[0] == "[c](../c.md#end) [r](../project/readme.md) x"
    assert "y [e](../gallery/one-two.md) [w](https://a.b)" in found
    assert "[c](../nothing.md)" in found  # code is left as it is
    with pytest.raises(ValueError, match=r"docs/nothing\.md, which is not there"):
        pages_of.relinked("[c](nothing.md)", "docs/c.md", tmp_path)


def test_docstrings_keep_their_sections() -> None:
    found = reference.sections("""One line.

    More.

    Args:
        x: a number,
            at least 0.

    Privacy: it is private
        indeed.
    Not covered: time.

    Example:
        >>> 1
        1
    """)
    assert [each.name for each in found] == ["", "Args", "Privacy", "Not covered", "Example"]
    assert found[0].text == "One line.\n\nMore."
    assert found[2].text == "it is private\nindeed."
    assert found[4].text == ">>> 1\n1"


def test_the_reference_has_every_public_name(pages: dict[str, str]) -> None:
    page = pages["reference/stats.md"]
    assert re.search(r"^## mean$", page, re.MULTILINE)
    assert "**Privacy.**" in page
    assert "```pycon\n>>> " in page
    assert "mean(values: Any, *, bounds: Any" in page
    assert "* `bounds`: " in page
    assert len(re.findall("^## ", pages["reference/loss.md"], re.MULTILINE)) > 30


def test_every_public_name_has_an_example_that_runs() -> None:
    """The examples are run as doctests, where they stand."""
    lacking = [
        name
        for name, found in reference.public_names(ROOT / "src")
        if not found.is_attribute and ">>> " not in (found.docstring.value if found.docstring else "")
    ]
    assert lacking == [], "public names need an example in their docstring"


def test_every_error_says_its_cause_whether_it_was_charged_and_what_to_do(pages: dict[str, str]) -> None:
    page = pages["reference/errors.md"]
    named = [name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)]
    assert len(named) > 15
    for name in named:
        assert f"\n| [`{name}`](#{name.lower()}) | " in page, f"{name} needs Cause, Charged and What to do"
        assert f"\n## {name}\n" in page
    assert "```text\nPrivetError\n├── InvalidParameter" in page


def test_the_page_of_commands_has_them_all(pages: dict[str, str]) -> None:
    page = pages["reference/commands.md"]
    top: Any = typer.main.get_command(app)
    listed = set(top.commands)
    assert {"ask", "serve", "ledger"} <= listed
    assert {line.split()[2] for line in page.splitlines() if line.startswith("## privet ")} == listed
    assert "| 4 | spent, but there is no answer |" in page
    section = page.partition("## privet ledger cap\n")[2].partition("\n## ")[0]
    assert "\n| `--analyst` | " in section
    assert len(re.findall("^## privet ", page, re.MULTILINE)) > 30


def test_the_matrix_says_what_the_tests_refuse(pages: dict[str, str]) -> None:
    page = pages["reference/engines.md"]
    assert "| `LN` | yes | yes | refused |" in page
    assert "| `ABS` | yes | yes | yes |" in page
    assert page.count("| yes | yes | yes |") > 250


def test_planted_faults_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#here">b</a><a href="#top">t</a>')
    (tmp_path / "b.html").write_text('<h2 id="here">B</h2><img src="p.png"><a href="https://a.b/">away</a>')
    (tmp_path / "p.png").write_bytes(b"")
    assert complaints(tmp_path) == []
    (tmp_path / "c.html").write_text(
        '<a href="d.html">d</a><a href="b.html#there">b</a><script src="https://cdn.example/x.js"></script>'
        '<link rel="stylesheet" href="//fonts.example/f.css"><img src="q.png">'
    )
    said = complaints(tmp_path)
    assert len(said) == 5
    assert sum("from elsewhere" in each for each in said) == 2
    assert complaints(tmp_path / "empty") == [f"{tmp_path / 'empty'} has no pages"]


@pytest.mark.soak
def test_the_site_is_built(tmp_path: Path) -> None:
    out = tmp_path / "html"
    command = [sys.executable, str(ROOT / "tools" / "site"), "--no-pictures", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert done.returncode == 0, done.stdout[-2000:]
    assert (out / "sql.md").read_text(encoding="utf-8").startswith("# ")
    assert "](sql.md)" in (out / "llms.txt").read_text(encoding="utf-8")
    assert (out / "index.html").exists()
