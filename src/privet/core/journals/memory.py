"""MemoryJournal: a journal that is forgotten when the process ends."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from privet.core.journals.books import Refusal
from privet.core.journals.chain import Row
from privet.core.journals.entry import Entry
from privet.core.journals.handle import read_clock
from privet.core.journals.journal import Journal
from privet.core.journals.pages import Pages
from privet.core.journals.repeat import Repeat
from privet.core.signals import deferred
from privet.errors import LedgerUnavailable


class MemoryJournal(Journal):
    """Rows in a list; threads may share it, forked children may not: their copy would be a second budget.

    Plain releases are counted at once and become rows of the chain when somebody reads rows: within one process there
    is nobody whom a hash could warn any earlier.

    Example:
        >>> from privet import Guarantee, Ledger, Unit, count
        >>> ledger = Ledger(Guarantee(1), unit=Unit("person"), journal=MemoryJournal())
        >>> _ = count([1, 2, 3], epsilon="0.5", ledger=ledger)
        >>> ledger.spent, ledger.remaining
        (ε=0.5, δ=0, ε=0.5, δ=0)
    """

    def __init__(self) -> None:
        super().__init__()
        self._pages = _Lists()
        self._waiting: list[tuple[Entry, float]] = []  # counted, and not yet rows

    @property
    def place(self) -> str:
        """Where the journal is, for people."""
        return "the journal in memory"

    @property
    def lasting(self) -> bool:
        """Whether the journal outlives its process."""
        return False

    def spend(self, entry: Entry) -> int | Refusal | Repeat:
        """Append the entry and return its place; or why not; or that the same key asked the same before."""
        with deferred(), self._lock:
            place = self._seen().sequence + len(self._waiting) + 1
            if (
                entry.kind != "release"
                or entry.key is not None
                or self._checkpoint_due(place)
                or self._broken is not None
            ):
                return super().spend(entry)
            self._refuse_forked()
            self._broken = "it was interrupted while it counted"  # and an entry may be missing
            refused = self._current().spend(entry)
            if refused is None:
                self._waiting.append((entry, time.time()))
            self._broken = None
            return place if refused is None else refused

    def frozen(self, analyst: str | None, *, look: bool = True) -> bool:  # noqa: ARG002 - nobody else writes
        """Whether too many answers failed for this analyst to be told anything."""
        return super().frozen(analyst, look=False)

    def _settle(self) -> None:
        """Make rows of the entries that wait to be."""
        waiting = self._waiting
        self._waiting = []
        for entry, clock in waiting:
            self._head = Row.after(self._seen(), {**entry.facts, "at": read_clock(clock)})
            self._pages.append(self._head)

    def _ready(self, *, create: bool) -> None:  # noqa: ARG002 - it is always there
        self._refuse_forked()
        self._settle()

    def _refuse_forked(self) -> None:
        if os.getpid() != self._pid:
            raise LedgerUnavailable(
                "a ledger in memory belongs to the process that made it; a fork would be a second budget: "
                'keep it in a file with journal="sqlite:///ledger.db"'
            )

    @contextmanager
    def _writing(self) -> Iterator[Pages]:
        length = len(self._pages.list)
        try:
            yield self._pages
        except BaseException:
            self._pages.cut(length)
            raise

    @contextmanager
    def _reading(self) -> Iterator[Pages]:
        yield self._pages


class _Lists:
    """The rows, and where to find keys and answers."""

    def __init__(self) -> None:
        self.list: list[Row] = []
        self.keys: dict[str, int] = {}
        self.answers: dict[int, int] = {}

    def last(self) -> int | None:
        return len(self.list) - 1 if self.list else None

    def rows(self, first: int, last: int | None = None) -> Iterator[Row]:
        return iter(self.list[first : None if last is None else last + 1])

    def append(self, row: Row) -> None:
        self.list.append(row)
        if row.key is not None:
            self.keys[row.key] = row.sequence
        if row.answers is not None:
            self.answers[row.answers] = row.sequence

    def keyed(self, key: str) -> Row | None:
        return self.list[self.keys[key]] if key in self.keys else None

    def answering(self, sequence: int) -> Row | None:
        return self.list[self.answers[sequence]] if sequence in self.answers else None

    def cut(self, length: int) -> None:
        """Undo what was appended."""
        for row in self.list[length:]:
            self.keys.pop(row.key or "", None)
            self.answers.pop(-1 if row.answers is None else row.answers, None)
        del self.list[length:]
