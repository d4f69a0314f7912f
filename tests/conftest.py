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

SAMPLED = ("test_the_sampler_follows_the_law", "test_an_audit_never_exceeds_the_claim")  # of every mechanism
WHOLE = (  # tests of parts together, and those that draw many samples: `make check` leaves them to `make test`
    "tests/cli/test_ask.py",
    "tests/cli/test_catalog.py",
    "tests/core/journals/test_anchor_",
    "tests/core/journals/test_postgres",
    "tests/core/journals/disk/",
    "tests/core/journals/test_crash",
    "tests/core/journals/test_interrupts.py",
    "tests/core/journals/test_signals.py",
    "tests/core/journals/test_turns.py",
    "tests/examples/",
    "tests/golden/test_attacks.py",
    "tests/golden/test_thesis.py",
    "tests/loss/test_total.py",
    "tests/mechanisms/test_sample_and_aggregate.py",
    "tests/noise/test_around.py",
    "tests/noise/test_laws.py",
    "tests/noise/test_staircase.py",
    "tests/query/engines/",
    "tests/query/measures/test_automatic_bounds.py",
    "tests/query/test_bad_input.py",
    "tests/query/test_batch.py",
    "tests/query/test_connect.py",
    "tests/query/backends/test_engine_faults.py",
    "tests/query/falsification/",
    "tests/query/test_falsification.py",
    "tests/query/test_golden.py",
    "tests/query/test_load.py",
    "tests/query/test_neighbors.py",
    "tests/query/second_price/test_price_check.py",
    "tests/query/test_session.py",
    "tests/query/backends/duckdb/test_spill_folder.py",
    "tests/query/test_threads.py",
    "tests/stats/cells/test_cell_margins.py",
    "tests/stats/sums/test_margins.py",
    "tests/test_demo.py",
    "tests/test_how_to.py",
    "tests/test_tutorials.py",
)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests that run parts together or draw many samples, and those that need the one Spark of a test run."""
    if item.nodeid.startswith("tests/query/engines/") and "spark" in item.nodeid:
        item.add_marker(pytest.mark.xdist_group("spark"))
    if item.nodeid.startswith(WHOLE) or item.name.startswith(SAMPLED):
        item.add_marker(pytest.mark.whole)


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
