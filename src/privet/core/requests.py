"""Requests: what a key is bound to, so that it never brings back the answer to another question."""

import hashlib
from collections.abc import Sequence

from privet.core.journals.chain import canonical
from privet.core.journals.terms import refuse_wordless


def request_of(analyst: str | None, dataset: str, purpose: str, facts: Sequence[object], *, key: str) -> str:
    """A hash of everything that is asked.

    Args:
        analyst: who asks.
        dataset: the name of the data.
        purpose: what the answer is for.
        facts: what else must be the same.
        key: refused if it is no text.
    """
    refuse_wordless(key, "key must be a text that no other question has, such as a UUID")
    return hashlib.sha256(canonical([analyst, dataset, purpose, *facts]).encode()).hexdigest()
