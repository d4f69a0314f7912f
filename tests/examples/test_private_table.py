"""examples/private_table.py runs as a reader would run it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]


def test_it_prints_answers_refusals_and_the_receipt() -> None:
    script = [sys.executable, str(ROOT / "examples" / "private_table.py")]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=120, env=environment)  # noqa: S603 - our own
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for text in ("costs ε 1", "±", "Basel", "Genf", "groups are private", "only a SELECT", "spent ε=3, δ=1e-6"):
        assert text in done.stdout
    assert "Zermatt" not in done.stdout
