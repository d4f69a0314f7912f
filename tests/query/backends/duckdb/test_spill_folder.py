"""Larger than memory: what does not fit is spilled, and removed when it is closed, forgotten or left behind."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

import privet
from privet.errors import InvalidParameter
from privet.query.backends.duckdb.spill_folder import LOCK, PREFIX, SpillFolder
from tests.support.slow_catalogs import WIDE, of_many_people

pytestmark = pytest.mark.whole

USING = """
import time
from privet.query.backends.duckdb.spill_folder import SpillFolder
folder = SpillFolder()
(folder.path / "rows.tmp").write_text("of somebody")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield
    tempfile.tempdir = None


def folders(place: Path) -> list[Path]:
    """The spill folders that are there."""
    return sorted(place.glob(f"{PREFIX}*"))


def test_a_folder_is_the_users_alone_and_removed(tmp_path: Path) -> None:
    folder = SpillFolder()
    assert folders(tmp_path) == [folder.path]
    assert stat.S_IMODE(folder.path.stat().st_mode) == stat.S_IRWXU
    (folder.path / "rows.tmp").write_text("of somebody")
    folder.remove()
    folder.remove()
    assert not folders(tmp_path)


def test_a_folder_that_nobody_closes_is_removed_with_its_owner(tmp_path: Path) -> None:
    folder = SpillFolder()
    del folder
    assert not folders(tmp_path)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", USING], stdout=subprocess.PIPE, text=True)  # noqa: S603 - this file's text
    assert child.stdout is not None
    left = Path(child.stdout.readline().strip())
    mine = SpillFolder()
    assert left in folders(tmp_path), "it is in use"
    mine.remove()
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert folders(tmp_path) == [left], "nobody was there to remove it"
    mine = SpillFolder()
    assert folders(tmp_path) == [mine.path]
    mine.remove()


def test_folders_of_others_stay(tmp_path: Path) -> None:
    other = tmp_path / f"{PREFIX}other"
    other.mkdir()
    linked = tmp_path / f"{PREFIX}linked"
    linked.mkdir()
    (tmp_path / "precious").write_text("a file of somebody's")
    os.symlink(tmp_path / "precious", linked / LOCK)  # noqa: PTH211 - beside the others
    SpillFolder().remove()
    assert folders(tmp_path) == [linked, other], "one has no lock, the other's leads elsewhere"


# --- larger than memory ---------------------------------------------------------------------------------------------


class Watch(threading.Thread):
    """Looks how large what is spilled gets."""

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.place = place
        self.most = 0
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.005):
            sizes = 0
            for file in self.place.glob(f"{PREFIX}*/*.tmp"):
                with suppress(OSError):
                    sizes += file.stat().st_size
            self.most = max(self.most, sizes)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.over.set()
        self.join()


@pytest.mark.parametrize(
    ("people", "memory"), [(400_000, "30MB"), pytest.param(5_000_000, "200MB", marks=pytest.mark.soak)]
)
def test_more_people_than_fit_into_memory(tmp_path: Path, people: int, memory: str) -> None:
    file = of_many_people(tmp_path, people=people)
    with privet.connect(file, memory=memory, threads=1) as session, Watch(tmp_path) as watch:
        (row,) = session.sql(WIDE, epsilon=100).rows
    assert watch.most > 1 << 20, "it was spilled"
    assert not folders(tmp_path), "and removed"
    assert row["s"] == pytest.approx(people * 49.5, rel=0.001)


def test_enough_memory_spills_nothing(tmp_path: Path) -> None:
    """The control: the watch sees nothing where nothing is spilled."""
    file = of_many_people(tmp_path, people=20_000)
    with privet.connect(file, memory="1GB", threads=1) as session, Watch(tmp_path) as watch:
        session.sql(WIDE, epsilon=100)
    assert watch.most == 0


@pytest.mark.parametrize("wrong", [{"memory": "much"}, {"threads": 0}, {"threads": 1.5}])
def test_resources_that_are_none(tmp_path: Path, wrong: dict[str, Any]) -> None:
    file = of_many_people(tmp_path, people=10)
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        privet.connect(file, **wrong)
    assert not folders(tmp_path)


def test_resources_reach_the_engine(tmp_path: Path) -> None:
    file = of_many_people(tmp_path, people=10)
    with privet.connect(file, memory="123MB", threads=1) as session:
        backend: Any = session._backend
        with backend.apart() as twin:
            asked = "SELECT current_setting('threads'), current_setting('memory_limit')"
            assert twin._fetch(asked) == [(1, "117.3 MiB")]
