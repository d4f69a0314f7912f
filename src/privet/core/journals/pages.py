"""Pages: the rows of a journal, wherever they are."""

from collections.abc import Iterator
from typing import Protocol

from privet.core.journals.chain import Row


class Pages(Protocol):
    """The rows of a journal, inside one transaction."""

    def last(self) -> int | None:
        """The highest sequence; None if there are no rows."""

    def rows(self, first: int, last: int | None = None) -> Iterator[Row]:
        """The rows from `first` on, in order."""

    def append(self, row: Row) -> None:
        """Write one more row."""

    def keyed(self, key: str) -> Row | None:
        """The spend that was made with a key."""

    def answering(self, sequence: int) -> Row | None:
        """The stored answer to a spend."""
