"""Remembered: answers that were given last, in memory, so that whoever asks again need not wait for the ledger."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The things that were used last, up to a size.

    Args:
        size: of all of them together, in bytes.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._held = 0
        self._things: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, name: Hashable) -> T | None:
        """What is remembered under a name."""
        with self._turn:
            found = self._things.get(name)
            if found is None:
                return None
            self._things.move_to_end(name)
            return found[0]

    def put(self, name: Hashable, thing: T, size: int) -> None:
        """Remember something; what was not used for longest is forgotten for it."""
        with self._turn:
            self._held -= self._things.pop(name, (None, 0))[1]
            if size > self._size:
                return
            self._things[name] = (thing, size)
            self._held += size
            while self._held > self._size:
                self._held -= self._things.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget everything."""
        with self._turn:
            self._things.clear()
            self._held = 0
