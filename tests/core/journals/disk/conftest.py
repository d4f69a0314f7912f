"""The shim, and processes that are started with it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.journals.disk.shim import MISSING, compiled, compiler

Started = Callable[..., list[dict[str, Any]]]  # takes a module to run and what it is asked, gives what it found


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Started:
    """Run a module of this folder in a process of its own, between which and the kernel the shim stands."""
    if sys.platform != "linux" or compiler() is None:
        pytest.skip(MISSING)
    shim = compiled(tmp_path_factory.mktemp("shim"))

    def run(module: str, *asked: dict[str, Any]) -> list[dict[str, Any]]:
        command = [sys.executable, "-m", f"tests.core.journals.disk.{module}", json.dumps(asked)]
        done = subprocess.run(  # noqa: S603 - our own
            command,
            env=os.environ | {"LD_PRELOAD": str(shim), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            cwd=Path(__file__).parents[4],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        summaries: list[dict[str, Any]] = json.loads(done.stdout)
        return summaries

    return run
