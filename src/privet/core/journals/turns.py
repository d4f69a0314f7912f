"""Turns: handles of one process that write the same file queue up for it, first come, first served.

SQLite lets those who wait for its lock sleep and look again, for up to a tenth of a second at a time: with many handles
in one process the file would lie idle most of the time, and who comes last may go first.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from weakref import WeakValueDictionary

from privet.core.signals import SLICE, deferred, heed


class Turns:
    """One queue. Between processes nothing is settled here: that is for the lock of the file itself.

    It has no lock of its own: the collector may close a handle, which then leaves the queue, at any moment of a thread
    that is in here already, and would wait for itself. Each step is one of a deque or dictionary, which threads cannot
    divide; whoever joins or leaves wakes the first, and to wake one who left meanwhile does nothing.
    """

    def __init__(self) -> None:
        self._line: deque[tuple[int, threading.Event]] = deque()  # handles; whoever is first has the turn
        self._places: dict[int, tuple[int, threading.Event]] = {}  # of those in the line

    @contextmanager
    def taken(self, handle: object, *, timeout: float) -> Iterator[bool]:
        """Wait for this handle's turn and keep it; whether it came in time. Ctrl-C is heeded while waiting, then never.

        Args:
            handle: who takes it; used by one thread at a time.
            timeout: in seconds.
        """
        place = (id(handle), threading.Event())
        with deferred():
            try:
                self._places[id(handle)] = place
                self._line.append(place)
                self._wake()
                yield _came(place[1], time.monotonic() + timeout)
            finally:
                self.leave(handle)

    def leave(self, handle: object) -> None:
        """Give up this handle's place, if it has one; those of others stay, whatever thread they are of."""
        place = self._places.pop(id(handle), None)
        if place is not None:
            with suppress(ValueError):  # it has not come so far
                self._line.remove(place)
        self._wake()

    def _wake(self) -> None:
        with suppress(IndexError):  # nobody waits
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
