"""Where torch is missing: one sentence says what to install, and everything else works."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

BLOCKED = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Missing())
import privet.learn
print(len(privet.learn.__all__) > 0)
try:
    import privet.learn.torch
except ModuleNotFoundError as problem:
    print(problem)
"""


def test_one_sentence_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    assert done.stdout.splitlines() == [
        "True",
        "privet.learn.torch needs torch: install it with pip install 'privet[torch]'",
    ]


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: tests/learn/torch were not collected")
def test_users_own_networks_are_tested() -> None:
    from tests.learn.torch import conftest  # noqa: PLC0415 - as above

    assert not conftest.collect_ignore_glob
