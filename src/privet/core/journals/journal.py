"""Journal: where a ledger writes its receipts, and the one place where limits are compared.

A journal is a chain of rows (see `chain`). All handles on one journal, in however many threads, processes and hosts,
write one after the other; each first reads what the others wrote, checks it, and adds it to its own `Books`.
"""

import os
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from privet.core.journals.books import OWNERS, Books, Refusal
from privet.core.journals.chain import Facts, Row, canonical, lookup_key
from privet.core.journals.entry import SPENDS, Entry
from privet.core.journals.owner import BATCH, OwnersActs
from privet.core.journals.pages import Pages
from privet.core.journals.terms import Terms
from privet.errors import AnswerLost, InvalidParameter, KeyReused, LedgerDamaged, LedgerUnavailable
from privet.noise import Entropy

SCHEMA = 1
CHECKPOINT = 10_000  # rows; opening a journal reads at most so many, and those written since its anchor
PATIENCE = 0.02  # seconds between two looks for the answer that another process is computing


Written: TypeAlias = list[tuple[Row, Facts]]  # rows of this handle with what they say


@dataclass(frozen=True)
class Repeat:
    """The spend was made before, with the same key, for the same question.

    Args:
        sequence: its place in the journal.
    """

    sequence: int


def reached(point: str) -> None:
    """Do nothing. The crash tests put a function here that ends the process at a named point."""


class Journal(OwnersActs):
    """What all journals do; where the rows are is for the subclasses to say. Threads may share one.

    Privacy: `spend` compares all caps and appends the entry as one step for all handles; when it returns, the entry
        is durable. Anything unexpected leaves the handle refusing everything: open the journal again.
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

    # --- opening ----------------------------------------------------------------------------------------------

    def open(self, terms: Terms | None = None) -> Terms:
        """Record the terms in a new journal, or compare them with those of an old one; then check the rows.

        Args:
            terms: what the ledger shall be about; without them there must be a journal already.
        """
        with self._steady(create=terms is not None):
            if self._books is None:
                self._start(terms)
            books = self._current()
            if terms is not None:
                _refuse_other_terms(books, terms, self.place)
            return books.terms

    def _start(self, terms: Terms | None) -> None:
        made: Written = []
        with self._writing() as pages:  # alone, so that no anchor runs ahead of what is read
            first = next(pages.rows(0, 0), None)
            if first is not None:
                self._load(pages, first)
            elif terms is None:
                raise LedgerUnavailable(f"there is no ledger at {self.place}: make one with `privet ledger create`")
            else:
                self._trusted(-1)
                facts = {"kind": "opened", "schema": SCHEMA, "terms": terms.facts, **_stamp(nonce=True)}
                made = [(Row.after(None, facts), facts)]
                pages.append(made[0][0])
        if made:
            self._books, self._first = Books(), made[0][0]
            self._take_in(made)
        else:
            self._committed(self._seen())

    def _load(self, pages: Pages, first: Row) -> None:
        """Check the rows since the last checkpoint that the anchor covers, and all after it."""
        facts = first.facts_after(None)
        if facts.get("schema") != SCHEMA:
            raise LedgerUnavailable(
                f"{self.place} is of version {facts.get('schema')} and this Privet knows {SCHEMA}: "
                "run `pip install --upgrade privet`"
            )
        self._first = first
        last = pages.last() or 0
        sequence, known = self._trusted(last)
        start = sequence // CHECKPOINT * CHECKPOINT
        previous, books = None, Books()
        for row in pages.rows(max(start - 1, 0)):
            if row.sequence == start - 1:
                previous = row
                continue
            facts = row.facts_after(previous)
            if row.sequence == start and start:
                books = Books.at_checkpoint(start, facts)
            else:
                if row.sequence > sequence and facts["kind"] in OWNERS:
                    self._attest(row)
                books.apply(row.sequence, facts)
            _refuse_rewritten(row, sequence, known)
            previous = row
        if previous is None or previous.sequence != last or canonical(books.terms.facts) != _terms_text(first):
            raise LedgerDamaged(f"{self.place} does not begin as it goes on")
        self._books, self._head = books, previous

    # --- spending ---------------------------------------------------------------------------------------------

    def spend(self, entry: Entry) -> int | Refusal | Repeat:
        """Append the entry and return its place; or why not; or that the same key asked the same before.

        Raises:
            KeyReused: the key belongs to another question.
            LedgerUnavailable: it could not be written, or it is not known whether it was; do not compute the answer.
        """
        return self._spent(entry, ())[0]

    def spend_plan(self, entry: Entry, draws: Sequence[Entry]) -> tuple[int | Refusal | Repeat, bool]:
        """Append a plan, and in the same step the draws that are made of it at once; they must be within the plan.

        Returns:
            the outcome as for `spend`, and whether the draws were appended too: not where a checkpoint is due.
        """
        return self._spent(entry, draws)

    def _spent(self, entry: Entry, draws: Sequence[Entry]) -> tuple[int | Refusal | Repeat, bool]:
        facts = entry.facts
        with self._steady():
            held: int | None = None
            try:
                with self._writing() as pages:
                    books = self._alone(pages)
                    if (found := _repeated(pages, facts)) is not None:
                        return found, False
                    if (refused := books.refusal(facts)) is not None:
                        return refused, False
                    reached("after check")
                    written = self._append(pages, facts)
                    number = written[-1][0].sequence
                    drawn = self._append_draws(pages, written, draws)
                    if entry.key is not None:
                        held = number
                        self._hold(held)
                    reached("after insert")
                self._take_in(written)
            except BaseException:
                if held is not None:
                    self._let_go(held)
                raise
            reached("after anchor")
            return number, drawn

    def repeated(self, entry: Entry) -> Repeat | None:
        """The earlier spend with this entry's key, if there is one; nothing is written.

        Raises:
            KeyReused: the key belongs to another question.
        """
        with self._steady(), self._reading() as pages:
            self._caught_up(pages)
            return _repeated(pages, entry.facts)

    def answer(self, sequence: int, text: str) -> None:
        """Keep the answer to a spend that was made with a key, durably, before anybody sees it."""
        with self._steady():
            with self._writing() as pages:
                self._alone(pages)
                reached("before store")
                written = self._append(pages, {"kind": "answer", "to": sequence, "release": text})
            self._take_in(written)
            reached("after store")

    def answer_surely(self, sequence: int, text: str) -> None:
        """Keep the answer, over a new connection if the first one is lost."""
        try:
            self.answer(sequence, text)
        except LedgerUnavailable:
            if self._stored(sequence) != text:  # it is not known how far the first attempt came
                self.answer(sequence, text)

    def stored(self, repeat: Repeat) -> str:
        """The answer to a spend that was made before; waits while somebody is computing it.

        Raises:
            AnswerLost: the spend stands, and nobody is computing its answer any more.
        """
        while (text := self._stored(repeat.sequence)) is None:
            with self._steady():
                alive = self._alive(repeat.sequence)
            if alive:
                time.sleep(PATIENCE)
            elif (text := self._stored(repeat.sequence)) is not None:
                break
            else:
                raise AnswerLost(
                    "spent, answer lost: this key was charged, and what computed its answer ended before storing it. "
                    "It is not computed again; ask under a new key, which is charged anew"
                )
        return text

    def _stored(self, sequence: int) -> str | None:
        with self._steady(), self._reading() as pages:
            row = pages.answering(sequence)
            if row is None:
                return None
            before = next(pages.rows(row.sequence - 1, row.sequence - 1), None)
            text: str = row.facts_after(before)["release"]
            return text

    def done(self, sequence: int) -> None:
        """The spend is answered, or will not be: whoever waits for it need not wait any more."""
        with self._lock:
            self._let_go(sequence)

    # --- what only the owner does: see `OwnersActs` -------------------------------------------------------------

    def _own(self, facts: Callable[[Pages, Books], Facts], *, announced: bool = True) -> int:
        with self._steady():
            with self._writing() as pages:
                written = self._append(pages, facts(pages, self._alone(pages)))
                if announced:
                    self._announce(written[-1][0])
            return self._take_in(written).sequence

    # --- reading ----------------------------------------------------------------------------------------------

    def books(self) -> Books:
        """The state after every row that is there now. Look, do not touch: it grows with the journal."""
        with self._steady(), self._reading() as pages:
            return self._caught_up(pages)

    def head(self) -> Row:
        """The last row that this handle has seen."""
        with self._steady():
            self._current()
            return self._seen()

    @property
    def identity(self) -> bytes:
        """The hash of the first row: no two journals have the same."""
        if self._first is None:
            raise LedgerUnavailable(f"{self.place} is not open: open it through Ledger or journal.open()")
        return self._first.hash

    def rows(self, first: int = 0) -> Iterator[Row]:
        """Every row there is now, in order, as it is stored."""
        self.books()
        last = self.head().sequence
        while first <= last:
            with self._steady(), self._reading() as pages:
                batch = list(pages.rows(first, min(first + BATCH - 1, last)))
            if not batch:
                raise LedgerDamaged(f"row {first} is missing")
            yield from batch
            first = batch[-1].sequence + 1

    def entries(self) -> tuple[Entry, ...]:
        """Every spend, in order."""
        units = self.books().nothing.units
        told = ((row.sequence, row.facts) for row in self.rows())
        return tuple(Entry.of(sequence, facts, units) for sequence, facts in told if facts["kind"] in SPENDS)

    def verify(self, progress: Callable[[int, int], None] = lambda *_: None) -> int:
        """Check every row against the chain, every total against the rows and the anchor; return how many rows.

        Args:
            progress: told now and then how many rows of how many are checked.

        Raises:
            LedgerDamaged: says what is wrong, and where.
        """
        books, previous = Books(thorough=True), None
        with self._steady(), self._writing() as pages:  # alone, so that no anchor runs ahead of what is read
            mine = self._alone(pages).state()
            last = self._seen()
            sequence, known = self._trusted(last.sequence)
        for row in self.rows():
            if row.sequence > last.sequence:
                break
            books.apply(row.sequence, row.facts_after(previous))
            _refuse_rewritten(row, sequence, known)
            previous = row
            if row.sequence % BATCH == 0:
                progress(row.sequence, last.sequence + 1)
        if previous is None or previous.hash != last.hash or canonical(books.state()) != canonical(mine):
            with self._steady():
                raise LedgerDamaged(f"{self.place} is not what it was when it was opened")
        with self._steady():
            self._check_store()
        progress(last.sequence + 1, last.sequence + 1)
        return last.sequence + 1

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

    def _append(self, pages: Pages, facts: Facts) -> "Written":
        """Write the next row, and a checkpoint before it where one is due."""
        written: Written = []
        head = self._seen()
        if self._checkpoint_due(head.sequence + 1):
            state = {"kind": "checkpoint", "state": self._current().state(), **_stamp()}
            head = Row.after(head, state)
            written.append((head, state))
        entry = {**facts, **_stamp()}
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
            facts = {**draw.facts, "reservation": plan.sequence, **_stamp()}
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


def _refuse_other_terms(books: Books, terms: Terms, place: str) -> None:
    known = books.terms
    if (known.unit, known.rule) != (terms.unit, terms.rule):
        raise InvalidParameter(
            f"{place} protects {known.unit!r} and counts by {known.rule.name!r}, not {terms.unit!r} by "
            f"{terms.rule.name!r}: open it with Ledger.open, which takes its own terms"
        )
    if terms.dataset not in books.names:
        raise InvalidParameter(
            f"{place} is the ledger of {known.dataset!r}, not of {terms.dataset!r}: if that is a copy or view of the "
            "same data, its owner records it with `privet ledger share`"
        )
    if terms.limit not in (known.limit, books.dataset.limit):
        raise InvalidParameter(
            f"{place} has the limit {books.dataset.limit!r}, not {terms.limit!r}: change it with `privet ledger cap`"
        )


def _refuse_rewritten(row: Row, sequence: int, known: str | None) -> None:
    if row.sequence == sequence and known is not None and row.hash.hex() != known:
        raise LedgerDamaged(f"row {sequence} is not the one that the anchor remembers: the journal was rewritten")


def _repeated(pages: Pages, facts: Facts) -> Repeat | None:
    """The earlier spend with the same key, if it was for the same question."""
    key = lookup_key(facts)
    if key is None or (row := pages.keyed(key)) is None:
        return None
    if row.facts["request"] != facts["request"]:
        raise KeyReused(
            f"the key {facts['key']!r} belongs to another question (entry {row.sequence}): use a new key for each "
            "question"
        )
    return Repeat(row.sequence)


def _terms_text(first: Row) -> str:
    return canonical(first.facts["terms"])


def _stamp(*, nonce: bool = False) -> dict[str, Any]:
    """When, by this machine's clock: for people only. A nonce makes equal ledgers different."""
    return {"at": read_clock(time.time())} | ({"nonce": Entropy().words(2).tobytes().hex()} if nonce else {})


def read_clock(seconds: float) -> str | None:
    """A time for people; None where the clock shows something that is no date."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


_ALL: "weakref.WeakSet[Journal]" = weakref.WeakSet()


def _in_forked_child() -> None:
    for journal in list(_ALL):
        journal._lock, journal._running = threading.RLock(), set()  # noqa: SLF001 - its own module
        journal._forked()  # noqa: SLF001 - its own module


os.register_at_fork(after_in_child=_in_forked_child)
