"""Anchor: the last row of a journal, remembered outside the journal.

A chain of hashes shows a changed row, but not that its tail was cut off or an old copy was put back. So after every
commit, and before any data is touched, the place and hash of the last row go into a small file of its own. Two slots
are written in turn, each with a checksum, so that a torn write leaves the other one. A third slot announces what only
the owner may do (caps, renewals) before it is committed: behind the anchored row, nothing else but spends is believed.
"""

import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from privet.core.journals.chain import Row
from privet.errors import LedgerDamaged, LedgerUnavailable

SLOT = 512  # bytes: one sector, which disks write whole
SLOTS = 3
ANNOUNCED = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """One remembered row.

    Args:
        journal: the hash of the journal's first row, in hexadecimal.
        sequence: which row.
        hash: its hash, in hexadecimal.
    """

    journal: str
    sequence: int
    hash: str

    def slot(self) -> bytes:
        """The mark as a slot holds it."""
        text = f'{{"journal": "{self.journal}", "sequence": {self.sequence}, "hash": "{self.hash}"}}'
        return f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}\n".encode().ljust(SLOT)

    @staticmethod
    @lru_cache(maxsize=64)  # the same slot is read again and again
    def of(slot: bytes) -> "Mark | None":
        """The mark in a slot, or None if it is empty or torn."""
        checksum, _, text = slot.decode("ascii", "replace").strip().partition(" ")
        if not text or hashlib.sha256(text.encode()).hexdigest()[:16] != checksum:
            return None
        return Mark(**json.loads(text))


class Anchor:
    """The anchor file of one journal. Never moves backwards.

    Args:
        path: where it is; another volume than the journal's protects against more.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._name = path, str(path)
        self._file: int | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.exists()

    def create(self, journal: bytes, row: Row, *, replace: bool = False) -> None:
        """Make the file, durably, with this row in it; a file that is there already stays, or is replaced."""
        mark, folder = Mark(journal.hex(), row.sequence, row.hash.hex()), self.path.parent
        fresh = self.path.with_name(f"{self.path.name}.new-{os.getpid()}-{threading.get_ident()}")
        try:
            with open(fresh, "wb", opener=_private) as file:
                file.write(mark.slot().ljust(SLOTS * SLOT))
                file.flush()
                os.fsync(file.fileno())
            if replace:
                fresh.replace(self.path)
            else:
                with suppress(FileExistsError):  # another process opened the new journal first
                    os.link(fresh, self.path)
                fresh.unlink()
            sync_folder(folder)
        except OSError as problem:
            raise LedgerUnavailable(f"the anchor {self.path} cannot be written ({problem.strerror})") from problem
        self.abandon()

    def read(self) -> Mark:
        """The newest row that was remembered."""
        with self._locked(fcntl.LOCK_SH) as file:
            return self._newest(file)[0]

    def announced(self) -> Mark | None:
        """The owner's entry that was about to be committed last."""
        with self._locked(fcntl.LOCK_SH) as file:
            return Mark.of(os.pread(file, SLOT, ANNOUNCED * SLOT))

    def advance(self, journal: bytes, row: Row) -> None:
        """Remember this row, unless a later one already is."""
        with self._locked(fcntl.LOCK_EX) as file:
            newest, slot = self._newest(file)
            if newest.journal != journal.hex() or (newest.sequence == row.sequence and newest.hash != row.hash.hex()):
                raise LedgerDamaged(f"the anchor {self.path} is that of another journal")
            if newest.sequence < row.sequence:
                _write(file, 1 - slot, Mark(journal.hex(), row.sequence, row.hash.hex()))

    def announce(self, journal: bytes, row: Row) -> None:
        """Remember what is about to be committed by the owner."""
        with self._locked(fcntl.LOCK_EX) as file:
            _write(file, ANNOUNCED, Mark(journal.hex(), row.sequence, row.hash.hex()))

    def abandon(self) -> None:
        """Let go of the file."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _newest(self, file: int) -> tuple[Mark, int]:
        """The mark with the highest sequence, and its slot."""
        both = os.pread(file, 2 * SLOT, 0)
        marks = [(mark, n) for n in (0, 1) if (mark := Mark.of(both[n * SLOT : (n + 1) * SLOT])) is not None]
        if not marks:
            raise LedgerDamaged(
                f"the anchor {self.path} is not readable: put back the right file, or make a new one with "
                "`privet ledger anchor --recreate --reason …`"
            )
        return max(marks, key=lambda pair: pair[0].sequence)

    @contextmanager
    def _locked(self, how: int) -> Iterator[int]:
        """The open file, which must still be the one at the path."""
        try:
            if self._file is None:
                self._file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            fcntl.flock(self._file, how)
            try:
                here, there = os.fstat(self._file), os.stat(self._name)  # noqa: PTH116 - for each spend, so the fastest way
                if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
                    raise LedgerUnavailable(f"the anchor {self.path} was replaced while open: open the ledger again")
                yield self._file
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)
        except FileNotFoundError:
            raise LedgerUnavailable(
                f"the anchor {self.path} is missing: put it back, name its place with anchor=…, or, if it is lost, "
                "make a new one with `privet ledger anchor --recreate --reason …`"
            ) from None
        except OSError as problem:
            raise LedgerUnavailable(f"the anchor {self.path} cannot be used ({problem.strerror})") from problem


def _write(file: int, slot: int, mark: Mark) -> None:
    os.pwrite(file, mark.slot(), slot * SLOT)
    os.fdatasync(file)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
