# ruff: noqa: INP001 - part of a script, not of a package
"""The door to the site generator: pages and a navigation in, HTML out, warnings told."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from navigation import Entry

COLORS = re.compile(r"\x1b\[[0-9;]*m")
SETTINGS = """
[project]
site_name = "Privet"
site_description = "Let others learn from data about people without exposing anyone"
docs_dir = "docs"
site_dir = "html"
use_directory_urls = false
copyright = "Apache License 2.0"
extra_css = ["privet.css"]
nav = {nav}

[project.markdown_extensions.attr_list]
[project.markdown_extensions.tables]
[project.markdown_extensions.toc]
permalink = true
[project.markdown_extensions.pymdownx.highlight]
anchor_linenums = false
[project.markdown_extensions.pymdownx.superfences]

[project.theme]
font = false
language = "en"
features = [
    "content.code.copy",
    "navigation.indexes",
    "navigation.sections",
    "navigation.tabs",
    "navigation.top",
    "search.highlight",
    "toc.follow",
]

[project.theme.icon]
logo = "lucide/fence"

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Switch to dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Switch to light"
"""

# The page at hand is told from others by its weight; the generator's own color for it is too pale to be read by all.
STYLE = """.md-nav__link--active, .md-nav__link--active .md-ellipsis {
  color: var(--md-default-fg-color) !important;
  font-weight: 700;
}
.md-typeset td > a > code {
  overflow-wrap: normal;
  word-break: normal;
}
"""


def built(pages: dict[str, str], out: Path, nav: list[Entry]) -> list[str]:
    """Write the pages beside what is there, build them, and return what the generator warned of."""
    folder = Path(__file__).parents[2] / "build" / "site"
    for name, text in pages.items():
        page = folder / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    (folder / "docs" / "privet.css").write_text(STYLE, encoding="utf-8")
    (folder / "zensical.toml").write_text(SETTINGS.format(nav=_toml(nav)), encoding="utf-8")
    shutil.rmtree(folder / "html", ignore_errors=True)
    done = subprocess.run(  # noqa: S603 - the generator of this environment
        [str(Path(sys.executable).parent / "zensical"), "build", "--clean"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    said = COLORS.sub("", done.stdout + done.stderr)
    if done.returncode or "Warning" in said or re.search(r"\d+ issues? found", said):
        return said.splitlines()
    if out != folder / "html":
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder / "html", out)
    return []


def _toml(entries: list[Entry]) -> str:
    """The navigation as TOML: a list of tables with one key."""

    def item(value: "str | list[Entry]") -> str:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _toml(value)

    inside = (
        f"{{ {json.dumps(key, ensure_ascii=False)} = {item(value)} }}"
        for each in entries
        for key, value in each.items()
    )
    return f"[{', '.join(inside)}]"
