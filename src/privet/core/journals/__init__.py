"""Journals: where ledgers keep their entries, in memory, in a SQLite file or in PostgreSQL."""

from privet.core.journals.account import Account
from privet.core.journals.anchor import Anchor
from privet.core.journals.books import Books, Refusal
from privet.core.journals.chain import Row
from privet.core.journals.entry import Entry
from privet.core.journals.journal import Journal
from privet.core.journals.memory import MemoryJournal
from privet.core.journals.places import journal_at
from privet.core.journals.repeat import Repeat
from privet.core.journals.scope import DATASET, Scope
from privet.core.journals.terms import Terms

__all__ = [
    "DATASET",
    "Account",
    "Anchor",
    "Books",
    "Entry",
    "Journal",
    "MemoryJournal",
    "Refusal",
    "Repeat",
    "Row",
    "Scope",
    "Terms",
    "journal_at",
]
