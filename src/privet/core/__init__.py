"""The exit: a secret goes in, a receipt is written, a release comes out.

Here are the nouns of every release (`Unit`, `Sensitivity`, `Sensitive`, `Mechanism`, `Uncertainty`, `Release`), the
`Ledger` that charges, and the journals it charges in.

May import: errors, wording, display, loss, noise.
Never touches: statements, engines with data, HTTP.
"""

from privet.core.calibrate import calibrate
from privet.core.dataset import Dataset
from privet.core.enumerated_sensitivity import enumerated_sensitivity
from privet.core.journals import DATASET, Entry, Journal, MemoryJournal, Scope, journal_at
from privet.core.ledger import Ledger
from privet.core.mechanism import Mechanism
from privet.core.partition import Partition
from privet.core.release import Release
from privet.core.reservation import Reservation
from privet.core.sensitive import Sensitive
from privet.core.sensitivity import Sensitivity
from privet.core.uncertainty import Uncertainty
from privet.core.unit import Unit

__all__ = [
    "DATASET",
    "Dataset",
    "Entry",
    "Journal",
    "Ledger",
    "Mechanism",
    "MemoryJournal",
    "Partition",
    "Release",
    "Reservation",
    "Scope",
    "Sensitive",
    "Sensitivity",
    "Uncertainty",
    "Unit",
    "calibrate",
    "enumerated_sensitivity",
    "journal_at",
]
