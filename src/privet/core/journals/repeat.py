"""Repeat: what was asked before, found by its key."""

from dataclasses import dataclass

from privet.core.journals.chain import Facts, lookup_key
from privet.core.journals.pages import Pages
from privet.errors import KeyReused


@dataclass(frozen=True)
class Repeat:
    """The spend was made before, with the same key, for the same question.

    Args:
        sequence: its place in the journal.
    """

    sequence: int


def repeated(pages: Pages, facts: Facts) -> Repeat | None:
    """The earlier spend with the same key, if it was for the same question."""
    key = lookup_key(facts)
    if key is None or (row := pages.keyed(key)) is None:
        return None
    if row.facts["request"] != facts["request"]:
        raise KeyReused(
            f"the key {facts['key']!r} belongs to another question (entry {row.sequence}): use a new key for each "
            "question"
        )
    return Repeat(row.sequence)
