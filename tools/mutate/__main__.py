# ruff: noqa: INP001 - a script, not a package
"""Plant faults one at a time into a copy of the source, and see whether the tests notice.

    python tools/mutate                 every fault
    python tools/mutate laplace ledger  those whose name or file holds one of these words
    python tools/mutate --jobs 2        two at a time
    python tools/mutate --list          names only

Exit code 1 if a fault is missed, if its old text no longer occurs exactly once, if it is not Python, or if the tests
fail without it. The working tree is only read.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fault import Fault
from faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "docs", "examples", "pyproject.toml")  # tests run what pages print
TIMEOUT = 600  # seconds; a fault that makes the tests hang is noticed, too
NOTICED = (1, 2)  # what pytest returns when tests fail, or when they cannot even be collected


def main() -> int:
    """Run the chosen faults, print a line for each, and return the exit code."""
    options = parsed()
    chosen = [fault for fault in FAULTS if matches(fault, options.words)]
    if options.list or not chosen:
        say("\n".join(fault.name for fault in chosen) or "no fault has such a name")
        return 0 if chosen else 1
    sound = tests_pass(chosen)
    if sound:
        with ThreadPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(tried, chosen))
        caught = sum(outcomes)
        say(f"{caught} of {len(chosen)} faults caught")
        sound = caught == len(chosen)
    return 0 if sound else 1


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/mutate", description="Plant faults and see whether tests notice.")
    parser.add_argument("words", nargs="*", help="only faults whose name or file holds one of these words")
    parser.add_argument("--jobs", type=int, default=1, help="how many to try at once")
    parser.add_argument("--list", action="store_true", help="print the names only")
    return parser.parse_args()


def matches(fault: Fault, words: Sequence[str]) -> bool:
    """Whether a fault was asked for."""
    text = f"{fault.name} {fault.file}".lower()
    return not words or any(word.lower() in text for word in words)


def tests_pass(chosen: Sequence[Fault]) -> bool:
    """Whether the tests pass on an untouched copy: else every fault would seem caught."""
    files = tuple(dict.fromkeys(test for fault in chosen for test in fault.tests))
    with tempfile.TemporaryDirectory() as folder:
        copy_to(Path(folder))
        code, said = pytest_in(Path(folder), files, timeout=None)
    if code:
        say(f"the tests fail without any fault:\n{said}")
    return code == 0


def tried(fault: Fault) -> bool:
    """Plant one fault, run its tests, and say what happened."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy_to(Path(folder))
        problem = plant(fault, Path(folder))
        code, said = (-1, problem) if problem else pytest_in(Path(folder), fault.tests)
    word = "caught" if code in NOTICED else "MISSED" if code == 0 else "BROKEN"
    say(f"{word}  {time.monotonic() - began:5.1f} s  {fault.name:50}  {first_failure(said)}")
    return code in NOTICED


def copy_to(folder: Path) -> None:
    """Copy what the tests need, without compiled files: they could hide a change made within one second."""
    for name in COPIED:
        here, there = ROOT / name, folder / name
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(here, there)


def plant(fault: Fault, folder: Path) -> str:
    """Write the fault into the copy; return what is wrong with it, or nothing."""
    path = folder / "src" / "privet" / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        return f"its old text occurs {text.count(fault.old)} times in {fault.file}: update tools/mutate/faults.py"
    text = text.replace(fault.old, fault.new)
    try:
        compile(text, fault.file, "exec")
    except SyntaxError as problem:
        return f"its new text is not Python: {problem}"
    path.write_text(text, encoding="utf-8")
    return ""


def pytest_in(folder: Path, tests: Sequence[str], timeout: float | None = TIMEOUT) -> tuple[int, str]:
    """Run tests in a copy, with the copy's source; stop at the first that fails."""
    ours = {"PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
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
        return 1, "FAILED did not end"
    return done.returncode, done.stdout + done.stderr


def first_failure(output: str) -> str:
    """The test that noticed, so that a reader can judge whether it did for the right reason."""
    lines = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    found = lines[0].partition(" - ")[0] if lines else output.strip().splitlines()[-1] if output.strip() else ""
    return found[:140]


def say(text: str) -> None:
    """Print at once, whole lines only."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
