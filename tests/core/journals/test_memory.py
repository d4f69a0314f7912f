"""MemoryJournal: the contract, and what is special about memory."""

import os
import warnings
from fractions import Fraction

import pytest

from privet.core import Ledger, MemoryJournal
from privet.core.journals.handle import CHECKPOINT
from privet.errors import BudgetExceeded, LedgerDamaged, LedgerUnavailable
from privet.loss import Amount, Guarantee
from tests.contracts.journal import JournalContract
from tests.support.ledger_processes import ask, new_ledger, priced


class TestContract(JournalContract):
    @pytest.fixture
    def address(self) -> None:
        return None


def test_a_fork_is_not_a_second_budget() -> None:
    ledger = new_ledger(None)
    ask(ledger)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking while threads run is what is tested
        child = os.fork()
    if child == 0:
        try:
            ask(ledger)
        except LedgerUnavailable:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    ask(ledger)


def test_a_changed_row_is_noticed() -> None:
    journal = MemoryJournal()
    ledger = new_ledger(journal)
    ask(ledger)
    ask(ledger)
    assert len(list(journal.rows())) == 3  # entries become rows when somebody reads
    row = journal._pages.list[1]
    journal._pages.list[1] = type(row)(row.sequence, row.body.replace("a count", "a count!"), row.hash)
    with pytest.raises(LedgerDamaged, match="row 1 was changed"):
        ledger.verify()
    assert isinstance(ledger, Ledger)


@pytest.mark.soak
def test_a_million_tiny_spends_fill_their_limit_exactly() -> None:
    """What floats would lose: 10^6 x 1e-12 is 1e-6, through a ledger, and not one more fits."""
    ledger = new_ledger(MemoryJournal(), Guarantee("1e-6"))
    tiny = Amount(Fraction(1, 10**12), Fraction(0), units=("epsilon", "delta"))
    for _ in range(10**6):
        ledger._spend(priced(tiny))
    assert ledger.journal.books().dataset.spent.epsilon == Fraction(1, 10**6)
    with pytest.raises(BudgetExceeded):
        ledger._spend(priced(Amount(Fraction(1, 10**30), Fraction(0), units=("epsilon", "delta"))))
    assert ledger.journal.head().sequence == 10**6 + 10**6 // CHECKPOINT
