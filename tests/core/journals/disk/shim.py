"""The shim between a process and the kernel (shim.c): which calls it knows, how each may fail, what it writes down."""

import ctypes
import errno
import functools
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MISSING = "no C compiler to make system calls fail with: install one (Debian: apt-get install gcc libc6-dev)"
KINDS = (
    *("open", "close", "read", "write", "sync", "truncate", "rename", "link", "unlink"),
    *("map", "lock", "flock", "stat", "chmod", "mark", "created", "sync failed"),
)
SHORT, FULL = -1, -2  # half of the bytes; half of them, and no space from then on
HEAD = struct.Struct("qqqqq")  # kind, place, and the lengths of a path, of another, and of what was written

ERRORS: dict[str, tuple[int, ...]] = {  # what Linux may answer, as far as callers could care
    "open": (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EMFILE, errno.EINTR),
    "close": (errno.EIO, errno.EINTR),
    "read": (errno.EIO, errno.EINTR, SHORT),
    "write": (errno.EIO, errno.ENOSPC, errno.EINTR, SHORT, FULL),
    "sync": (errno.EIO, errno.ENOSPC, errno.EINTR),
    "truncate": (errno.EIO, errno.ENOSPC, errno.EINTR),
    "rename": (errno.EIO, errno.ENOSPC, errno.EACCES),
    "link": (errno.EIO, errno.ENOSPC, errno.EACCES),
    "unlink": (errno.EIO, errno.EACCES),
    "map": (errno.ENOMEM, errno.EACCES),
    "lock": (errno.EIO, errno.ENOLCK, errno.EACCES, errno.EINTR),
    "flock": (errno.EIO, errno.ENOLCK, errno.EINTR),
    "stat": (errno.EIO, errno.EACCES),
    "chmod": (errno.EIO, errno.EACCES),
}
LASTING = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.ENOLCK, errno.ENOMEM)  # may go on; the others come and go


def name_of(error: int) -> str:
    """An error as people write it."""
    return {SHORT: "SHORT", FULL: "SHORT+ENOSPC"}.get(error) or errno.errorcode[error]


@functools.lru_cache(maxsize=1)
def compiler() -> str | None:
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


def compiled(folder: Path) -> Path:
    """The shim as a library in a folder."""
    found = compiler()
    library = folder / "shim.so"
    assert found is not None, MISSING
    source = Path(__file__).with_name("shim.c")
    subprocess.run([found, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)  # noqa: S603 - our own
    return library


@dataclass(frozen=True)
class Event:
    """One thing that happened below the folder, in order.

    Args:
        kind: of `KINDS`.
        path: which file; of a mark, what it says.
        other: of a rename or link, the new name.
        at: of a write, where; of a truncation, the new size.
        data: of a write, what.
        asked: a call was made, whatever came of it; not asked: what reached the disk.
    """

    kind: str
    path: str
    other: str = ""
    at: int = 0
    data: bytes = b""
    asked: bool = False


def events(trace: bytes) -> Iterator[Event]:
    """What the shim wrote down."""
    at = 0
    while at < len(trace):
        kind, place, *lengths = HEAD.unpack_from(trace, at)
        at += HEAD.size
        parts = []
        for length in lengths:
            parts.append(trace[at : at + length])
            at += length
        asked = kind < 0
        path, other = os.fsdecode(parts[0]), os.fsdecode(parts[1])
        yield Event(KINDS[-1 - kind if asked else kind], path, other, place, parts[2], asked)


class Shim:
    """The shim of this process, which was started with it (LD_PRELOAD)."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(os.environ["LD_PRELOAD"])
        self._library.shim_calls.restype = ctypes.c_long
        self._library.shim_failed_path.restype = ctypes.c_char_p

    def watch(self, folder: Path | None, trace: int = -1) -> None:
        """Count calls below a folder (None: nowhere) from zero, and write down what happens to a descriptor."""
        self._library.shim_watch(b"" if folder is None else os.fsencode(folder), trace)

    def fail(self, number: int, error: int, *, lasting: bool = False) -> None:
        """Fail one call, and if lasting all later ones of its kind."""
        self._library.shim_fail(ctypes.c_long(number), error, lasting)

    def calm(self) -> None:
        """Fail nothing any more."""
        self._library.shim_fail(ctypes.c_long(0), 0, 0)

    def mark(self, text: str) -> None:
        """Write down that something was told."""
        self._library.shim_mark(text.encode())

    @property
    def calls(self) -> int:
        return int(self._library.shim_calls())

    @property
    def failed(self) -> tuple[str, str] | None:
        """Which call was failed, on which file."""
        kind = int(self._library.shim_failed())
        return None if kind < 0 else (KINDS[kind], os.fsdecode(self._library.shim_failed_path()))

    @property
    def dropped(self) -> int:
        """How many locks this process let go of by closing another descriptor of the file."""
        return int(self._library.shim_dropped())
