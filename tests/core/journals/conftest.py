"""Where the journals under test live."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.journals.anchored_place import Place
from tests.support.postgres import MISSING, server

MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - a disk in memory, where there is one: fsync costs nothing there

NUMBERS = itertools.count()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of its own, on a disk in memory where there is one."""
    if not MEMORY_DISK.is_dir():
        yield tmp_path
        return
    made = Path(tempfile.mkdtemp(prefix="privet-", dir=MEMORY_DISK))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """The address of a real PostgreSQL."""
    with server() as address:
        if address is None:
            pytest.skip(MISSING)
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, folder: Path) -> Place:
    """Where there is no ledger yet, nor its anchor, on SQLite and PostgreSQL."""
    (folder / "volume").mkdir()
    anchor = folder / "volume" / "anchor"
    if request.param == "sqlite":
        return Place(f"sqlite:///{folder}/ledger.db", anchor)
    return Place(f"{request.getfixturevalue('database')}&ledger=anchored_{next(NUMBERS)}", anchor)
