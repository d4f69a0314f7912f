from collections.abc import Iterator

import pytest

from tests.support.served import Served, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    """One server for the tests of a file: they ask different questions, or do not mind."""
    with served() as found:
        yield found
