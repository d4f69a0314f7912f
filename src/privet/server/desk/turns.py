"""Turns: how many statements run at once, in all and of each who asks."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from privet.errors import Busy, Cancelled

SLICE = 0.25  # seconds: who waits looks so often whether they still shall
PATIENCE = 30.0  # seconds that a statement waits for its turn
QUEUE = 32  # statements of one person that wait: a page of charts asks them all at once


class Turns:
    """Lets so many run at once; others wait for a while.

    Args:
        most: in all.
        most_each: of each who asks.
        patience: seconds that one waits.
    """

    def __init__(self, most: int, most_each: int, *, patience: float = PATIENCE) -> None:
        self._most, self._most_each, self._patience = most, min(most, most_each), patience
        self._running: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._free = threading.Condition()

    @contextmanager
    def taken(self, name: str, stop: threading.Event) -> Iterator[None]:
        """A turn of somebody.

        Args:
            name: whose.
            stop: set when it is not wanted any more.

        Raises:
            Cancelled: it is not wanted any more.
            Busy: none came free in time, or as many of theirs wait already as may run.
        """
        with self._free:
            if self._waiting[name] >= QUEUE:
                raise Busy(BUSY, retry_after=self._patience / 2)
            self._waiting[name] += 1
            try:
                end = time.monotonic() + self._patience
                while not self._is_free(name):
                    if stop.is_set():
                        raise Cancelled(UNASKED)
                    if time.monotonic() >= end:
                        raise Busy(BUSY, retry_after=self._patience / 2)
                    self._free.wait(min(SLICE, end - time.monotonic()))
            finally:
                self._less(self._waiting, name)
            self._running[name] += 1
        try:
            yield
        finally:
            with self._free:
                self._less(self._running, name)
                self._free.notify_all()

    def _is_free(self, name: str) -> bool:
        return self._running.total() < self._most and self._running[name] < self._most_each

    @staticmethod
    def _less(count: Counter[str], name: str) -> None:
        count[name] -= 1
        if not count[name]:
            del count[name]

    @property
    def running(self) -> int:
        """How many run."""
        with self._free:
            return self._running.total()


UNASKED = "cancelled, before anything was charged"
BUSY = "too many statements run just now, and nothing was charged for this one: try again in a while"
