"""A page of docs/how-to that adds something to Privet: its code is put into a copy, where tests are run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "how-to"
Place = tuple[str, str]  # a file, and what stands right behind the block there; "" where the block is the whole file


def blocks(page: str, *languages: str) -> list[str]:
    """What a page prints in these languages, in order."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def copy_with(copy: Path, page: str, places: Sequence[Place]) -> None:
    """Make a copy of Privet in which every block of a page, but for its examples, is where the page says."""
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "docs").mkdir()
    for name in ("docs/sql.md", "pyproject.toml"):
        shutil.copy(ROOT / name, copy / name)
    for block, (file, behind) in zip(blocks(page, "python", "markdown", "text"), places, strict=True):
        put(copy / file, block, behind)


def put(file: Path, block: str, behind: str) -> None:
    """Write a block before the last place where this stands in a file, in the same line unless a line begins there."""
    if not behind:
        file.parent.mkdir(exist_ok=True)
        file.write_text(block, encoding="utf-8")
        return
    before, found, after = file.read_text(encoding="utf-8").rpartition(behind)
    assert found, f"{behind!r} is not in {file.name}"
    inline = before[-1:] != "\n" and behind[0] != "\n"
    file.write_text(before + (block.removesuffix("\n") if inline else block) + found + after, encoding="utf-8")


def said_by_tests(copy: Path, *words: str) -> str:
    """What the tests of a copy say."""
    return run(copy, copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", *words)


def run(copy: Path, folder: Path, *words: str) -> str:
    """What Python prints, with the Privet of a copy."""
    command = [sys.executable, *words]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout  # noqa: S603 - our own


def asked(copy: Path, folder: Path, page: str) -> tuple[str, str]:
    """What the script at the end of a page (python run) prints with the Privet of a copy; and what the page says."""
    (script,) = blocks(page, "python run")
    (printed,) = blocks(page, "output")
    (folder / "ask.py").write_text(script, encoding="utf-8")
    return run(copy, folder, "ask.py"), printed
