"""The faults of tools/mutate still fit the source; `make mutate` shows that the tests notice them."""

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "mutate"
MODULES = (
    "fault",
    "faults",
    "query_faults",
    "spark_faults",
    "stats_faults",
    "story_faults",
)  # a script's neighbors, not packages


def _faults() -> tuple[Any, ...]:
    sys.path.insert(0, str(TOOL))
    try:
        rows: tuple[Any, ...] = runpy.run_path(str(TOOL / "faults.py"))["FAULTS"]
    finally:
        sys.path.remove(str(TOOL))
        for name in MODULES:
            sys.modules.pop(name, None)
    return rows


FAULTS = _faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fits_the_source(fault: Any) -> None:  # noqa: ANN401 - a row
    text = (ROOT / "src" / "privet" / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.old) == 1, "update tools/mutate/faults.py: its old text must occur once"
    assert fault.new != fault.old
    compile(text.replace(fault.old, fault.new), fault.file, "exec")
    assert fault.tests
    assert all((ROOT / test.partition("::")[0]).is_file() for test in fault.tests)


def test_names_are_different() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_a_fault_that_does_not_fit_is_said_to_be_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOL))
    tool = runpy.run_path(str(TOOL / "__main__.py"), run_name="tool")
    for name in MODULES:
        sys.modules.pop(name, None)
    there = tmp_path / "src" / "privet" / "errors.py"
    there.parent.mkdir(parents=True)
    there.write_text("one = 1\ntwo = 1\n", encoding="utf-8")
    fault = FAULTS[0]._replace(file="errors.py", new="3")
    assert "occurs 2 times" in tool["plant"](fault._replace(old="1"), tmp_path)
    assert "occurs 0 times" in tool["plant"](fault._replace(old="gone"), tmp_path)
    assert "not Python" in tool["plant"](fault._replace(old="two = 1", new="two ="), tmp_path)
    assert not tool["plant"](fault._replace(old="two = 1", new="two = 2"), tmp_path)
    assert there.read_text(encoding="utf-8") == "one = 1\ntwo = 2\n"
