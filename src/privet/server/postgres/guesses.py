"""Guesses: who guesses passwords has to wait, without locking the account for others."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

FREE = 5  # wrong passwords for one name from one address before it has to wait
LONGEST = 60.0  # seconds
MANY = 20  # wrong passwords for one name, from wherever, after which each is answered late
LATE = 2.0  # seconds
FORGET = 900.0  # seconds after which they are forgotten
MOST = 10_000  # that are remembered


@dataclass
class Guesses:
    """Counts wrong passwords, by name and address.

    Args:
        clock: seconds.

    Privacy: names with and without an account are counted alike. Whoever guesses from one address locks nobody out who
        comes from another; who guesses from many is slowed down, and so is nobody who knows the password.

    Example:
        >>> guesses = Guesses()
        >>> for _ in range(FREE):
        ...     late = guesses.wrong("192.0.2.1", "ada")
        >>> guesses.wait("192.0.2.1", "ada") > 0, guesses.wait("192.0.2.2", "ada")
        (True, 0.0)
    """

    clock: Callable[[], float] = time.monotonic
    _wrong: OrderedDict[tuple[str, str], tuple[int, float]] = field(default_factory=OrderedDict)

    def wait(self, address: str, name: str) -> float:
        """Seconds for which this address has to wait with this name."""
        often, last = self._often((address, name))
        pause = 0.0 if often < FREE else min(2.0 ** (often - FREE), LONGEST)
        return max(0.0, last + pause - self.clock())

    def wrong(self, address: str, name: str) -> float:
        """Count one more; the seconds after which to say so."""
        for key in ((address, name), ("", name)):
            often, _ = self._often(key)
            self._wrong.pop(key, None)
            self._wrong[key] = (often + 1, self.clock())
        while len(self._wrong) > MOST:
            self._wrong.popitem(last=False)
        return LATE if self._often(("", name))[0] > MANY else 0.0

    def right(self, address: str, name: str) -> None:
        """Forget what was wrong before from there."""
        self._wrong.pop((address, name), None)

    def _often(self, key: tuple[str, str]) -> tuple[int, float]:
        often, last = self._wrong.get(key, (0, self.clock()))
        return (0, last) if self.clock() - last > FORGET else (often, last)
