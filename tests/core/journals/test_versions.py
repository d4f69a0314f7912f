"""Journals of every version that was ever written still open, with the same totals.

`stored/version-1.db` was written once and is never made again: when the format changes, its old files stay here.
"""

import shutil
from fractions import Fraction
from pathlib import Path

from privet.core import Ledger, Scope
from privet.loss import Guarantee
from tests.support.ledger_processes import COUNT, ask

STORED = Path(__file__).with_name("stored")


def test_version_1_opens(tmp_path: Path) -> None:
    for path in STORED.glob("version-1.db*"):
        shutil.copy(path, tmp_path / path.name)
    with Ledger.open(f"sqlite:///{tmp_path}/version-1.db", analyst="ada", dataset="a view") as ledger:
        assert ledger.verify() == 11
        books = ledger.journal.books()
        assert (books.dataset.limit, books.dataset.spent.epsilon) == (Guarantee(10, "1e-6"), 4)
        assert (books.account(Scope("ada")).period, books.account(Scope("ada")).spent.epsilon) == (2, 1)
        assert books.account(Scope(purpose="beds")).spent.epsilon == 1
        assert books.declared == {"retention": "one year"}
        assert [entry.kind for entry in ledger.entries] == ["release", "reservation", "draw", "release"]
        assert ledger.entries[0].loss == COUNT.loss
        assert sum(sum(left.values()) for left in books.plans.values()) == 1
        stored = ask(ledger, "beds", key="k")
        assert stored.purpose == "beds"
        assert ledger.spent.epsilon == 4
        ask(ledger)


def test_version_1_with_lost_rows_opens(tmp_path: Path) -> None:
    """A backup of the journal above, restored when its anchor remembered three rows more."""
    for path in STORED.glob("version-1-lost.db*"):
        shutil.copy(path, tmp_path / path.name)
    with Ledger.open(f"sqlite:///{tmp_path}/version-1-lost.db", analyst="ada") as ledger:
        assert ledger.verify() == 12
        books = ledger.journal.books()
        assert (books.dataset.spent.epsilon, books.lost.epsilon, books.lost.delta) == (10, 6, Fraction(1, 10**6))
        assert (books.account(Scope("new")).spent.epsilon, books.plans) == (6, {})
