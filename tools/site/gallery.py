# ruff: noqa: INP001 - part of a script, not of a package
"""The gallery: each example with what it tells, its pictures and its code."""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pages import relinked

LONGEST = 120  # seconds of one example
NOT_STORIES = {"telling", "audit_in_ci"}


def gallery_pages(root: Path, folder: Path, kept: Path, *, draw: bool) -> dict[str, str]:
    """A page for each example, and the list of them; pictures are drawn anew only where a script has changed."""
    scripts = [path for path in sorted((root / "examples").glob("*.py")) if path.stem not in NOT_STORIES]
    if draw:
        with ThreadPoolExecutor(max_workers=2) as pool:
            for failure in pool.map(lambda script: _drawn(root, script, kept), scripts):
                if failure:
                    raise RuntimeError(failure)
    pages = {f"gallery/{path.stem.replace('_', '-')}.md": _page(path, folder, kept) for path in scripts}
    listed = (root / "examples" / "README.md").read_text(encoding="utf-8").replace("# Stories", "# Gallery", 1)
    listed = relinked(listed, "examples/README.md", root)
    for path in scripts:
        name = path.stem.replace("_", "-")
        listed = listed.replace(f"| `{path.name}` |", f"| [`{path.name}`]({name}.md) |")
    pages["gallery/index.md"] = listed
    rest = (root / "examples" / "audit_in_ci.py").read_text(encoding="utf-8")
    pages["gallery/audit-in-ci.md"] = f"# Audit in your own CI\n\n```python\n{rest.rstrip()}\n```\n"
    return pages


def _page(path: Path, folder: Path, kept: Path) -> str:
    code = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(code)) or path.stem
    title, _, rest = docstring.partition("\n")
    lines = [f"# {title.rstrip('.')}", "", rest.strip(), ""]
    for picture in sorted((kept / path.stem).glob("*.svg")):
        copied = folder / "gallery" / "pictures" / picture.name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, copied)
        lines += [f"![{title.rstrip('.')}](pictures/{picture.name})", ""]
    said = kept / path.stem / "said.txt"
    if said.exists():
        lines += ["What it prints:", "", "```text", said.read_text(encoding="utf-8").rstrip(), "```", ""]
    return "\n".join([*lines, "The script:", "", "```python", code.rstrip(), "```", ""])


def _drawn(root: Path, script: Path, kept: Path) -> str:
    """Run a script if it has changed since it was drawn; what went wrong, if anything."""
    mark = hashlib.sha256(script.read_bytes()).hexdigest()
    folder = kept / script.stem
    if (folder / "mark").exists() and (folder / "mark").read_text(encoding="utf-8") == mark:
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    takes = "folder_for_pictures" in script.read_text(encoding="utf-8")
    command = [sys.executable, str(script), *(["--out", str(folder)] if takes else [])]
    paths = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1", "COLUMNS": "100"}
    try:
        done = subprocess.run(  # noqa: S603 - our own examples
            command, capture_output=True, text=True, check=False, timeout=LONGEST, env=paths, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return f"{script.name} took longer than {LONGEST} s"
    if done.returncode:
        return f"{script.name} failed: {done.stderr.strip().splitlines()[-1:]}"
    said = done.stdout.replace(str(folder), "pictures")
    (folder / "said.txt").write_text(said, encoding="utf-8")
    (folder / "mark").write_text(mark, encoding="utf-8")
    return ""
