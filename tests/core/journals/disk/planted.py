"""Mistakes that a ledger could make, planted in a running program: the sweep and the replay must find each."""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from privet.core.journals import journal
from privet.core.journals.journal import Journal
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import LedgerUnavailable

Unwatched: Any = SqliteJournal  # so that parts of it may be replaced


def without_syncs() -> None:
    """SQLite's own switch: commits are not flushed."""
    prepare = Unwatched._prepare

    def prepared(self: SqliteJournal, connection: Any, **more: Any) -> None:  # noqa: ANN401 - a stand-in
        prepare(self, connection, **more)
        connection.execute("PRAGMA synchronous = OFF")

    Unwatched._prepare = prepared


def answer_without_spend() -> None:
    """A spend that could not be written is answered all the same."""
    spend = Journal.spend

    def spent(self: Journal, entry: Any) -> Any:  # noqa: ANN401 - a stand-in
        try:
            return spend(self, entry)
        except LedgerUnavailable:
            return 1

    Journal.spend = spent  # type: ignore[method-assign]


def leave_errors() -> None:
    """The errors of SQLite are the caller's business."""

    @contextmanager
    def errors(_: SqliteJournal, **__: bool) -> Iterator[None]:
        yield

    Unwatched._errors_told = errors


def keep_the_lock() -> None:
    """What could not be written is not undone: the transaction stays open, and its lock with it."""
    connect = sqlite3.connect

    class Stubborn(sqlite3.Connection):
        def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:  # noqa: ANN401 - as its parent
            return super().execute("SELECT 1" if sql == "ROLLBACK" else sql, *more)

        def close(self) -> None:
            """Leave it open."""

    def connected(*address: Any, **more: Any) -> sqlite3.Connection:  # noqa: ANN401 - as sqlite3.connect
        return connect(*address, **more, factory=Stubborn)

    sqlite3.connect = connected  # type: ignore[assignment]


def swallow_failed_syncs() -> None:
    """A sync of the anchor that fails is taken for one that did not."""
    sync = os.fdatasync

    def synced(file: int) -> None:
        with suppress(OSError):
            sync(file)

    os.fdatasync = synced  # type: ignore[assignment]


def answer_before_the_commit() -> None:
    """What will be answered is said when it is about to be recorded."""
    from tests.core.journals.disk import programs  # noqa: PLC0415 - which imports nothing of this

    asking: list[tuple[programs.Story, str]] = []
    ask = programs.Story.ask

    def asked(self: programs.Story, label: str, key: str | None = None, by: int = -1) -> None:
        asking.append((self, label))
        ask(self, label, key, by)

    def reached(point: str) -> None:
        if point == "before commit" and asking:
            story, label = asking.pop()
            story.tell(answered=label)

    programs.Story.ask = asked  # type: ignore[method-assign]
    for module in list(sys.modules.values()):  # wherever the function was imported to
        if getattr(module, "reached", None) is journal.reached and module is not journal:
            module.reached = reached  # type: ignore[attr-defined]


PLANTED: dict[str, Callable[[], None]] = {
    "": lambda: None,
    "without syncs": without_syncs,
    "answer without spend": answer_without_spend,
    "leave errors": leave_errors,
    "keep the lock": keep_the_lock,
    "swallow failed syncs": swallow_failed_syncs,
    "answer before the commit": answer_before_the_commit,
}
