"""Witness: what is known of a journal's rows from elsewhere, compared with them as they are read."""

from dataclasses import dataclass

from privet.core.journals.books import OWNERS
from privet.core.journals.chain import Facts, Row
from privet.core.journals.mark import Remembered
from privet.errors import LedgerDamaged

ACCEPT = "`privet ledger anchor --accept --reason …`"


class Witness:
    """Knows nothing: a journal without an anchor is believed by its chain alone."""

    sequence: int | None = None  # of the row up to which the journal is known; None if nothing is

    def first(self, row: Row) -> None:
        """Refuse the first row of another journal."""

    def compare(self, row: Row) -> None:
        """Refuse another row than the one that is known at its place."""

    def saw(self, row: Row, facts: Facts) -> None:
        """Refuse a row that is not the known one, or that nobody may have written."""

    def ended(self, last: Row) -> None:
        """Refuse a journal that ends here."""


@dataclass
class AnchorWitness(Witness):
    """Knows what an anchor remembers. It is made before rows are read: those are then no older than what it knows.

    Args:
        place: where the journal is, for people.
        path: where the anchor is, for people.
        remembered: what it says.
        vouched: whether the owner vouches for what they did without this anchor.

    Privacy: up to the remembered row the chain of hashes leads to what the anchor holds, so every row is as it was when
        a process that could write the anchor had checked it. After it, spends are believed: they only take. A row that
        only the owner may write is believed if it was announced. So who can write rows, and not the anchor, cannot
        raise a limit.
    """

    place: str
    path: str
    remembered: Remembered
    vouched: bool = False

    def __post_init__(self) -> None:
        self.sequence: int = self.remembered.mark.sequence

    def first(self, row: Row) -> None:
        """Refuse the first row of another journal."""
        if self.remembered.mark.journal != row.hash.hex():
            raise LedgerDamaged(
                f"{self.place} is not the journal that the anchor {self.path} belongs to: put back the right journal, "
                "or name its own anchor with anchor=…"
            )

    def compare(self, row: Row) -> None:
        """Refuse another row than the remembered one at its place."""
        if row.sequence == self.sequence and not self.remembered.mark.is_of(row):
            raise LedgerDamaged(
                f"row {row.sequence} is not the one that the anchor remembers: the journal was rewritten; put back the "
                "right one"
            )

    def saw(self, row: Row, facts: Facts) -> None:
        """Refuse another row than the remembered one, and what only the owner may write if it was not announced."""
        self.compare(row)
        if self.vouched or row.sequence <= self.sequence or facts.get("kind") not in OWNERS:
            return
        announced = self.remembered.announced
        if announced is None or not announced.is_of(row):
            raise LedgerDamaged(
                f"row {row.sequence} changes what only the owner may, and the anchor does not know it: if the owner "
                f"did that without this anchor, they say so with {ACCEPT}; if not, it is forged"
            )

    def ended(self, last: Row) -> None:
        """Refuse a journal that ends before the row that is remembered."""
        if last.sequence < self.sequence:
            raise LedgerDamaged(
                f"{self.place} ends with row {last.sequence}, but its anchor remembers row {self.sequence}: an older "
                "copy was put back, or its end was cut off; put back the newest copy, or count the limit as spent"
            )
