"""Places: which journal an address means."""

from pathlib import Path
from urllib.parse import unquote

from privet.core.journals.journal import Journal
from privet.core.journals.memory import MemoryJournal
from privet.core.journals.sqlite import SqliteJournal
from privet.core.signals import deferred
from privet.errors import InvalidParameter


def journal_at(address: "str | Path | Journal | None", *, anchor: str | Path | None = None) -> Journal:
    """The journal at an address.

    Args:
        address: "sqlite:///ledger.db" (a path after three slashes, absolute after four), "postgresql://…", a path,
            a journal, or None for one in memory.
        anchor: where its anchor is; by default beside a SQLite file, and nowhere for PostgreSQL.

    Example:
        >>> journal_at("sqlite:////srv/privet/ledger.db").place
        '/srv/privet/ledger.db'
    """
    if isinstance(address, Journal):
        return address
    if address is None:
        return MemoryJournal()
    text = str(address)
    if text.startswith("sqlite:///") and len(text) > len("sqlite:///"):
        return SqliteJournal(unquote(text.removeprefix("sqlite:///")), anchor=anchor)
    if text.startswith(("postgresql://", "postgres://")):
        with deferred():  # a library that is interrupted while it is imported cannot be imported again
            from privet.core.journals.postgres import PostgresJournal  # noqa: PLC0415 - its library is an extra

        return PostgresJournal(text, anchor=anchor)
    if "://" in text or not text.strip():
        raise InvalidParameter(
            f'a journal is at "sqlite:///ledger.db" or "postgresql://host/database?ledger=name", got {text!r}'
        )
    return SqliteJournal(text, anchor=anchor)
