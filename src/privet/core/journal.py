"""Journal: where a ledger writes its receipts, and the one place where limits are checked.

A journal is small on purpose: `spend` compares and appends as one step, and whatever it returned is durable. The
journal here lives in memory and dies with its process.
"""

import threading
from dataclasses import dataclass
from typing import Protocol

from privet.loss import Amount, PrivacyLoss


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger.

    Args:
        sequence: 1, 2, 3, …, without gaps; 0 before it is written.
        kind: "release", "reservation", or "draw" (a release from a reservation, paid for already).
        purpose: what it was for, in the asker's words.
        mechanism: what ran, with its public parameters.
        loss: the curves, so that the entry can be priced again by better mathematics.
        cost: what the ledger's rule charged.
        reservation: the sequence of the reservation a draw was taken from.
    """

    kind: str
    purpose: str
    mechanism: str
    loss: PrivacyLoss
    cost: Amount
    reservation: int | None = None
    sequence: int = 0

    def numbered(self, sequence: int) -> "Entry":
        """The same entry with its place in the journal."""
        return Entry(self.kind, self.purpose, self.mechanism, self.loss, self.cost, self.reservation, sequence)


class Journal(Protocol):
    """What a ledger asks of the place it writes to."""

    def spend(self, entry: Entry, *, limit: Amount) -> int | None:
        """Append the entry and return its number, or None, and append nothing, if the total would pass the limit.

        Check and append are one step for all users of the journal; when this returns, the entry is durable.
        """

    def total(self) -> Amount | None:
        """Return the sum of all costs; None before the first entry."""

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries in order."""


class MemoryJournal:
    """A journal that is forgotten when the process ends; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._total: Amount | None = None

    def spend(self, entry: Entry, *, limit: Amount) -> int | None:
        """Append the entry and return its number, or None if the total would pass the limit."""
        with self._lock:
            total = entry.cost if self._total is None else self._total + entry.cost
            if not total.fits(limit):
                return None
            self._entries.append(entry)
            self._total = total
            return len(self._entries)

    def total(self) -> Amount | None:
        """Return the sum of all costs."""
        return self._total

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries in order."""
        with self._lock:
            return tuple(entry.numbered(number) for number, entry in enumerate(self._entries, start=1))
