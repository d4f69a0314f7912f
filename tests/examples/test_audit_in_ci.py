"""The check for a repository: 0 where claims are kept, and 1 where one is broken."""

import runpy
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.whole

SCRIPT = Path(__file__).parents[2] / "examples" / "audit_in_ci.py"


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_what_is_right_passes(script: dict[str, Any]) -> None:
    assert script["main"]() == 0


def test_one_broken_claim_fails_the_check(script: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    script["AUDITS"][0]["claim"] = "epsilon=1/2"
    assert script["main"]() == 1
    assert "violates the claim" in capsys.readouterr().out
