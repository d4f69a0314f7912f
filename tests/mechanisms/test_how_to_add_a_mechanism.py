"""The mechanism of docs/how-to/add-a-mechanism.md: its code runs, and passes the tests printed there."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.contracts.mechanism import MechanismContract

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-mechanism.md"


def run(code: str, name: str) -> dict[str, Any]:
    """Run a file printed on the page as a module of this name, for as long as the tests last."""
    module = sys.modules[name] = ModuleType(name)
    exec(compile(code, str(PAGE), "exec"), module.__dict__)  # noqa: S102 - our own page
    return module.__dict__


MECHANISM, TESTS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
RING: Any = run(MECHANISM, "privet.mechanisms.ring_laplace")["RingLaplace"]
PRINTED = run(TESTS, "tests.mechanisms.test_ring_laplace")
TestContract: type[MechanismContract] = PRINTED["TestContract"]
test_calibration_is_exact = PRINTED["test_calibration_is_exact"]
test_bad_parameters_are_refused = PRINTED["test_bad_parameters_are_refused"]


def test_every_test_of_the_page_is_run_here() -> None:
    assert {name for name in PRINTED if name.startswith(("test_", "Test"))} <= set(globals())


def test_hours_of_the_day() -> None:
    assert RING(size=24, reach=1, scale=2).loss.epsilon(delta=0) == 0.5


def test_the_contract_notices_half_the_noise(source: Any) -> None:  # noqa: ANN401 - bits
    """The page's promise: an author who halves the scale is told so."""

    class Halved(RING):  # type: ignore[misc] # made while the tests run
        def sample(self, value: int, source: Any) -> int:  # noqa: ANN401 - bits
            return int(RING(size=self.size, reach=1, scale=self.scale / 2).sample(value, source))

    example = PRINTED["example"](24, 1, 1.0)
    object.__setattr__(example, "mechanism", Halved(size=24, reach=1, scale=1))
    with pytest.raises(AssertionError):
        MechanismContract().test_the_sampler_follows_the_law_and_no_audit_exceeds_the_claim(example, source)
