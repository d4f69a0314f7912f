"""Turns: handles of one process that write the same file queue up for it, first come, first served.

SQLite lets those who wait for its lock sleep and look again, for up to a tenth of a second at a time: with many handles
in one process the file would lie idle most of the time, and who comes last may go first.
"""

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary


class Turns:
    """One queue. Between processes nothing is settled here: that is for the lock of the file itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()  # whoever is first has the turn

    @contextmanager
    def taken(self, *, timeout: float) -> Iterator[bool]:
        """Wait for our turn and keep it; whether it came in time."""
        mine = threading.Event()
        try:
            with self._lock:
                self._line.append(mine)
                if self._line[0] is mine:
                    mine.set()
            yield mine.wait(timeout)
        finally:  # also at Ctrl-C, wherever it was heard
            self._leave(mine)

    def _leave(self, mine: threading.Event) -> None:
        with self._lock:
            if mine in self._line:
                self._line.remove(mine)
            if self._line:
                self._line[0].set()


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
