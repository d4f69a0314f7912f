"""Turns: handles of one process that write the same file queue up for it, first come, first served.

SQLite lets those who wait for its lock sleep and look again, for up to a tenth of a second at a time: with many handles
in one process the file would lie idle most of the time, and who comes last may go first.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from privet.core.signals import SLICE, deferred, heed


class Turns:
    """One queue. Between processes nothing is settled here: that is for the lock of the file itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[tuple[int, threading.Event]] = deque()  # threads; whoever is first has the turn

    @contextmanager
    def taken(self, *, timeout: float) -> Iterator[bool]:
        """Wait for our turn and keep it; whether it came in time. Ctrl-C is heeded while waiting, then never."""
        mine = threading.Event()
        with deferred():
            try:
                with self._lock:
                    self._line.append((threading.get_ident(), mine))
                    self._line[0][1].set()
                yield _came(mine, time.monotonic() + timeout)
            finally:
                self.leave()

    def leave(self) -> None:
        """Give up this thread's place, if it has one."""
        with self._lock:
            here = threading.get_ident()
            for place in [each for each in self._line if each[0] == here]:
                self._line.remove(place)
            if self._line:
                self._line[0][1].set()


def _came(turn: threading.Event, end: float) -> bool:
    while not turn.wait(max(0.0, min(SLICE, end - time.monotonic()))):
        if time.monotonic() >= end:
            return turn.is_set()
        heed()
    return True


_QUEUES: "WeakValueDictionary[tuple[int, tuple[int, int]], Turns]" = WeakValueDictionary()
_OPENING = threading.Lock()


def turns_at(file: tuple[int, int]) -> Turns:
    """The queue of this process for a file, told by its device and number."""
    with _OPENING:
        key = (os.getpid(), file)  # a forked child has queues of its own
        found = _QUEUES.get(key)
        if found is None:
            found = _QUEUES[key] = Turns()
        return found


def _in_forked_child() -> None:
    global _OPENING  # noqa: PLW0603 - another thread may have held it at the fork
    _OPENING = threading.Lock()


os.register_at_fork(after_in_child=_in_forked_child)
