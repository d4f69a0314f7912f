"""Tries: how often somebody may guess a password; counted in memory."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from privet.errors import Busy

FREE = 5  # wrong tries of a name before it has to wait
LONGEST_WAIT = 60.0  # seconds: whoever guesses cannot lock an account for longer
FORGET = 900.0  # seconds after which tries of a name are forgotten
NAMES = 10_000  # that are remembered
OVERALL, WITHIN = 100, 60.0  # wrong tries of all names together, within so many seconds


class Tries:
    """Counts wrong passwords, by name and of all names together.

    Args:
        clock: seconds.

    Privacy: names with and without an account are counted alike.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = threading.Lock()
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()  # how often, and when last
        self._all: deque[float] = deque(maxlen=OVERALL)

    def refuse(self, name: str) -> None:
        """Raise if this name, or everybody, has to wait."""
        with self._turn:
            now = self._clock()
            often, last = self._wrong.get(name, (0, now))
            wait = last + _pause(often) - now
            if len(self._all) == OVERALL:
                wait = max(wait, self._all[0] + WITHIN - now)
        if wait > 0:
            raise Busy("too many wrong passwords: wait a little, then try again", retry_after=wait)

    def wrong(self, name: str) -> None:
        """Count one more."""
        with self._turn:
            now = self._clock()
            often, last = self._wrong.pop(name, (0, now))
            self._wrong[name] = (1 if now - last > FORGET else often + 1, now)
            self._all.append(now)
            while len(self._wrong) > NAMES:
                self._wrong.popitem(last=False)

    def right(self, name: str) -> None:
        """Forget what was wrong before."""
        with self._turn:
            self._wrong.pop(name, None)


def _pause(often: int) -> float:
    """Seconds to wait after so many wrong tries: each doubles them."""
    return 0.0 if often < FREE else min(float(2 ** (often - FREE)), LONGEST_WAIT)
