"""PostgresReader: a journal in PostgreSQL for a role that may only SELECT from it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.core.journals.postgres import PostgresJournal
from privet.core.journals.reader import Reader

if TYPE_CHECKING:
    import psycopg


class PostgresReader(Reader, PostgresJournal):
    """A journal in PostgreSQL that is only read: in read-only transactions, without a lock on the table.

    Args:
        address: as of `PostgresJournal`; the role needs USAGE of the schema and SELECT on its table.
        anchor: a file on this host that remembers rows; without it, the default, rows are checked by their chain alone.
    """

    def __init__(self, address: str, *, anchor: str | Path | None = None) -> None:
        PostgresJournal.__init__(self, address, anchor=anchor)
        self._before = None

    def _prepare(self, connection: "psycopg.Connection[Any]", *, create: bool) -> None:  # noqa: ARG002 - nothing is made
        super()._prepare(connection, create=False)
        connection.execute("SET default_transaction_read_only = on")
