"""Handle: one view of a journal's rows, which others may share. What it writes comes after all that it has read."""

import os
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from privet.core.journals.books import Books
from privet.core.journals.chain import Facts, Row
from privet.core.journals.entry import Entry
from privet.core.journals.pages import Pages
from privet.core.journals.witness import Witness
from privet.core.signals import SLICE, deferred, heed
from privet.errors import LedgerDamaged, LedgerUnavailable
from privet.noise import Entropy

CHECKPOINT = 10_000  # rows; opening a journal reads at most so many, and those written since its anchor

T = TypeVar("T")
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
        self._inside = 0  # how often the thread that has the lock came in
        self._running: dict[int, int] = {}  # spends that are being answered, and the thread that does
        self._leaving: set[int] = set()  # those that are not any more, while others may still see them as running
        self._broken: str | None = None
        self.made = False  # whether this handle has made the journal
        _ALL.add(self)

    @property
    def broken(self) -> str | None:
        """Why this handle refuses everything until the journal is opened again; None while it does not."""
        return self._broken

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

    @property
    def lasting(self) -> bool:
        """Whether the journal outlives its process."""
        return True

    def _ready(self, *, create: bool) -> None:
        """Connect if needed; refuse if the place is not what it was."""

    def _announce(self, row: Row) -> None:
        """A row that only the owner may write is about to be made durable."""

    def _committed(self, row: Row) -> None:
        """The rows up to this one are durable; what this raises keeps the answer from being computed."""

    @property
    def _watched(self) -> bool:
        """Whether something outside remembers rows."""
        return False

    def _witness(self) -> Witness:
        """What something outside remembers; asked for before the rows are read that are compared with it."""
        return Witness()

    def _refuse_lost(self) -> None:
        """Refuse to make a journal where something remembers that there was one."""

    def _begin(self, row: Row) -> None:
        """The first row of a new journal is about to be made durable."""

    def _hold(self, sequence: int) -> None:
        """Show to other processes that this spend is being answered, until the end of this process at most."""
        self._running[sequence] = threading.get_ident()
        if self._first is not None:
            _ANSWERING[self._first.hash, sequence] = self

    def _let_go(self, sequence: int) -> None:
        """The spend is answered, or will not be."""
        self._running.pop(sequence, None)

    def _alive(self, sequence: int) -> bool:
        """Whether somebody is still computing the answer to this spend."""
        return sequence in self._running and sequence not in self._leaving

    def _idle(self) -> None:
        """Nothing is being answered any more."""

    def _check_store(self) -> None:
        """Check what else is stored beside the rows."""

    def _tidy(self) -> None:
        """Whatever happened, leave nothing open that others would wait for."""

    def _forked(self) -> None:
        """Runs in a forked child: drop what belongs to the parent."""

    def close(self) -> None:
        """Let go of files and connections."""

    # --- one after the other ----------------------------------------------------------------------------------

    @contextmanager
    def _steady(self, *, create: bool = False) -> Iterator[None]:
        """Alone among the threads, connected, and not broken; signals are heeded only where others are waited for."""
        with self._entered():
            if self._broken is not None:
                raise LedgerUnavailable(f"this handle refuses everything until it is opened again: {self._broken}")
            try:
                self._ready(create=create)
                yield
            except LedgerDamaged as problem:
                self._broken = str(problem)
                raise

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Alone among the threads. Who leaves lets go of what others could not, who came meanwhile."""
        entered = False
        with deferred():
            try:
                while not (entered := self._lock.acquire(timeout=SLICE)):
                    heed()
                self._inside += 1
                yield
            finally:
                if entered:
                    self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        try:
            if not self._inside:
                self._tidy()
        finally:
            self._lock.release()
        self._sweep()

    def done(self, sequence: int) -> None:
        """The spend is answered, or will not be: whoever waits for it need not wait any more. Never waits itself."""
        if sequence in self._running:
            self._leaving.add(sequence)
            self._sweep()

    def _held_here(self, sequence: int) -> "Handle | None":
        """The handle through which this very thread is answering a spend, if it is."""
        handle = None if self._first is None else _ANSWERING.get((self._first.hash, sequence))
        here = handle is not None and handle._running.get(sequence) == threading.get_ident()  # noqa: SLF001 - its own class
        return handle if here else None

    def _sweep(self) -> None:
        """Let go of what is done; while somebody is inside they do it when they leave."""
        while self._leaving:
            with deferred():
                if not self._lock.acquire(blocking=False):
                    return
                try:
                    if self._inside:  # called by a destructor, in the middle of something
                        return
                    for sequence in tuple(self._leaving):
                        self._leaving.discard(sequence)
                        self._let_go(sequence)
                    if not self._running:
                        self._idle()
                finally:
                    self._lock.release()

    def _looked(self, see: Callable[[Pages, Books], T]) -> T:
        """See the rows as they are now, and the books with all of them taken in.

        What is remembered outside and the rows are two looks. It is looked outside first, so that what spends is there;
        what the owner did between the two is not announced, and looks forged. So who finds anything wrong looks again
        alone, while nobody writes, and only that counts.
        """
        with self._steady():
            witness = self._witness()
            try:
                with self._reading() as pages:
                    return see(pages, self._caught_up(pages, witness))
            except LedgerDamaged:
                if not self._watched or self._broken is not None:
                    raise
            with self._writing() as pages:
                return see(pages, self._caught_up(pages))

    def _caught_up(self, pages: Pages, witness: Witness | None = None) -> Books:
        """Check and take in what others have written since, if nothing outside remembers otherwise.

        Args:
            pages: the rows.
            witness: what is remembered outside, asked for before; left out by who writes, alone.
        """
        books, head = self._current(), self._seen()
        witness = self._witness() if witness is None else witness
        if self._first is not None:
            witness.first(self._first)
        found = False
        for row in pages.rows(head.sequence):
            if not found:
                found = row.sequence == head.sequence
                if not found or row != head:
                    break
                witness.compare(row)
                continue
            facts = self._facts(row, head)
            witness.saw(row, facts)
            self._add(row, facts)
            head = row
        else:
            if found:
                witness.ended(head)
                return books
        raise LedgerDamaged(
            f"{self.place} no longer holds row {head.sequence} as it was: an older copy was put back, or rows were "
            "changed"
        )

    def _facts(self, row: Row, previous: Row | None) -> Facts:
        """What a row says, if it fits behind the one before; where a checkpoint is due, it must be one.

        Opening starts from a checkpoint, and must not start from anything else that has a state in it.
        """
        facts = row.facts_after(previous)
        if row.sequence and self._checkpoint_due(row.sequence) != (facts.get("kind") == "checkpoint"):
            raise LedgerDamaged(f"row {row.sequence} is not where it belongs: checkpoints have places of their own")
        return facts

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
_ANSWERING: "weakref.WeakValueDictionary[tuple[bytes, int], Handle]" = (
    weakref.WeakValueDictionary()
)  # by journal, spend


def _in_forked_child() -> None:
    for handle in list(_ALL):
        handle._lock, handle._inside = threading.RLock(), 0  # noqa: SLF001 - its own module
        handle._running, handle._leaving = {}, set()  # noqa: SLF001 - its own module
        handle._forked()  # noqa: SLF001 - its own module


os.register_at_fork(after_in_child=_in_forked_child)
