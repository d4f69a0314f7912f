"""AnchoredJournal: what journals that outlive their process have in common."""

import os
from abc import abstractmethod
from contextlib import suppress
from enum import Enum
from pathlib import Path

from privet.core.journals.anchor import Anchor
from privet.core.journals.chain import Row
from privet.core.journals.journal import Journal
from privet.core.journals.witness import AnchorWitness, Witness
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable


class Vouched(Enum):
    """What the owner vouches for while they mend an anchor."""

    NOTHING = "nothing"
    ACTS = "what only the owner may do"  # and that was done without this anchor
    ALL = "every row"


class AnchoredJournal(Journal):
    """A journal with an anchor, and with connections that forked children must not touch.

    Args:
        anchor: where the anchor is; None for none.
        timeout: how many seconds to wait for others who use it.
    """

    def __init__(self, anchor: str | Path | None, *, timeout: float) -> None:
        super().__init__()
        self.anchor = None if anchor is None else Anchor(resolved(anchor), timeout=timeout)
        self._vouched = Vouched.NOTHING
        self._closing = False  # when nothing is being answered any more

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
        """Let go of files and connections; the handle opens them again when it is used.

        While other threads compute answers their files stay open until they are done: others see by them that somebody
        does, and would take the answers for lost.
        """
        with self._entered():
            self._closing = bool(self._running)
            if not self._closing:
                self._shut()

    def _shut(self) -> None:
        self._disconnect()
        if self.anchor is not None:
            self.anchor.abandon()

    def _idle(self) -> None:
        if self._closing:
            self._closing = False
            self._shut()

    def __del__(self) -> None:
        """Nobody can use it any more: close what is open, without waiting for the collector to complain."""
        with suppress(Exception), self._entered():
            self._shut()

    def _forked(self) -> None:
        self._abandon()
        if self.anchor is not None:
            self.anchor.abandon()
        self._pid = os.getpid()

    # --- the owner mends an anchor ----------------------------------------------------------------------------

    def recreate_anchor(self, *, reason: str) -> None:
        """Make a new anchor for a journal that has lost its own: the owner vouches for the rows that are there.

        Everything else is checked, and the entry says that it was done and why.
        """
        self._vouch(Vouched.ALL, reason)

    def accept_acts(self, *, reason: str) -> None:
        """Let the anchor attest what the owner did without it, from another host: they vouch for that.

        Whatever else the anchor remembers is compared as ever, and the entry says that it was done and why.
        """
        self._vouch(Vouched.ACTS, reason)

    def move_anchor(self, path: Path) -> None:
        """Move the anchor to another place, from where on it must be named."""
        old = self._needed_anchor()
        new = Anchor(resolved(path), timeout=old.timeout)
        if new.exists:
            raise InvalidParameter(f"{path} is there already: name a new file")
        self.verify()
        with self._steady(), self._writing() as pages:  # alone, so that nothing is announced in the old one meanwhile
            self._caught_up(pages)
            new.create(self.identity, self._seen())
            self.anchor = new
            old.remove()

    def _vouch(self, what: Vouched, reason: str) -> None:
        anchor = self._needed_anchor()
        self._vouched = what
        try:
            self.open()
            self.verify()
            with self._steady(), self._writing() as pages:
                self._caught_up(pages)
                if what is Vouched.ALL:
                    anchor.create(self.identity, self._seen())
                else:
                    anchor.advance(self.identity, self._seen())
        finally:
            self._vouched = Vouched.NOTHING
        self._own(lambda *_: {"kind": "anchored", "reason": reason}, announced=False)

    def _needed_anchor(self) -> Anchor:
        if self.anchor is None:
            raise LedgerUnavailable(f"{self.place} has no anchor: name its place with anchor=…")
        return self.anchor

    # --- the anchor -------------------------------------------------------------------------------------------

    @property
    def _watched(self) -> bool:
        return self.anchor is not None

    def _witness(self) -> Witness:
        if self.anchor is None or self._vouched is Vouched.ALL:
            return Witness()
        found = self.anchor.read()
        return AnchorWitness(self.place, str(self.anchor.path), found, vouched=self._vouched is Vouched.ACTS)

    def _begin(self, row: Row) -> None:
        if self.anchor is not None:
            self.anchor.begin(row)

    def _announce(self, row: Row) -> None:
        if self.anchor is not None and self._first is not None:
            self.anchor.announce(self._first.hash, row, after=self._seen())

    def _committed(self, row: Row) -> None:
        if self.anchor is None or self._first is None or self._vouched is not Vouched.NOTHING:
            return
        try:
            self.anchor.advance(self._first.hash, row)
        except Exception as problem:  # not an interrupt: nothing was read, and the next row takes this one along
            self._broken = str(problem) or type(problem).__name__
            raise

    def _refuse_lost(self) -> None:
        if self.anchor is None or not self.anchor.exists:
            return
        found = self.anchor.read()
        if not found.begun:
            raise LedgerDamaged(
                f"{self.place} is empty, but the anchor {self.anchor.path} remembers its row {found.mark.sequence}: "
                "put the journal back, or remove the anchor too if the data was never asked about"
            )


def resolved(path: str | Path) -> Path:
    """The path that a name leads to, wherever links point."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        raise InvalidParameter(f"{str(path)!r} cannot be the name of a file: name another one") from None
