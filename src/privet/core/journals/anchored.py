"""AnchoredJournal: what journals that outlive their process have in common."""

import os
from abc import abstractmethod
from contextlib import suppress
from pathlib import Path

from privet.core.journals.anchor import Anchor
from privet.core.journals.chain import Row
from privet.core.journals.journal import Journal
from privet.errors import LedgerDamaged, LedgerUnavailable


class AnchoredJournal(Journal):
    """A journal with an anchor, and with connections that forked children must not touch.

    Args:
        anchor: where the anchor is; None for none.
    """

    def __init__(self, anchor: Path | None) -> None:
        super().__init__()
        self.anchor = None if anchor is None else Anchor(anchor)

    @abstractmethod
    def _connect(self, *, create: bool) -> None:
        """Open the place, making it if allowed; refuse what is not a journal that this Privet knows."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Close what is open."""

    @abstractmethod
    def _abandon(self) -> None:
        """In a forked child: forget what is open without closing what the parent still uses."""

    def close(self) -> None:
        """Let go of files and connections; the handle opens them again when it is used."""
        with self._lock:
            self._disconnect()
            if self.anchor is not None:
                self.anchor.abandon()

    def __del__(self) -> None:
        """Nobody can use it any more: close what is open, without waiting for the collector to complain."""
        with suppress(Exception):
            self.close()

    def _forked(self) -> None:
        self._abandon()
        if self.anchor is not None:
            self.anchor.abandon()
        self._pid = os.getpid()

    def recreate_anchor(self, *, reason: str) -> None:
        """Make a new anchor for a journal that has lost its own: the owner vouches for the rows that are there.

        Everything else is checked, and the entry says that it was done and why.
        """
        if self.anchor is None:
            raise LedgerUnavailable(f"{self.place} has no anchor: name its place with anchor=…")
        with self._steady(), self._writing() as pages:
            first = next(pages.rows(0, 0), None)
            if first is None:
                raise LedgerUnavailable(f"there is no ledger at {self.place}")
            self._first, anchor, self.anchor = first, self.anchor, None  # nothing is trusted while the rows are read
            try:
                self._load(pages, first)
            finally:
                self.anchor = anchor
        anchor.create(first.hash, self._seen(), replace=True)
        self.verify()
        self._own(lambda *_: {"kind": "anchored", "reason": reason}, announced=False)

    # --- the anchor -------------------------------------------------------------------------------------------

    def _committed(self, row: Row) -> None:
        if self.anchor is None or self._first is None:
            return
        try:
            if row.sequence == 0 and not self.anchor.exists:
                self.anchor.create(row.hash, row)
            self.anchor.advance(self._first.hash, row)
        except BaseException as problem:
            self._broken = str(problem) or type(problem).__name__
            raise

    def _refuse_behind(self, head: Row) -> None:
        if self.anchor is not None:
            sequence, known = self._trusted(head.sequence)
            if sequence == head.sequence and known is not None and known != head.hash.hex():
                raise LedgerDamaged(f"row {sequence} is not the one that the anchor remembers")

    def _announce(self, row: Row) -> None:
        if self.anchor is not None and self._first is not None:
            self.anchor.announce(self._first.hash, row)

    def _trusted(self, last: int) -> tuple[int, str | None]:
        if self.anchor is None or (last <= 0 and not self.anchor.exists):
            return last, None
        mark = self.anchor.read()
        if last < 0:
            raise LedgerDamaged(
                f"{self.place} is empty, but the anchor {self.anchor.path} remembers its row {mark.sequence}: put the "
                "journal back, or remove the anchor too if the data was never asked about"
            )
        if self._first is not None and mark.journal != self._first.hash.hex():
            raise LedgerDamaged(f"{self.place} is not the journal that the anchor {self.anchor.path} belongs to")
        if mark.sequence > last:
            raise LedgerDamaged(
                f"{self.place} ends with row {last}, but its anchor remembers row {mark.sequence}: an older copy was "
                "put back, or its end was cut off"
            )
        return mark.sequence, mark.hash
