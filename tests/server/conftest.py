"""What the tests of the server share."""

from collections.abc import Iterator

import pytest

from tests.support.postgres import MISSING, server


@pytest.fixture(scope="session")
def server_address() -> Iterator[str]:
    """The address of a real PostgreSQL."""
    with server() as address:
        if address is None:
            pytest.skip(MISSING)
        yield address
