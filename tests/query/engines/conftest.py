"""Engines: all of this folder is left to `make test`, and one process alone starts a Spark."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from privet.query.backends.sql_engine import SqlEngine
from privet.query.measures.request import Bounded
from privet.query.printing import Sources, print_request
from privet.query.printing.request_statement import split


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of this folder, in one place: every file of it starts a server or a cluster, or may."""
    item.add_marker(pytest.mark.whole)
    if "spark" in item.nodeid:
        item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(autouse=True)
def printed_anew() -> Iterator[None]:
    """Tests share engines and plans, and break dialects: no text that one of them printed serves another."""

    def printed(engine: SqlEngine, request: Bounded, sources: Sources) -> tuple[str, ...]:
        return tuple(print_request(part, engine._dialect, sources) for part in split(request))

    with patch.object(SqlEngine, "_printed", printed):
        yield
