"""Protocols that are wrong in one place each: the simulation must find every one of them."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from privet.core import Ledger
from privet.core.journals import Entry, anchor, sqlite
from privet.core.journals.books import Books, Refusal
from privet.core.journals.chain import Facts
from privet.core.journals.handle import Handle
from privet.core.journals.journal import Journal
from privet.core.journals.mark import SLOT, Mark
from privet.core.journals.repeat import Repeat
from privet.core.journals.sqlite import SqliteJournal

Plant = Callable[[pytest.MonkeyPatch], None]


def compare_then_append(patch: pytest.MonkeyPatch) -> None:
    """Caps are compared in one transaction, and the spend is appended in the next."""
    right = Journal._spent
    compare = Books.refusal
    appending = set[int]()  # the tasks that have compared: they take turns, so nothing else may tell them apart

    def refusal(self: Books, facts: Facts) -> Refusal | None:
        return None if threading.get_ident() in appending else compare(self, facts)

    def spent(self: Journal, entry: Entry, draws: Sequence[Entry]) -> tuple[int | Refusal | Repeat, bool]:
        with self._steady(), self._writing() as pages:
            refused = self._caught_up(pages).refusal(entry.facts)
        if refused is not None:
            return refused, False
        appending.add(threading.get_ident())
        try:
            return right(self, entry, draws)
        finally:
            appending.discard(threading.get_ident())

    patch.setattr(Books, "refusal", refusal)
    patch.setattr(Journal, "_spent", spent)


def commits_not_flushed(patch: pytest.MonkeyPatch) -> None:
    """A commit returns before the log is on the disk."""
    right = SqliteJournal._prepare

    def prepare(self: SqliteJournal, connection: Any, **how: Any) -> None:  # noqa: ANN401 - as the right one
        right(self, connection, **how)
        connection.execute("PRAGMA synchronous = NORMAL")

    patch.setattr(SqliteJournal, "_prepare", prepare)


def anchor_not_flushed(patch: pytest.MonkeyPatch) -> None:
    """The anchor is written and not flushed."""

    def write(file: int, slot: int, mark: Mark) -> None:
        vars(anchor)["os"].pwrite(file, mark.slot(), slot * SLOT)  # what stands in for it

    patch.setattr(anchor, "_write", write)


def anchor_name_not_flushed(patch: pytest.MonkeyPatch) -> None:
    """A new anchor is flushed, and the folder with its name is not."""
    for module in (anchor, sqlite):
        patch.setattr(module, "sync_folder", lambda _: None)


def anchor_before_commit(patch: pytest.MonkeyPatch) -> None:
    """The anchor learns of rows before they are committed."""
    right = Handle._append

    def append(self: Handle, *how: Any) -> Any:  # noqa: ANN401 - as the right one
        written = right(self, *how)
        self._committed(written[-1][0])
        return written

    patch.setattr(Handle, "_append", append)


def answer_not_stored(patch: pytest.MonkeyPatch) -> None:
    """An answer with a key is given and not kept."""
    patch.setattr(Ledger, "_store", lambda *_: None)


def not_held(patch: pytest.MonkeyPatch) -> None:
    """Who computes an answer does not show it to others."""
    patch.setattr(SqliteJournal, "_hold", lambda *_: None)


PLANTED: dict[Plant, str] = {  # and what must be found
    compare_then_append: "is recorded, and the limit is",
    commits_not_flushed: "its spend is not on the disk",
    anchor_not_flushed: "the anchor on the disk does not know",
    anchor_name_not_flushed: "the anchor on the disk does not know",
    anchor_before_commit: "LedgerDamaged",
    answer_not_stored: "was answered, and then its answer was said to be lost",
    not_held: "was answered after its answer was said to be lost",
}
