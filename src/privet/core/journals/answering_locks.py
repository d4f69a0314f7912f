"""AnsweringLocks: who is computing an answer: a lock on one byte, which the kernel frees when its holder dies."""

import fcntl
import os
import struct
from pathlib import Path


class AnsweringLocks:
    """A file whose byte n is locked while the answer to spend n is being computed.

    The locks belong to the open file and not to the process, so that closing another descriptor of it frees nothing.

    Args:
        path: where the file is; it is made if needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def open(self) -> None:
        """Open the file, unless it is."""
        if self._file is None:
            self._file = self._opened()

    def close(self) -> None:
        """Free all locks, unless a forked child's copy goes on: then it has the file."""
        file = self._file
        self._file = None
        if file is not None:
            os.close(file)

    def hold(self, sequence: int) -> None:
        """Show that an answer is being computed."""
        if self._file is not None:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _byte(fcntl.F_WRLCK, sequence))

    def let_go(self, sequence: int) -> None:
        """Show that it is not any more."""
        if self._file is not None:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _byte(fcntl.F_UNLCK, sequence))

    def held(self, sequence: int) -> bool:
        """Whether anybody shows so, in this process or another."""
        probe = self._opened()
        try:
            answer = fcntl.fcntl(probe, fcntl.F_OFD_GETLK, _byte(fcntl.F_WRLCK, sequence))
        finally:
            os.close(probe)
        (kind,) = struct.unpack_from("h", answer)
        return bool(kind != fcntl.F_UNLCK)

    def _opened(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _byte(kind: int, position: int) -> bytes:
    """A `struct flock` about one byte."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, position, 1, 0)
