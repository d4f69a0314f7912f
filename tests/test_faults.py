"""The faults of tools/mutate still fit the source; `make mutate` shows that the tests notice them."""

import ast
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "mutate"
MODULES = ("copies", "edits", "fault", "mutants")  # a script's neighbors, not packages


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the tool's modules; its folder is on the path only for this test."""
    monkeypatch.syspath_prepend(str(TOOL))
    return {key: value for name in MODULES for key, value in runpy.run_path(str(TOOL / f"{name}.py")).items()}


def test_every_fault_fits_the_source(tool: dict[str, Any]) -> None:
    """One test for all: a row that does not fit is named, with what is wrong about it."""
    wrong = []
    rows = tool["faults"]()
    texts = {fault.file: (ROOT / "src" / "privet" / fault.file).read_text(encoding="utf-8") for fault in rows}
    printed = {file: ast.unparse(ast.parse(text)) for file, text in texts.items()}
    for fault in rows:
        try:
            changed = fault.planted(texts[fault.file]).rstrip() != printed[fault.file]
        except Exception as problem:  # noqa: BLE001 - whatever is wrong with a row, the others are looked at, too
            wrong.append(f"{fault.name}: {problem}")
        else:
            if not changed or not all((ROOT / test.partition("::")[0]).is_file() for test in fault.tests):
                wrong.append(f"{fault.name}: it changes nothing, or its tests are not there")
    assert wrong == [], "update tools/mutate/faults/"
    assert len({fault.name for fault in rows}) == len(rows) > 300


SOURCE = """
LIMIT = 3
class Ledger:
    def release(self, secret):
        if secret.later and not self.paid:
            raise ValueError('pay first')
        self.journal.append(secret.loss)
        kept = sorted(secret.rows)
        return scaled(kept, by=LIMIT) if len(kept) <= LIMIT else 0
"""
EDITS = [  # in which function, what each edit is given, and what is there then
    ("Ledger.release", "instead('secret.rows', 'secret')", "sorted(secret)"),
    ("Ledger.release", "reworded('pay first', 'pay')", "'pay'"),
    ("Ledger.release", "forget('not self.paid')", "secret.later and True"),
    ("Ledger.release", "forget('kept = sorted(secret.rows)')", "pass"),
    ("Ledger.release", "forget_call('append')", "pass"),
    ("Ledger.release", "never('self.paid')", "if False"),
    ("Ledger.release", "argument('scaled', 'it / 2', 'by')", "by=LIMIT / 2"),
    ("Ledger.release", "argument('sorted', 'list(it)')", "sorted(list(secret.rows))"),
    ("Ledger.release", "compared('<=', '<')", "len(kept) < LIMIT"),
    ("Ledger.release", "returned('None')", "return None"),
    ("Ledger.release", "returns('secret')", "return secret"),
    ("Ledger.release", "assigned('kept', 'it[:1]')", "sorted(secret.rows)[:1]"),
    ("LIMIT", "instead('3', '4')", "LIMIT = 4"),
]
WRONG = [
    ("Ledger.release", "instead('kept', '3')", "'kept' is found 3 times"),
    ("Ledger.release", "argument('sorted', 'it', 1)", "sorted is not given 1"),
    ("Ledger.gone", "returns('3')", "0 definitions are called Ledger.gone"),
    ("LIMIT", "returns('3')", "is no function"),
    ("LIMIT", "remove('3')", "is no edit"),
]


def test_an_edit_changes_one_place(tool: dict[str, Any]) -> None:
    for function, edit, after in EDITS:
        changed = tool["Fault"]("a name", "a_file.py", function, edit, ()).planted(SOURCE)
        assert after in changed, edit
        assert after not in ast.unparse(ast.parse(SOURCE)), edit


def test_an_edit_that_does_not_fit_says_why(tool: dict[str, Any]) -> None:
    for function, edit, problem in WRONG:
        fault = tool["Fault"]("a name", "a_file.py", function, edit, ())
        with pytest.raises(Exception, match=problem):  # each run of the tool's files has a DoesNotFit of its own
            fault.planted(SOURCE)


def test_rows_are_read_with_their_tests(tool: dict[str, Any]) -> None:
    text = "core/ledger.py\n    one\n        f: returns('1')\n    two\n        g: returns('2')\n        by tests/a.py\n"
    shared = "# a comment\n\nloss/rules.py\n    by tests/b.py tests/c.py\n    three\n        h: returns('3: 4')\n"
    rows = list(tool["read"](text + shared))
    assert [(row.name, row.file, row.function, row.edit) for row in rows] == [
        ("one", "core/ledger.py", "f", "returns('1')"),
        ("two", "core/ledger.py", "g", "returns('2')"),
        ("three", "loss/rules.py", "h", "returns('3: 4')"),
    ]
    assert [row.tests for row in rows] == [
        ("tests/core/test_ledger.py",),
        ("tests/a.py",),
        ("tests/b.py", "tests/c.py"),
    ]


def test_mutants_are_drawn_again_from_their_seed(tool: dict[str, Any]) -> None:
    """Each is another program than its file, and can be compiled; what errors say is left alone."""
    some = tool["drawn"](12, 5, ["core/", "noise/"])
    assert some == tool["drawn"](12, 5, ["core/", "noise/"]) != tool["drawn"](12, 6, ["core/", "noise/"])
    for mutant in some:
        compile(mutant.text, mutant.file, "exec")
        original = ast.parse((ROOT / "src" / "privet" / mutant.file).read_text(encoding="utf-8"))
        assert mutant.text.strip() != ast.unparse(original)
        assert all((ROOT / test).is_file() for test in tool["tests_of"](mutant))
