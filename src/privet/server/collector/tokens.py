"""Tokens of analysts: what a collector asks for where it is served alone."""

import hashlib
import time
from collections.abc import Callable, Iterable

from privet.errors import InvalidParameter
from privet.noise import Entropy
from privet.server.collector.store import Store

RUN, READ = "run", "read"  # publish, close, release and delete; results and counts
SCOPES = {RUN, READ}
PREFIX = "privet_collect_"
DAY = 86400
_ENTROPY = Entropy()

Allowed = Callable[[str], frozenset[str] | None]  # the scopes of a token; None if it is none, or no longer


def make_token(store: Store, scopes: Iterable[str], *, days: int = 365, clock: Callable[[], float] = time.time) -> str:
    """A new token, which is shown once: only its hash is stored."""
    wanted = sorted(set(scopes))
    if not wanted or set(wanted) - SCOPES:
        raise InvalidParameter("the scopes of a token are run (publish, close, release, delete) and read (results)")
    secret = PREFIX + _ENTROPY.words(4).tobytes().hex()
    store.add_token(_hashed(secret), ",".join(wanted), int(clock() // DAY) + days)
    return secret


def tokens_of(store: Store, *, clock: Callable[[], float] = time.time) -> Allowed:
    """What tells the scopes of a token of this store."""

    def allowed(secret: str) -> frozenset[str] | None:
        found = store.token(_hashed(secret))
        if found is None or found.expires < clock() // DAY:
            return None
        return frozenset(found.scopes.split(","))

    return allowed


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
