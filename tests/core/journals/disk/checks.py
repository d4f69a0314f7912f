"""What must hold of a folder, whatever happened to it: answered is part of recorded, recorded is within caps."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from privet.core import Ledger, Scope
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import LedgerUnavailable, PrivetError
from privet.loss import Guarantee
from tests.core.journals.disk.programs import ADA, LIMIT, Fact
from tests.support.ledger_processes import PERSON, ask

PATIENCE = 5.0  # seconds that a newcomer waits before the ledger counts as wedged
EXPECTED = frozenset({"LedgerUnavailable", "AnswerLost", "ReleaseFailed", "BudgetExceeded", "AnalystFrozen"})
TOLD = {"made", "answered", "capped", "lost"}
ADVICE = re.compile(r"again|make one|put |name |remove|check |free |ask |use a|run |let this user")


def complaints(folder: Path, facts: Sequence[Fact], label: str = "a newcomer's") -> list[str]:
    """What does not hold when somebody opens the ledger, reads it, checks it and spends; empty if all is well."""
    path = folder / "ledger.db"
    try:
        ledger = _opened(path, facts)
    except PrivetError as problem:
        return [f"does not open: {type(problem).__name__} {problem}"]
    with ledger:
        found = [*_unrecorded(ledger, facts), *_overspent(ledger, facts)]
        try:
            ledger.verify()
            ask(ledger, label)
        except PrivetError as problem:
            found.append(f"does not go on: {type(problem).__name__} {problem}")
        return found


def _opened(path: Path, facts: Sequence[Fact]) -> Ledger:
    journal = SqliteJournal(path, timeout=PATIENCE)
    try:
        return Ledger.open(journal)
    except LedgerUnavailable as problem:
        told = [fact for fact in facts if TOLD & fact.keys()]
        if not told and "make one with" in str(problem):  # half made, and nobody was told that it was
            return Ledger(Guarantee(LIMIT), unit=PERSON, journal=SqliteJournal(path, timeout=PATIENCE), create=True)
        if any("lost" in fact for fact in told) and "anchor --recreate" in str(problem):
            journal.recreate_anchor(reason="lost")
            return Ledger.open(journal)
        raise


def _unrecorded(ledger: Ledger, facts: Sequence[Fact]) -> list[str]:
    entries = {entry.purpose: entry for entry in ledger.entries}
    found = []
    anchored = ledger.journal.anchor.read().mark.sequence  # type: ignore[attr-defined] # a SqliteJournal has one
    for fact in facts:
        label, key = fact.get("answered"), fact.get("key")
        if label is None:
            continue
        if label not in entries:
            found.append(f"{label!r} was answered and is not recorded")
        elif entries[label].sequence > anchored:
            found.append(f"{label!r} was answered and the anchor does not know")
        elif key is not None and ask(ledger, label, key=key).to_json() != fact["text"]:
            found.append(f"{label!r} is answered in two ways")
    return found


def _overspent(ledger: Ledger, facts: Sequence[Fact]) -> list[str]:
    entries = ledger.entries
    found = [
        f"{label!r} was charged {n} times"
        for label, n in Counter(e.purpose for e in entries if e.kind != "draw").items()
        if n > 1
    ]
    account = ledger.journal.books().account(Scope("ada"))
    if ledger.spent.epsilon > LIMIT or account.spent.epsilon > ADA:
        found.append("spent more than the caps")
    accounts = ledger.journal.books().account
    caps = [(fact["capped"], Guarantee(fact["epsilon"])) for fact in facts if "capped" in fact]
    found += [f"the cap of {who} was told and is not there" for who, cap in caps if accounts(Scope(who)).limit != cap]
    return found


def wrong_errors(facts: Sequence[Fact], *, unread: bool) -> list[str]:
    """Errors that are not the ledger's own, say nothing to do, or call a file damaged that is not.

    Args:
        facts: what was told.
        unread: a part of a file could not be read, which SQLite calls damaged.
    """
    found = []
    for fact in facts:
        if unread and "is damaged (" in fact.get("sentence", ""):
            continue
        if "error" in fact and fact["error"] not in EXPECTED:
            found.append(f"raised {fact['error']}: {fact['sentence']}")
        elif fact.get("ours") and not ADVICE.search(fact["sentence"]):
            found.append(f"does not say what to do: {fact['sentence']}")
    return found
