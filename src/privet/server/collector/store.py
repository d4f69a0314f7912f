"""Store: what a collector keeps: how often each report came, which nonces were seen, and what was released.

Of reports only this is stored: their bytes and how often they came in a period, in the order of the bytes. There is no
time, no sequence, no address and nothing that joins two reports or a report and its nonce. Nonces are hashed with their
collection and period, and deleted with the reports when the period is closed: a report that comes later is late.
"""

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.errors import PrivetError
from privet.local.device import ReportMessage
from privet.noise import Entropy

NONCE_BYTES = 16
_ENTROPY = Entropy()


class StoreUnavailable(PrivetError):  # noqa: N818 - named for what happened
    """The store cannot be read or written now: nothing is acknowledged."""


class Kept(NamedTuple):
    """A report as it is stored: nothing of it is the sender's."""

    collection: bytes
    period: int
    nonce: bytes  # hashed
    payload: bytes

    @classmethod
    def of(cls, message: ReportMessage) -> "Kept":
        """What is kept of a message."""
        seen = hashlib.sha256(message.collection + message.period.to_bytes(4, "big") + message.nonce).digest()
        return cls(message.collection, message.period, seen[:NONCE_BYTES], message.payload)


class Held(NamedTuple):
    """The reports of a period: their payloads one after the other, and how often each came."""

    payloads: bytes
    times: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[tuple[bytes, int]]) -> "Held":
        """Rows as a database hands them over."""
        payloads = b"".join(payload for payload, _ in rows)
        return cls(payloads, np.fromiter((times for _, times in rows), dtype=np.int64, count=len(rows)))


class Published(NamedTuple):
    """A collection as it was published."""

    text: str
    signature: str
    state: str  # open, closed, deleted


@dataclass(frozen=True)
class PeriodState:
    """What is known of a period."""

    period: int
    closed: bool
    day: str | None  # of closing
    tally: str | None  # JSON, after closing


class TokenRow(NamedTuple):
    """A token as it is stored."""

    scopes: str
    expires: int  # day, counted from 1970


class Store(ABC):
    """Rows of a collector; each method is one transaction, and what it returns is durable.

    Args:
        shard: several processes of one store add to rows of their own, so that they do not wait for each other.
    """

    def __init__(self) -> None:
        self.shard = int(_ENTROPY.words(1)[0] >> 34)  # 30 bits

    # --- reports ----------------------------------------------------------------------------------------------

    @abstractmethod
    def keep(self, reports: Sequence[Kept]) -> set[tuple[bytes, int]]:
        """Count these reports, each nonce once; which periods are closed, so that their reports were not counted."""

    @abstractmethod
    def held(self, collection: bytes, period: int) -> "Held":
        """The reports of a period that is open, and how often each came."""

    @abstractmethod
    def close_period(self, collection: bytes, period: int, *, day: str, tally: str) -> None:
        """Keep the tally, and delete reports, nonces and what was shown; in `closing`'s transaction."""

    @abstractmethod
    def closing(self, collection: bytes, period: int) -> "Held | None":
        """Begin to close: nothing is counted any more until `close_period` or `leave_open`. None if it is closed."""

    @abstractmethod
    def leave_open(self) -> None:
        """Undo `closing`."""

    @abstractmethod
    def periods(self, collection: bytes) -> list[PeriodState]:
        """Periods of which there is anything, in their order."""

    # --- collections ------------------------------------------------------------------------------------------

    @abstractmethod
    def publish(self, collection: bytes, text: str, signature: str) -> None:
        """Add a collection."""

    @abstractmethod
    def published(self) -> list[tuple[bytes, Published]]:
        """All collections, in the order of their ids."""

    @abstractmethod
    def set_state(self, collection: bytes, state: str) -> None:
        """Close a collection for good, or delete all that it holds but its public text."""

    @abstractmethod
    def forget_tally(self, collection: bytes, period: int) -> None:
        """Delete the counts of a closed period."""

    # --- results ----------------------------------------------------------------------------------------------

    @abstractmethod
    def release(self, collection: bytes, first: int, last: int, result: str) -> bool:
        """Keep the one result of a range of periods, and forget their counts; False if it overlaps another."""

    @abstractmethod
    def releases(self, collection: bytes) -> list[tuple[int, int, str]]:
        """What was released: first and last period, and the result."""

    @abstractmethod
    def show(self, key: tuple[bytes, int], reports: int, tally: str, *, beyond: int) -> None:
        """Keep a live tally as it is shown, unless another process has shown one of more than `beyond` reports."""

    @abstractmethod
    def shown(self, collection: bytes, period: int) -> list[tuple[int, str]]:
        """What was shown live, from few reports to many."""

    # --- tokens -----------------------------------------------------------------------------------------------

    @abstractmethod
    def add_token(self, hashed: bytes, scopes: str, expires: int) -> None:
        """Add a token."""

    @abstractmethod
    def token(self, hashed: bytes) -> TokenRow | None:
        """What a token may."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""


def counted(fresh: Iterable[Kept]) -> list[tuple[bytes, int, bytes, int]]:
    """How often each report came, in the order of its bytes."""
    times = Counter((each.collection, each.period, each.payload) for each in fresh)
    return [(*key, number) for key, number in sorted(times.items())]


def without_order(reports: Sequence[Kept]) -> list[Kept]:
    """The reports in the order of their hashed nonces, which tells nothing of how they arrived."""
    return sorted(reports)
