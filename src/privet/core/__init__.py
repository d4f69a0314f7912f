"""The exit: a secret goes in, a receipt is written, a release comes out."""

from privet.core.calibrate import calibrate
from privet.core.journals import DATASET, Entry, Journal, MemoryJournal, Scope, journal_at
from privet.core.ledger import Ledger, Reservation
from privet.core.mechanism import Mechanism
from privet.core.release import Release
from privet.core.sensitive import Sensitive
from privet.core.sensitivity import Sensitivity
from privet.core.uncertainty import Uncertainty
from privet.core.unit import Unit

__all__ = [
    "DATASET",
    "Entry",
    "Journal",
    "Ledger",
    "Mechanism",
    "MemoryJournal",
    "Release",
    "Reservation",
    "Scope",
    "Sensitive",
    "Sensitivity",
    "Uncertainty",
    "Unit",
    "calibrate",
    "journal_at",
]
