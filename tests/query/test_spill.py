"""SpillFolder: removed when it is closed, forgotten or left behind; never while somebody uses it."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from privet.query.backends.duckdb.spill import LOCK, PREFIX, SpillFolder

USING = """
import time
from privet.query.backends.duckdb.spill import SpillFolder
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
