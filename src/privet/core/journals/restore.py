"""Restoring: the rows of a backup become a ledger again, and what came after them is counted against the asker."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from privet.core.journals.anchored import AnchoredJournal, Vouched
from privet.core.journals.books import Books
from privet.core.journals.chain import Facts
from privet.core.journals.entry import amount_facts
from privet.core.journals.journal import Journal
from privet.core.journals.owner import BATCH
from privet.core.journals.pages import Pages
from privet.core.journals.terms import kept, promise_facts, refuse_huge, refuse_wordless
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable
from privet.loss import Amount, Promise

ACCEPT = "--accept-loss REASON"


@dataclass(frozen=True)
class Loss:
    """That rows after a backup are lost, as the owner accepts it.

    Args:
        reason: why, for those who read the ledger later.
        limit: the highest limit of the dataset since the backup; the one in the backup if it was never raised.
    """

    reason: str
    limit: Promise | None = None

    def __post_init__(self) -> None:
        refuse_wordless(self.reason, "a reason must be given in words, for those who read the ledger later")
        if self.limit is not None:
            refuse_huge(self.limit)


class RestorableJournal(AnchoredJournal):
    """A journal that can be made from a backup.

    Privacy: spends that were answered after the backup are not in it. The anchor knows whether there were any: it
        remembers the last row before any data is touched. If it remembers a later row than the backup's last, or if
        there is no anchor, rows may be missing. Then nothing is put back unless the owner accepts the loss, and an
        entry charges all that the dataset's limit still allowed to everybody.
    Proof: whatever was spent in the missing rows fitted the dataset's limit at the time, which is promise 6, so with
        what the backup counts it is at most the highest limit since. The charge brings the total to at least that, in
        every scope, as each spend counts in some scopes only and never more than in the dataset. Plans are void: what
        was drawn from them is not known.
    Not covered: an owner who raised or renewed the limit after the backup, has no anchor, and does not say so.
    """

    _restoring = False

    def restore(
        self, backup: Journal, *, loss: Loss | None = None, progress: Callable[[int, int], None] = lambda *_: None
    ) -> int:
        """Put the rows of a backup where there is no ledger, and return how many rows the ledger has then.

        Args:
            backup: an open backup; all of it is checked.
            loss: that the owner accepts that rows after the backup are lost; only where some may be.
            progress: told now and then how much of how much is done; every row is checked, and then put back.

        Raises:
            LedgerDamaged: the backup is damaged, or rows are missing that the anchor remembers.
        """
        total = backup.verify(lambda done, of: progress(done, 2 * of))
        missing = self._missing(backup)
        if missing is None and loss is not None:
            raise InvalidParameter(f"the backup holds every row that the anchor remembers: leave {ACCEPT} out")
        if missing is not None:
            missing.refuse_unaccepted(loss)
        with self._restoring_to():
            self._vouched = Vouched.NOTHING if loss is None else Vouched.ALL
            with self._steady(create=True), self._writing() as pages:
                self._copy(backup, pages, lambda done: progress(total + done, 2 * total))
                written = [] if loss is None else self._append(pages, _lost(self._current(), missing, loss))
            if written and self.anchor is not None:
                self.anchor.create(self.identity, written[-1][0])
        with self._steady():
            if written:
                self._take_in(written)
            self._committed(self._seen())
        return self.head().sequence + 1

    def _missing(self, backup: Journal) -> "Missing | None":
        """Which rows may be missing in a backup, as far as the anchor tells; None if it has them all."""
        last = backup.head().sequence
        if self.anchor is None or not self.anchor.exists:
            return Missing(last, None if self.anchor is None else str(self.anchor.path))
        known = self.anchor.read()
        if known.mark.journal != backup.identity.hex():
            raise LedgerDamaged(
                f"{backup.place} is not of the journal that the anchor {self.anchor.path} belongs to: name the right "
                "backup, or its own anchor with --anchor"
            )
        announced = -1 if known.announced is None else known.announced.sequence
        if max(known.mark.sequence, announced) <= last:
            return None
        return Missing(last, str(self.anchor.path), max(known.mark.sequence, announced), acted=announced > last)

    def _copy(self, backup: Journal, pages: Pages, progress: Callable[[int], None]) -> None:
        """Write the rows of the backup and check them as when a ledger is opened."""
        if pages.last() is not None:
            raise InvalidParameter(
                f"there is a ledger at {self.place} already: name a new place, nothing is overwritten"
            )
        rows = backup.rows()
        first = next(rows)
        pages.append(first)
        for row in rows:
            pages.append(row)
            if row.sequence % BATCH == 0:
                progress(row.sequence)
        self._load(pages, first)

    @contextmanager
    def _restoring_to(self) -> Iterator[None]:
        """The place is ours, though the anchor remembers that there was a ledger; left as it was if something fails."""
        self._claim()
        self._restoring = True
        try:
            yield
        except BaseException:
            self.close()
            self._disclaim()
            raise
        finally:
            self._restoring = False
            self._vouched = Vouched.NOTHING

    def _claim(self) -> None:
        """Make sure that there is nothing at the place."""

    def _disclaim(self) -> None:
        """Remove what `_claim` made."""

    def _refuse_lost(self) -> None:
        if not self._restoring:
            super()._refuse_lost()


@dataclass(frozen=True)
class Missing:
    """Rows that may have come after a backup.

    Args:
        last: the last row of the backup.
        anchor: where the anchor should be; None if none was named.
        remembered: the last row that the anchor remembers; None if there is none.
        acted: whether one of them is an act of the owner, so that the limit may have been another.
    """

    last: int
    anchor: str | None
    remembered: int | None = None
    acted: bool = False

    def refuse_unaccepted(self, loss: Loss | None) -> None:
        """Raise unless the owner has said all that must be said."""
        if loss is None and self.remembered is not None:
            raise LedgerDamaged(
                f"the backup ends with row {self.last}, but the anchor {self.anchor} remembers row {self.remembered}: "
                f"what was spent in the rows between is not in it; use a newer backup, or give up all that was left of "
                f"the limit with {ACCEPT}"
            )
        if loss is None:
            where = "no anchor was named" if self.anchor is None else f"there is no anchor at {self.anchor}"
            raise LedgerUnavailable(
                f"{where}, so nobody knows what was spent after row {self.last}, the last of the backup: name it with "
                f"--anchor, or if it is lost give up all that was left of the limit with {ACCEPT}"
            )
        if self.acted and loss.limit is None:
            raise InvalidParameter(
                f"caps, periods or names were changed after row {self.last}, the last of the backup: say the highest "
                f"limit of the dataset since then beside {ACCEPT}, with --epsilon and --delta or with --rho"
            )


def _lost(books: Books, missing: Missing | None, loss: Loss) -> Facts:
    """The entry that charges whatever the missing rows may have spent."""
    dataset = books.dataset
    rows = None
    room = books.room(books.terms.limit if dataset.limit is None else dataset.limit)
    if loss.limit is not None:
        parts = zip(room.parts, books.room(loss.limit).parts, strict=True)
        room = Amount(*map(max, parts), units=room.units)
    if missing is not None and missing.remembered is not None:
        rows = missing.remembered - missing.last
    return {
        "kind": "lost",
        "rows": rows,
        "limit": None if loss.limit is None else promise_facts(loss.limit),
        "cost": amount_facts(kept(room)),
        "reason": loss.reason,
    }
