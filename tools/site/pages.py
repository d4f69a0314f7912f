# ruff: noqa: INP001 - part of a script, not of a package
"""Pages that stand in the repository, with links that hold on the site."""

import posixpath
import re
import shutil
from pathlib import Path

PROJECT = {
    "README.md": "project/readme.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "examples/README.md": "gallery/index.md",
}
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
STATIC = {".png", ".svg", ".txt", ".csv", ".json"}


def gathered(root: Path, folder: Path) -> dict[str, str]:
    """Every page of docs/ and of the project, by its path on the site; pictures are copied into the folder."""
    sources = {path.relative_to(root).as_posix(): path for path in sorted((root / "docs").rglob("*.md"))}
    sources |= {name: root / name for name in PROJECT}
    for path in sorted((root / "docs").rglob("*")):
        if path.suffix in STATIC:
            copied = folder / path.relative_to(root / "docs")
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copied)
    return {
        place(name): relinked(path.read_text(encoding="utf-8"), name, root)
        for name, path in sources.items()
        if name != "examples/README.md"
    }


def place(name: str) -> str:
    """Where a file of the repository stands on the site."""
    return PROJECT.get(name, name.removeprefix("docs/"))


def relinked(text: str, name: str, root: Path) -> str:
    """The page with each link to a file of the repository led to where that stands; what is not there is only named."""
    parts = FENCED.split(text)  # prose and fenced code in turn
    prose = (LINK.sub(lambda found: _link(found, name, root), part) for part in parts[::2])
    return "".join(part for pair in zip(prose, [*parts[1::2], ""], strict=True) for part in pair)


def _link(found: re.Match[str], name: str, root: Path) -> str:
    target = found["target"]
    if re.match(r"[a-z]+:|#", target):
        return found[0]
    path, _, anchor = target.partition("#")
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    there = standing(meant, root)
    if there is None:
        return found["text"]
    led = posixpath.relpath(there, posixpath.dirname(place(name)) or ".")
    return f"{found['image']}[{found['text']}]({led}{'#' + anchor if anchor else ''})"


def standing(meant: str, root: Path) -> str | None:
    """The place on the site of a path in the repository, if it has one."""
    if not (root / meant).exists():
        raise ValueError(f"a page links to {meant}, which is not there")
    if meant in PROJECT:
        return PROJECT[meant]
    if meant.startswith("docs/") and Path(meant).suffix in {".md", *STATIC}:
        return meant.removeprefix("docs/")
    if meant.startswith("examples/") and meant.endswith(".py") and Path(meant).name != "telling.py":
        return f"gallery/{Path(meant).stem.replace('_', '-')}.md"
    return None


def title_of(text: str) -> str:
    """The first heading of a page."""
    found = re.search(r"^# +(.+)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"a page has no heading: {text[:80]!r}")
    return re.sub(r"[`*]", "", LINK.sub(lambda link: link["text"], found[1]))


def summary_of(text: str) -> str:
    """The first sentence after the heading, in one line without links."""
    body = re.sub(r"^# .*$", "", text, count=1, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n", body):
        plain = " ".join(LINK.sub(lambda link: link["text"], block).split())
        if plain and not plain.startswith(("#", "|", "`", "<", "!", "-", "*", ">")):
            return plain.split(". ")[0].rstrip(".:") + "."
    return ""
