"""The chain: every row of a journal carries the hash of all rows before it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from privet.errors import LedgerDamaged

Facts: TypeAlias = Mapping[str, Any]  # what a row says; JSON

BEFORE_ALL = bytes(32)  # what stands before the first row
_write = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_read = json.JSONDecoder().raw_decode
_DOMAIN = b"privet ledger row 1\n"  # no other hash of Privet starts like this


class Row(NamedTuple):
    """One line of a journal as it is stored.

    Args:
        sequence: 0, 1, 2, …, without gaps.
        body: what it says, as canonical JSON in ASCII.
        hash: SHA-256 over the hash of the row before, the sequence and the body.
        key: the idempotency key in the body, where it can be looked up.
        answers: the sequence of the spend that the body answers, where it can be looked up.
    """

    sequence: int
    body: str
    hash: bytes
    key: str | None = None
    answers: int | None = None

    @classmethod
    def after(cls, previous: "Row | None", facts: Facts) -> "Row":
        """The row that says this, linked to the one before."""
        sequence = 0 if previous is None else previous.sequence + 1
        body = canonical(facts)
        before = BEFORE_ALL if previous is None else previous.hash
        return cls(sequence, body, digest(before, sequence, body), lookup_key(facts), facts.get("to"))

    def facts_after(self, previous: "Row | None") -> Facts:
        """What the row says, if it is what was written after that row; else `LedgerDamaged`."""
        before = BEFORE_ALL if previous is None else previous.hash
        expected = 0 if previous is None else previous.sequence + 1
        if self.sequence != expected:
            raise LedgerDamaged(f"row {expected} is missing: the journal goes on with row {self.sequence}")
        if digest(before, self.sequence, self.body) != self.hash:
            raise LedgerDamaged(f"row {self.sequence} was changed: its hash is not that of its text and its past")
        return self.facts

    @property
    def facts(self) -> Facts:
        """What the row says."""
        try:
            facts, end = _read(self.body)
        except (ValueError, RecursionError) as problem:
            raise LedgerDamaged(f"row {self.sequence} was changed: it is not JSON") from problem
        if end != len(self.body) or not isinstance(facts, dict):
            raise LedgerDamaged(f"row {self.sequence} was changed: it is not one JSON object")
        if lookup_key(facts) != self.key or facts.get("to") != self.answers:
            raise LedgerDamaged(f"row {self.sequence} was changed: it is filed under another key")
        return facts


def canonical(facts: object) -> str:
    """One text for equal facts: sorted, without spaces, ASCII."""
    return _write(facts)


def digest(before: bytes, sequence: int, body: str) -> bytes:
    """The hash of a row."""
    return hashlib.sha256(_DOMAIN + before + sequence.to_bytes(8, "big") + body.encode()).digest()


def lookup_key(facts: Facts) -> str | None:
    """The idempotency key under which a spend is found: every analyst has keys of their own."""
    return None if facts.get("key") is None else canonical([facts.get("analyst"), facts["key"]])
