"""Where tests get their bits, and how hard hypothesis tries."""

import os
import signal
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import settings

from privet.noise import BitSource, Entropy
from privet.noise.for_tests import seeded_entropy_for_tests

settings.register_profile("check", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("soak", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))


LONGEST = 60  # letters of a parameter in the name of a test


def pytest_make_parametrize_id(val: object) -> str | None:
    """Cut the names of tests of long texts: some are of 100,000 letters, and are printed and sent to every worker."""
    if isinstance(val, str) and len(val) > LONGEST:
        return val[:LONGEST].encode("unicode_escape").decode("ascii")
    if isinstance(val, bytes) and len(val) > LONGEST:
        return repr(val[:LONGEST])
    return None


@pytest.fixture
def source(request: pytest.FixtureRequest) -> BitSource:
    """Bits that are the same on every run, one stream a test; `make soak` takes them from the OS instead."""
    if os.environ.get("PRIVET_TEST_ENTROPY") == "os":
        return Entropy()
    return seeded_entropy_for_tests(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture
def control_c() -> Iterator[None]:
    """Let a test be interrupted: the workers of a test run ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
