"""One door for all tests of this folder that need one."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.support.wire_server import Served, served, wire_hospital


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(wire_hospital(tmp_path_factory.mktemp("wire"))) as found:
        yield found


@pytest.fixture
def client(server: Served) -> Iterator[psycopg.Connection]:
    with psycopg.connect(server.address(), autocommit=True) as found:
        yield found
