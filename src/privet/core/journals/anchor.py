"""Anchor: the last row of a journal, remembered outside the journal.

A chain of hashes shows a changed row, but not that its tail was cut off or an old copy was put back. So after every
commit, and before any data is touched, the place and hash of the last row go into a small file of its own. Two slots
are written in turn, each with a checksum, so that a torn write leaves the other one. A third slot announces what only
the owner may do (terms, caps, renewals) before it is committed: behind the anchored row, nothing else but spends is
believed.
"""

import fcntl
import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privet.core.journals.chain import Row
from privet.core.journals.mark import ANNOUNCED, BLANK, RECREATE, SLOT, SLOTS, Mark, Remembered
from privet.core.signals import heed
from privet.errors import LedgerDamaged, LedgerUnavailable

QUICK, SLOW = 0.0001, 0.01  # seconds between two looks at a lock that somebody else has


class Anchor:
    """The anchor file of one journal. Never moves backwards.

    Args:
        path: where it is; another volume than the journal's protects against more.
        timeout: how many seconds to wait for others who use it.
    """

    def __init__(self, path: Path, *, timeout: float = 30.0) -> None:
        self.path = path
        self._name = str(path)
        self.timeout = timeout
        self._file: int | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        try:
            os.stat(self._name)  # noqa: PTH116 - Path.exists lets some errors through, and hides others
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as problem:
            raise self._unusable(problem) from problem
        return True

    def begin(self, row: Row) -> None:
        """Make the file, durably, for a journal whose first row is about to be committed."""
        self._make(BLANK * ANNOUNCED + Mark.of_row(row.hash, row).slot())

    def create(self, journal: bytes, row: Row) -> None:
        """Make the file anew, durably, for a journal that is there up to this row."""
        self._make(Mark.of_row(journal, row).slot() + BLANK * (SLOTS - 1))

    def _make(self, content: bytes) -> None:
        """Write the file aside and put it in place, so that nobody sees a part of it."""
        fresh = self.path.with_name(f"{self.path.name}.new-{os.getpid()}-{threading.get_ident()}")
        try:
            with open(fresh, "wb", opener=_private) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
            sync_folder(self.path.parent)
        except OSError as problem:
            raise LedgerUnavailable(
                f"the anchor {self.path} cannot be written ({problem.strerror}): let this user write in its folder, or "
                "name another place with anchor=…"
            ) from problem
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
        self.abandon()

    def read(self) -> Remembered:
        """The newest row that was remembered, and what the owner was about to commit last."""
        with self._locked(fcntl.LOCK_SH) as file:
            return self._remembered(file)

    def look(self) -> Remembered:
        """The same for who may only read the file: without a lock, so a slot that is being written counts as empty."""
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            raise self._missing() from None
        except OSError as problem:
            raise LedgerUnavailable(
                f"the anchor {self.path} cannot be read ({problem.strerror}): let this user read it and its folder"
            ) from problem
        try:
            return self._remembered(file)
        finally:
            os.close(file)

    def advance(self, journal: bytes, row: Row) -> None:
        """Remember this row, unless a later one already is."""
        with self._locked(fcntl.LOCK_EX) as file:
            self._advance(file, Mark.of_row(journal, row))

    def announce(self, journal: bytes, row: Row, *, after: Row) -> None:
        """Remember what is about to be committed by the owner, and all that is there before it.

        There is room for one announcement: what was announced before it must be covered first.
        """
        with self._locked(fcntl.LOCK_EX) as file:
            self._advance(file, Mark.of_row(journal, after))
            _write(file, ANNOUNCED, Mark.of_row(journal, row))

    def remove(self) -> None:
        """Take the file away: another one has its place."""
        self.abandon()
        try:
            self.path.unlink()
        except OSError as problem:
            raise self._unusable(problem) from problem

    def abandon(self) -> None:
        """Let go of the file."""
        file = self._file
        self._file = None
        if file is not None:
            os.close(file)

    def _advance(self, file: int, mark: Mark) -> None:
        known = self._remembered(file)
        newest = known.mark
        if newest.journal != mark.journal or (newest.sequence == mark.sequence and newest.hash != mark.hash):
            raise LedgerDamaged(
                f"the anchor {self.path} is that of another journal: name the right one with anchor=…, or put back the "
                "journal that it belongs to"
            )
        if newest.sequence < mark.sequence or known.begun:
            _write(file, 1 - known.slot, mark)
        else:
            os.fdatasync(file)  # who wrote it may have died before they flushed it

    def _remembered(self, file: int) -> Remembered:
        return Remembered.of(os.pread(file, SLOTS * SLOT, 0), self._name)

    @contextmanager
    def _locked(self, how: int) -> Iterator[int]:
        """The open file, which must still be the one at the path."""
        try:
            if self._file is None:
                self._file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            try:
                self._wait(self._file, how)
                here, there = os.fstat(self._file), os.stat(self._name)  # noqa: PTH116 - for each spend, so the fastest way
                if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
                    raise LedgerUnavailable(f"the anchor {self.path} was replaced while open: open the ledger again")
                yield self._file
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)
        except (FileNotFoundError, NotADirectoryError):
            self.abandon()
            raise self._missing() from None
        except OSError as problem:
            self.abandon()
            raise self._unusable(problem) from problem
        except BaseException:
            self.abandon()  # Ctrl-C may have come before the lock was let go: closing the file does that too
            raise

    def _wait(self, file: int, how: int) -> None:
        """Take the lock, or say after a while that others have it; asked for now and then, so that Ctrl-C is heard."""
        pause = QUICK
        end = math.inf
        while True:
            try:
                return fcntl.flock(file, how | fcntl.LOCK_NB)
            except BlockingIOError:
                end = min(end, time.monotonic() + self.timeout)
            if time.monotonic() >= end:
                raise LedgerUnavailable(
                    f"the anchor {self.path} is busy: another process has held it for {self.timeout:g} seconds; try "
                    "again, or end that process"
                )
            heed()
            time.sleep(pause)
            pause = min(2 * pause, SLOW)

    def _missing(self) -> LedgerUnavailable:
        return LedgerUnavailable(
            f"the anchor {self.path} is missing: put it back, name its place with anchor=…, or, if it is lost, make a "
            f"new one with {RECREATE}"
        )

    def _unusable(self, problem: OSError) -> LedgerUnavailable:
        return LedgerUnavailable(
            f"the anchor {self.path} cannot be used ({problem.strerror}): let this user read and write the file, or "
            "name its place with anchor=…"
        )


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
