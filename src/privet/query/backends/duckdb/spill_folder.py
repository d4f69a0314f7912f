"""SpillFolder: where DuckDB puts what does not fit into memory, removed whatever happens to the process."""

import fcntl
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

PREFIX = "privet-spill-"
LOCK = "in-use"


class SpillFolder:
    """A new folder that only this user can read, for what one engine spills.

    It is removed when the engine is closed. A process that is killed cannot do that; the kernel frees its lock then,
    and the next engine that is opened removes the folder.

    Not covered: what was spilled lies on the disk as it is, not encrypted, until it is removed. TMPDIR says where.
    """

    def __init__(self) -> None:
        _remove_abandoned(Path(tempfile.gettempdir()))
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            lock = _locked(self.path, create=True)
            if lock is not None:
                break
        self.remove = weakref.finalize(self, _remove, self.path, lock)  # also when nobody does, or the process ends


def _remove_abandoned(place: Path) -> None:
    """Delete the folders of engines whose process has ended."""
    for folder in place.glob(f"{PREFIX}*"):
        lock = _locked(folder, create=False)
        if lock is not None:
            _remove(folder, lock)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _locked(folder: Path, *, create: bool) -> int | None:
    """The lock of a folder, if nobody has it and the folder is still there and ours."""
    with suppress(OSError):
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine, there = os.fstat(lock), os.stat(folder / LOCK)  # noqa: PTH116 - beside fstat
            if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino) and mine.st_uid == os.getuid():
                return lock
        except OSError:
            pass
        os.close(lock)
    return None
