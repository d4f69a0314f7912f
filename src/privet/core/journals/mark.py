"""Mark: one row of a journal, as its anchor remembers it; and what an anchor's file says altogether."""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from privet.core.journals.chain import Row
from privet.core.journals.versions import refuse_version
from privet.errors import LedgerDamaged

SLOT = 512  # bytes: one sector, which disks write whole
SLOTS = 3
ANNOUNCED = 2  # the slot of what the owner is about to commit
BLANK = b" " * SLOT
RECREATE = "`privet ledger anchor --recreate --reason …`"
VERSION = 1  # of what a slot says; the first one does not say it
LARGEST = 2**63  # sequences are below it, in every place where rows are kept
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Mark:
    """One remembered row.

    Args:
        journal: the hash of the journal's first row, in hexadecimal.
        sequence: which row.
        hash: its hash, in hexadecimal.
    """

    journal: str
    sequence: int
    hash: str

    @classmethod
    def of_row(cls, journal: bytes, row: Row) -> "Mark":
        """The mark of a row."""
        return cls(journal.hex(), row.sequence, row.hash.hex())

    def is_of(self, row: Row) -> bool:
        """Whether this is the row that is remembered."""
        return (self.sequence, self.hash) == (row.sequence, row.hash.hex())

    def slot(self) -> bytes:
        """The mark as a slot holds it."""
        text = f'{{"journal": "{self.journal}", "sequence": {self.sequence}, "hash": "{self.hash}"}}'
        return f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}\n".encode().ljust(SLOT)

    @staticmethod
    def of(slot: bytes, path: str) -> "Mark | None":
        """The mark in a slot, or None if it is empty or torn; refuses what is whole and no mark of this Privet."""
        checksum, _, text = slot.decode("ascii", "replace").strip().partition(" ")
        if not text or hashlib.sha256(text.encode()).hexdigest()[:16] != checksum:
            return None
        facts = _facts(text)
        refuse_version(f"{path} is an anchor", facts.pop("version", VERSION), known=VERSION)
        if not _is_mark(facts):
            raise LedgerDamaged(
                f"{path} is not the anchor of a journal, or fields of it are missing: put back the right file, or make "
                f"a new one with {RECREATE}"
            )
        return Mark(**facts)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What an anchor says.

    Args:
        mark: the newest row that is known to be committed; the first one if that is about to be.
        announced: what the owner was about to commit last.
        begun: whether the journal was only about to be made: its first row may not be there.
        slot: where the mark stands.
    """

    mark: Mark
    announced: Mark | None
    begun: bool = False
    slot: int = 1

    @staticmethod
    @lru_cache(maxsize=64)  # the same is read again and again
    def of(content: bytes, path: str) -> "Remembered":
        """What the content of a file says."""
        slots = [content[place * SLOT : (place + 1) * SLOT] for place in range(SLOTS)]
        *marks, announced = (Mark.of(slot, path) for slot in slots)
        found = [(mark, slot) for slot, mark in enumerate(marks) if mark is not None]
        if found:
            newest, slot = max(found, key=lambda pair: pair[0].sequence)
            return Remembered(newest, announced, slot=slot)
        if announced is not None and announced.sequence == 0 and slots[:ANNOUNCED] == [BLANK] * ANNOUNCED:
            return Remembered(announced, announced, begun=True)
        raise LedgerDamaged(
            f"the anchor {path} is not readable: put back the right file, or make a new one with {RECREATE}"
        )


def _facts(text: str) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _is_mark(facts: dict[str, Any]) -> bool:
    if set(facts) != {"journal", "sequence", "hash"} or type(facts["sequence"]) is not int:
        return False
    hashes = (facts["journal"], facts["hash"])
    return 0 <= facts["sequence"] < LARGEST and all(isinstance(each, str) and _HASH.fullmatch(each) for each in hashes)
