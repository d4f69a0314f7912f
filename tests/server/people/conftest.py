"""Where the people under test are kept."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from privet.server.people import People
from privet.server.people.password import Work

NUMBERS = itertools.count()
QUICK = Work(16, 8, 1)  # a real hash takes half a second


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    """Where there is nobody yet."""
    if request.param == "memory":
        return None
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/people.db"
    found = request.getfixturevalue("server_address")
    return f"{found}{'&' if '?' in found else '?'}people=people_{next(NUMBERS)}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(clock: Clock) -> Iterator[People]:
    """Nobody yet, in memory."""
    opened = People.open(None, work=QUICK, iterations=4096)
    opened._clock = clock
    yield opened
    opened.close()
