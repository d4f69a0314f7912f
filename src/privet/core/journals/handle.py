"""Handle: one view of a journal's rows, which others may share. What it writes comes after all that it has read."""

import os
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any, TypeAlias

from privet.core.journals.books import OWNERS, Books
from privet.core.journals.chain import Facts, Row
from privet.core.journals.entry import Entry
from privet.core.journals.pages import Pages
from privet.errors import LedgerDamaged, LedgerUnavailable
from privet.noise import Entropy

CHECKPOINT = 10_000  # rows; opening a journal reads at most so many, and those written since its anchor

Written: TypeAlias = list[tuple[Row, Facts]]  # rows of this handle with what they say


class Handle:  # abstract where a journal is: `OwnersActs` makes it so
    """Where rows are is for the subclasses to say; how they are read and written, one after the other, is said here.

    Privacy: rows are taken into the books only after they were checked against the chain. Anything unexpected leaves
        the handle refusing everything: open the journal again.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._books: Books | None = None
        self._first: Row | None = None
        self._head: Row | None = None
        self._running: set[int] = set()
        self._broken: str | None = None
        _ALL.add(self)

    # --- where the rows are: for subclasses -------------------------------------------------------------------

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the journal is, for people."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Pages]:
        """One transaction, alone; durable when it ends without an exception, undone when it ends with one."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Pages]:
        """One look at the rows."""

    def _ready(self, *, create: bool) -> None:
        """Connect if needed; refuse if the place is not what it was."""

    def _announce(self, row: Row) -> None:
        """A row that only the owner may write is about to be made durable."""

    def _committed(self, row: Row) -> None:
        """The rows up to this one are durable; what this raises keeps the answer from being computed."""

    def _attest(self, row: Row) -> None:
        """Refuse a row that only the owner may write if there is no sign that they did."""

    def _refuse_behind(self, head: Row) -> None:
        """Refuse if something outside remembers a later row than the last one, or another one in its place."""

    def _trusted(self, last: int) -> tuple[int, str | None]:
        """A row up to which the journal is known from elsewhere, and its hash; the last one if nothing is known."""
        return last, None

    def _hold(self, sequence: int) -> None:
        """Show to other processes that this spend is being answered, until the end of this process at most."""
        self._running.add(sequence)

    def _let_go(self, sequence: int) -> None:
        """The spend is answered, or will not be."""
        self._running.discard(sequence)

    def _alive(self, sequence: int) -> bool:
        """Whether somebody is still computing the answer to this spend."""
        return sequence in self._running

    def _check_store(self) -> None:
        """Check what else is stored beside the rows."""

    def _forked(self) -> None:
        """Runs in a forked child: drop what belongs to the parent."""

    def close(self) -> None:
        """Let go of files and connections."""

    # --- one after the other ----------------------------------------------------------------------------------

    @contextmanager
    def _steady(self, *, create: bool = False) -> Iterator[None]:
        """Alone among the threads, connected, and not broken."""
        with self._lock:
            if self._broken is not None:
                raise LedgerUnavailable(f"this handle refuses everything until it is opened again: {self._broken}")
            try:
                self._ready(create=create)
                yield
            except LedgerDamaged as problem:
                self._broken = str(problem)
                raise

    def _alone(self, pages: Pages) -> Books:
        """The state while nobody else can write, if nothing outside remembers more than that."""
        books = self._caught_up(pages)
        self._refuse_behind(self._seen())
        return books

    def _caught_up(self, pages: Pages) -> Books:
        """Check and take in what others have written since."""
        books, head = self._current(), self._seen()
        found = False
        for row in pages.rows(head.sequence):
            if not found:
                found = row.sequence == head.sequence
                if not found or row != head:
                    break
                continue
            facts = row.facts_after(head)
            if facts["kind"] in OWNERS:
                self._attest(row)
            self._add(row, facts)
            head = row
        else:
            if found:
                return books
        raise LedgerDamaged(
            f"{self.place} no longer holds row {head.sequence} as it was: an older copy was put back, or rows were "
            "changed"
        )

    @staticmethod
    def _checkpoint_due(sequence: int) -> bool:
        """Whether the row at this place is a checkpoint."""
        return sequence % CHECKPOINT == 0

    @staticmethod
    def _checkpoint_before(sequence: int) -> int:
        """The place of the last checkpoint up to this row."""
        return sequence // CHECKPOINT * CHECKPOINT

    def _append(self, pages: Pages, facts: Facts) -> "Written":
        """Write the next row, and a checkpoint before it where one is due."""
        written: Written = []
        head = self._seen()
        if self._checkpoint_due(head.sequence + 1):
            state = {"kind": "checkpoint", "state": self._current().state(), **stamp()}
            head = Row.after(head, state)
            written.append((head, state))
        entry = {**facts, **stamp()}
        written.append((Row.after(head, entry), entry))
        for row, _ in written:
            pages.append(row)
        return written

    def _append_draws(self, pages: Pages, written: "Written", draws: Sequence[Entry]) -> bool:
        """Write draws behind their plan, the last row written; none where a checkpoint would have to come between."""
        plan = written[-1][0]
        if any(self._checkpoint_due(plan.sequence + place) for place in range(1, len(draws) + 1)):
            return False
        for draw in draws:
            facts = {**draw.facts, "reservation": plan.sequence, **stamp()}
            row = Row.after(written[-1][0], facts)
            pages.append(row)
            written.append((row, facts))
        return True

    def _take_in(self, written: "Written") -> Row:
        """Add rows that this handle wrote itself, now that they are durable, and remember the last one outside."""
        for row, facts in written:
            self._add(row, facts, checked=True)
        self._committed(row)
        return row

    def _add(self, row: Row, facts: Facts, *, checked: bool = False) -> None:
        """Take one row into the books; an interrupt in the middle leaves the handle broken, not wrong."""
        self._broken = "it was interrupted while it counted"
        self._current().apply(row.sequence, facts, checked=checked)
        self._head = row
        self._broken = None

    def _current(self) -> Books:
        if self._books is None:
            raise LedgerUnavailable(f"{self.place} is not open: open it through Ledger or journal.open()")
        return self._books

    def _seen(self) -> Row:
        if self._head is None:
            raise LedgerUnavailable(f"{self.place} is not open: open it through Ledger or journal.open()")
        return self._head


def stamp(*, nonce: bool = False) -> dict[str, Any]:
    """When, by this machine's clock: for people only. A nonce makes equal ledgers different."""
    return {"at": read_clock(time.time())} | ({"nonce": Entropy().words(2).tobytes().hex()} if nonce else {})


def read_clock(seconds: float) -> str | None:
    """A time for people; None where the clock shows something that is no date."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


_ALL: "weakref.WeakSet[Handle]" = weakref.WeakSet()


def _in_forked_child() -> None:
    for handle in list(_ALL):
        handle._lock, handle._running = threading.RLock(), set()  # noqa: SLF001 - its own module
        handle._forked()  # noqa: SLF001 - its own module


os.register_at_fork(after_in_child=_in_forked_child)
