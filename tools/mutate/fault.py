# ruff: noqa: INP001 - a script, not a package
"""Fault: what is planted. The faults of this folder stand in `faults/*.txt`, and are read here.

core/ledger.py                                  a file under src/privet
    by tests/core/test_ledger.py                the tests that must notice; its mirror file, if nothing is said
    ledger: a failed run is refunded            what goes wrong
        Ledger._draw: forget_call("charge")     in which function, and an edit of `edits.py`
        by tests/core/test_release.py           other tests, for this fault alone
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import edits

FOLDER = Path(__file__).parent / "faults"
ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "privet"
EDITS = {
    each.__name__: each
    for each in (
        edits.argument,
        edits.assigned,
        edits.compared,
        edits.forget,
        edits.forget_call,
        edits.instead,
        edits.never,
        edits.returned,
        edits.returns,
        edits.reworded,
    )
}


@dataclass(frozen=True)
class Fault:
    """One planted fault: what goes wrong, in which file and function, the edit, and the tests that must notice."""

    name: str
    file: str
    function: str
    edit: str
    tests: tuple[str, ...]

    def planted(self, text: str) -> str:
        """The file's text with the fault in it.

        Raises:
            DoesNotFit: The function is not there, or the edit finds nothing or more than one place.
        """
        return edits.edited(text, self.function, edit_of(self.edit))


def edit_of(text: str) -> edits.Edit:
    """The edit that a row names: a function of `edits.py` and its arguments, which are plain values."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in EDITS:
        raise edits.DoesNotFit(f"{text} is no edit: use one of {', '.join(EDITS)}")
    made: edits.Edit = EDITS[call.func.id](*(ast.literal_eval(each) for each in call.args))
    return made


def mirror(file: str) -> str:
    """The test file that mirrors a file of the source."""
    path = Path(file)
    return (Path("tests") / path.with_name(f"test_{path.name}")).as_posix()


def faults() -> tuple[Fault, ...]:
    """All faults that are planted, in the order of their files."""
    return tuple(fault for path in sorted(FOLDER.glob("*.txt")) for fault in read(path.read_text(encoding="utf-8")))


def read(text: str) -> Iterator[Fault]:
    """The faults of one text, see above."""
    file = name = ""
    shared: tuple[str, ...] = ()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        depth = len(line) - len(line.lstrip())
        words = line.strip()
        if depth == 0:
            file = words
            shared = _tests(below, 4) or (mirror(file),)
        elif depth == 4 and not _tests(line, 4):  # noqa: PLR2004 - one step
            name = words
        elif depth == 8 and not _tests(line, 8):  # noqa: PLR2004 - two steps
            function, _, edit = words.partition(": ")
            yield Fault(name, file, function, edit, _tests(below, 8) or shared)


def _tests(line: str, depth: int) -> tuple[str, ...]:
    before = " " * depth + "by "
    return tuple(line.removeprefix(before).split()) if line.startswith(before) else ()
