"""Journal: where a ledger writes its receipts, and the one place where limits are compared.

A journal is a chain of rows (see `chain`). All handles on one journal, in however many threads, processes and hosts,
write one after the other; each first reads what the others wrote, checks it, and adds it to its own `Books`.
"""

import time
from collections.abc import Callable, Iterator, Sequence

from privet.core.journals.books import Books, Refusal
from privet.core.journals.chain import Facts, Row, canonical, lookup_key
from privet.core.journals.entry import SPENDS, Entry
from privet.core.journals.opening import Opening
from privet.core.journals.owner import BATCH, OwnersActs
from privet.core.journals.pages import Pages
from privet.core.journals.repeat import Repeat, repeated
from privet.core.journals.resuming import Resuming
from privet.core.signals import heed
from privet.core.silence import is_computing
from privet.errors import AnswerLost, InvalidParameter, LedgerDamaged, LedgerUnavailable

PATIENCE = 0.02  # seconds between two looks for the answer that another process is computing


def reached(point: str) -> None:
    """Do nothing. The crash tests put a function here that ends the process at a named point."""


class Journal(Opening, OwnersActs, Resuming):
    """What all journals do; where the rows are is for the subclasses to say. Threads may share one.

    Privacy: `spend` compares all caps and appends the entry as one step for all handles; when it returns, the entry
        is durable. Anything unexpected leaves the handle refusing everything: open the journal again.

    Example:
        >>> from privet import Guarantee, Ledger, Unit
        >>> from privet.core import MemoryJournal
        >>> journal = MemoryJournal()
        >>> _ = Ledger(Guarantee(1), unit=Unit("person"), journal=journal)
        >>> isinstance(journal, Journal), journal.place
        (True, 'the journal in memory')
    """

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
                    books = self._caught_up(pages)
                    if (found := repeated(pages, facts)) is not None:
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
        return self._looked(lambda pages, _: repeated(pages, entry.facts))

    def keyed(self, analyst: str | None, key: str) -> Repeat | None:
        """The spend that an analyst made with a key, whatever was asked; nothing is written."""
        named = lookup_key({"analyst": analyst, "key": key}) or ""
        row = self._looked(lambda pages, _: pages.keyed(named))
        return None if row is None else Repeat(row.sequence)

    def answer(self, sequence: int, text: str) -> None:
        """Keep the answer to a spend that was made with a key, durably, before anybody sees it; once.

        Raises:
            AnswerLost: another run has answered it meanwhile.
        """
        with self._steady():
            with self._writing() as pages:
                self._caught_up(pages)
                if pages.answering(sequence) is not None:
                    raise AnswerLost(
                        "another run went on with this plan and answered it: ask again with the same key, which "
                        "returns that answer"
                    )
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

    def fail(self, sequence: int, analyst: str | None) -> bool:
        """Count that the answer to a spend failed, durably, before anybody hears of it; whether that may be told.

        It may not where the analyst is frozen already: answers that were on their way then are all alike.

        Raises:
            LedgerUnavailable: it could not be counted; this handle refuses everything from now on.
        """
        try:
            return self._fail(sequence, analyst)
        except LedgerUnavailable:
            pass
        try:  # over a new connection if the first one is lost; rather counted twice than not
            return self._fail(sequence, analyst)
        except LedgerUnavailable:
            with self._entered():
                self._broken = self._broken or "a failure could not be counted"
            raise

    def _fail(self, sequence: int, analyst: str | None) -> bool:
        with self._steady():
            with self._writing() as pages:
                told = not self._caught_up(pages).frozen(analyst)
                written = self._append(pages, {"kind": "failure", "of": sequence, "analyst": analyst})
            self._take_in(written)
            return told

    def frozen(self, analyst: str | None, *, look: bool = True) -> bool:
        """Whether too many answers failed for this analyst to be told anything.

        Args:
            analyst: who asks.
            look: whether to read what other handles have written since this one last did.
        """
        if look:
            try:
                return self.books().frozen(analyst)
            except LedgerUnavailable:  # over a new connection if the first one is lost
                return self.books().frozen(analyst)
        with self._entered():
            return self._current().frozen(analyst)

    def stored(self, repeat: Repeat) -> str:
        """The answer to a spend that was made before; waits while somebody is computing it.

        Raises:
            AnswerLost: the spend stands, and nobody is computing its answer any more.
            InvalidParameter: this very thread is computing it, and would wait for itself.
        """
        self._refuse_own(repeat.sequence)
        while (text := self._stored(repeat.sequence)) is None:
            with self._steady():
                alive = self._alive(repeat.sequence)
            if alive:
                heed()
                time.sleep(PATIENCE)
            elif (text := self._stored(repeat.sequence)) is not None:
                break
            else:
                raise AnswerLost(
                    "spent, answer lost: this key was charged, and what computed its answer ended before storing it. "
                    "It is not computed again; ask under a new key, which is charged anew"
                )
        return text

    def _refuse_own(self, sequence: int) -> None:
        """Nobody waits for themselves: neither within a computation, nor after one that was interrupted."""
        holder = self._held_here(sequence)
        if holder is None:
            return
        if is_computing():
            raise InvalidParameter(
                "a computation asked for its own answer, by its own key, and would wait for ever: use another "
                "key for what is asked within it"
            )
        holder.done(sequence)

    def _stored(self, sequence: int) -> str | None:
        with self._steady(), self._reading() as pages:
            row = pages.answering(sequence)
            if row is None:
                return None
            before = next(pages.rows(row.sequence - 1, row.sequence - 1), None)
            text: str = row.facts_after(before)["release"]
            return text

    # --- what only the owner does: see `OwnersActs` -------------------------------------------------------------

    def _own(self, facts: Callable[[Pages, Books], Facts], *, announced: bool = True) -> int:
        with self._steady():
            with self._writing() as pages:
                written = self._append(pages, facts(pages, self._caught_up(pages)))
                if announced:
                    self._announce(written[-1][0])
            return self._take_in(written).sequence

    # --- reading ----------------------------------------------------------------------------------------------

    def books(self) -> Books:
        """The state after every row that is there now. Look, do not touch: it grows with the journal."""
        return self._looked(lambda _, books: books)

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
        with self._steady(), self._writing() as pages:  # alone, so that no anchor runs ahead of what is read
            mine = self._caught_up(pages)
            books = Books(counting=mine.accounts)
            state = canonical(mine.state())
            last = self._seen()
            previous = None
            witness = self._witness()
        for row in self.rows():
            if row.sequence > last.sequence:
                break
            facts = self._facts(row, previous)
            witness.saw(row, facts)
            books.apply(row.sequence, facts)
            previous = row
            if row.sequence % BATCH == 0:
                progress(row.sequence, last.sequence + 1)
        if previous is None or previous.hash != last.hash or canonical(books.state()) != state:
            with self._steady():
                raise LedgerDamaged(f"{self.place} is not what it was when it was opened")
        with self._steady():
            self._check_store()
        progress(last.sequence + 1, last.sequence + 1)
        return last.sequence + 1
