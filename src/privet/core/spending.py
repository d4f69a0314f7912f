"""Spending: a priced entry is written into the journal, or it is said why not."""

from collections.abc import Sequence
from fractions import Fraction

from privet.core.balance import Balance
from privet.core.journals.books import Refusal
from privet.core.journals.entry import Entry
from privet.core.journals.repeat import Repeat
from privet.core.journals.scope import DATASET, scopes_named
from privet.core.journals.terms import LARGEST
from privet.core.refusals import frozen, no_room
from privet.errors import AnalystFrozen, BudgetExceeded, PrivetError
from privet.loss import Amount


class Spending(Balance):
    """The part of a ledger between a price and the journal."""

    _counts_gamma: bool
    _nothing: Amount  # in the rule's units

    def _with_gamma(self, cost: Amount, gamma: Fraction = Fraction(0)) -> Amount:
        """The rule's cost, and γ beside it if this ledger counts that."""
        return cost.and_gamma(gamma) if self._counts_gamma else cost

    def _spend(self, entry: Entry, *, known: bool | None = None) -> int | Repeat:
        """Write a spend; `known` is whether it can be written, where that was computed before."""
        if not (writable(entry.cost) if known is None else known):
            raise self._refused(entry, Refusal(DATASET, self._journal.books().dataset))
        outcome = self._journal.spend(entry)
        if isinstance(outcome, Refusal):
            raise self._no(entry, outcome)
        return outcome

    def _spend_plan(self, entry: Entry, draws: Sequence[Entry]) -> tuple[int | Repeat, bool]:
        if not draws or not writable(entry.cost):
            return self._spend(entry), False
        outcome, drawn = self._journal.spend_plan(entry, draws)
        if isinstance(outcome, Refusal):
            raise self._no(entry, outcome)
        return outcome, drawn

    def _no(self, entry: Entry, refused: Refusal) -> PrivetError:
        return AnalystFrozen(frozen(entry.purpose)) if refused.failed else self._refused(entry, refused)

    def _refused(self, entry: Entry, refused: Refusal) -> BudgetExceeded:
        left = self._left(scopes_named(entry.analyst, entry.purpose))
        said, told = no_room(
            entry, refused, left=left, limit=self.limit, rule=self.rule, counts_gamma=self._counts_gamma
        )
        return BudgetExceeded(said, told=told)


def writable(cost: Amount) -> bool:
    """Whether a journal could write it down at all: not if it is infinite, or beyond all reason."""
    return all(part <= LARGEST for part in cost.parts)


def unrepeated(number: int | Repeat) -> int:
    """The place of an entry that has no key, so cannot be a repetition."""
    if isinstance(number, Repeat):
        raise TypeError("an entry without a key is never a repetition")
    return number
