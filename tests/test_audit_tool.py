"""What `make audit` does, on one subject of each part, and on two that break their claim."""

import importlib.util
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from privet.loss import Guarantee
from privet.mechanisms import Laplace
from privet.noise.for_tests import seeded_entropy_for_tests

TOOL = Path(__file__).parents[1] / "tools" / "audit"
MODULES = ("subject", "page", "parts")  # a script's neighbors, not packages
CHEAP = {"mechanisms": "Laplace(", "protocols": "KaryResponse(", "models": "BetaBernoulli", "reuse": "Laplace("}


@pytest.fixture(name="tool")
def _tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The tool's modules; they are known by their names only for this test."""
    monkeypatch.syspath_prepend(str(TOOL))
    kept = {name: sys.modules.pop(name) for name in MODULES if name in sys.modules}
    yield {**{name: importlib.import_module(name) for name in MODULES}, "script": _script()}
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.modules.update(kept)


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit_script", TOOL / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_contract_is_found(tool: dict[str, Any]) -> None:
    """So many there were at least; names differ, so that what is kept is not mixed up."""
    least = {"mechanisms": 100, "protocols": 30, "statistics": 40, "aggregates": 20, "models": 30}
    for part, number in least.items():
        names = [subject.name for subject in tool["parts"].PARTS[part]()]
        assert len(names) >= number, part
        assert len(set(names)) == len(names)


def test_one_of_each_part_keeps_its_claim(tool: dict[str, Any]) -> None:
    for part, subjects in tool["parts"].PARTS.items():
        subject = next(each for each in subjects() if CHEAP.get(part, "") in each.name)
        row = tool["script"].audited(subject, 0.05)
        assert not row.broken, row
        assert row.trials > 0
        assert row.bound <= row.claimed
        assert tool["page"].table([row]).count("\n") == 2


def test_what_is_broken_is_on_the_page_and_in_the_exit_code(
    tool: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the noise; an audit that was interrupted goes on, and one that has ended begins anew."""
    subject, parts, script = tool["subject"], tool["parts"], tool["script"]
    half, full = Laplace(1, "0.5"), Laplace(1, 1)
    asked: list[str] = []

    def audited(mechanism: Laplace) -> Any:  # noqa: ANN401 - a function
        run = subject.sampled(mechanism, (0.0, 1.0), Guarantee(1))

        def noted(each: Any, budget: float) -> Any:  # noqa: ANN401 - a subject
            asked.append(each.name)
            return run(each, budget)

        return noted

    found = [
        subject.Subject("mechanisms", "half | noise", audited(half)),
        subject.Subject("mechanisms", "right", audited(full)),
    ]
    monkeypatch.setattr(parts, "PARTS", {"mechanisms": lambda: iter(found)})
    monkeypatch.setattr(script, "PARTS", parts.PARTS)
    page, kept = tmp_path / "page.md", tmp_path / "kept" / "rows.jsonl"
    monkeypatch.setattr(sys, "argv", ["audit", "--minutes", "0.02", "--page", str(page), "--kept", str(kept)])
    assert script.main() == 1
    text = page.read_text(encoding="utf-8")
    assert "1 violate their claim: half | noise" in text
    assert "| half ¦ noise |" in text
    assert "**violated**" in text
    assert "[2/2] ✓ mechanisms: right" in capsys.readouterr().out
    lines = kept.read_text(encoding="utf-8").splitlines()
    kept.write_text(lines[0] + "\n", encoding="utf-8")  # as if it had ended after the first
    assert script.main() == 1
    assert asked == ["half | noise", "right", "right"]
    found.pop(0)
    assert script.main() == 0
    assert asked[3:] == ["right"]


def test_noise_of_one_seed_is_found(tool: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    parts = tool["parts"]
    subject = next(each for each in parts.reuse() if "Laplace(" in each.name)
    monkeypatch.setattr(parts, "Entropy", lambda: seeded_entropy_for_tests(1))
    row = subject.run(subject, 0.1)
    assert row.broken
    assert math.isinf(row.claimed)
    assert "noise is used twice" in row.verdict
