"""Rates: how often somebody may ask."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

REMEMBERED = 10_000  # names; the one that was quiet for longest is forgotten


class Rates:
    """Lets each name do something so often a minute; what it has not used it may use at once.

    Args:
        per_minute: how often.
        clock: seconds that never go back.

    Privacy: counts requests, whatever is in them.
    """

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._clock = clock
        self._left: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # how many are left, and since when
        self._turn = threading.Lock()

    def wait(self, name: bytes) -> int:
        """Count one; 0, or if it was one too many, after how many seconds to come again."""
        with self._turn:
            now = self._clock()
            left, since = self._left.pop(name, (self._most, now))
            left = min(self._most, left + (now - since) * self._most / 60)
            allowed = left >= 1
            self._left[name] = (left - 1 if allowed else left, now)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
        return 0 if allowed else math.ceil((1 - left) * 60 / self._most)
