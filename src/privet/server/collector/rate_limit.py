"""RateLimit: how often an address may send, known for an hour at most and in memory alone."""

import hashlib
import hmac
import time
from collections.abc import Callable

from privet.noise import Entropy

MOST_ADDRESSES = 50_000
HOUR = 3600.0
_ENTROPY = Entropy()


class RateLimit:
    """A bucket of `burst` reports for each address, filled with `rate` a second.

    Addresses are keys of a keyed hash whose key is drawn anew every hour, when all buckets are forgotten. Nothing of
    it is written anywhere.

    Args:
        rate: reports a second from one address; a school or a hospital may be one address.
        burst: how many may come at once.
        clock: seconds that only go forward.
    """

    def __init__(
        self, *, rate: float = 50.0, burst: float = 500.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._forget(clock())

    def _forget(self, now: float) -> None:
        self._key = _ENTROPY.words(4).tobytes()
        self._since = now
        self._left: dict[bytes, tuple[float, float]] = {}

    def allows(self, address: str) -> bool:
        """Whether this address may send one more now."""
        now = self._clock()
        if now - self._since > HOUR or len(self._left) >= MOST_ADDRESSES:
            self._forget(now)
        name = hmac.digest(self._key, address.encode(), hashlib.sha256)[:8]
        left, seen = self._left.get(name, (self._burst, now))
        left = min(self._burst, left + (now - seen) * self._rate)
        self._left[name] = (left - 1, now) if left >= 1 else (left, now)
        return left >= 1
