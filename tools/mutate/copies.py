# ruff: noqa: INP001 - a script, not a package
"""Copies: the tests of a file, run on a copy of the project with a fault in it. The working tree is only read."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "docs", "examples", "tools", "pyproject.toml")  # tests run what pages print, and plant faults
TIMEOUT = 600  # seconds; a fault that makes the tests hang is noticed, too
FAILED = (1, 2)  # what pytest returns when tests fail, or when they cannot even be collected


class Outcome(NamedTuple):
    """What pytest returned and said."""

    code: int
    said: str

    @property
    def noticed(self) -> bool:
        """Whether a test failed."""
        return self.code in FAILED

    def first_failure(self) -> str:
        """The test that noticed, so that a reader can judge whether it did for the right reason."""
        lines = [line for line in self.said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        last = self.said.strip().splitlines()[-1:]
        return (lines or last or [""])[0].partition(" - ")[0][:140]


class Copies:
    """Copies of the project: one that is compiled, and one for each fault that shares its files as hard links."""

    def __init__(self) -> None:
        self._holder = tempfile.TemporaryDirectory()
        self._first = Path(self._holder.name) / "first"
        _copy_to(self._first)

    def run_without(self, tests: Sequence[str]) -> Outcome:
        """Run tests on the untouched copy: they must pass, else every fault would seem noticed."""
        return _pytest_in(self._first, tuple(dict.fromkeys(tests)), None, {})

    def run_with(self, file: str, text: str, tests: Sequence[str]) -> Outcome:
        """Run tests on a copy in which one file of src/privet has another text."""
        with tempfile.TemporaryDirectory(dir=self._holder.name) as folder:
            here = Path(folder) / "copy"
            shutil.copytree(self._first, here, copy_function=os.link)
            changed = here / "src" / "privet" / file
            for old in (changed, *changed.parent.glob(f"__pycache__/{changed.stem}.*")):
                old.unlink()  # the others keep theirs; a compiled file could hide a change made within one second
            changed.write_text(text, encoding="utf-8")
            return _pytest_in(here, tests, TIMEOUT, {"PYTHONDONTWRITEBYTECODE": "1"})

    def __enter__(self) -> Self:
        """Keep the copies until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove all copies."""
        self._holder.cleanup()


def _copy_to(folder: Path) -> None:
    """Copy what the tests need, without compiled files, which the first run makes."""
    folder.mkdir()
    for name in COPIED:
        here = ROOT / name
        there = folder / name
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(here, there)


def _pytest_in(folder: Path, tests: Sequence[str], timeout: float | None, more: Mapping[str, str]) -> Outcome:
    """Run tests in a copy, with the copy's source; stop at the first that fails."""
    ours = {"PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}", **more}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    try:
        done = subprocess.run(  # noqa: S603 - our own tests
            command,
            cwd=folder,
            env={**os.environ, **ours},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(1, "FAILED did not end")
    return Outcome(done.returncode, done.stdout + done.stderr)
