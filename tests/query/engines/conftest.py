"""Engines: all of this folder is left to `make test`, and one process alone starts a Spark."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of this folder, in one place: every file of it starts a server or a cluster, or may."""
    item.add_marker(pytest.mark.whole)
    if "spark" in item.nodeid:
        item.add_marker(pytest.mark.xdist_group("spark"))
