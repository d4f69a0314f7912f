"""Account: what one scope may spend and has spent."""

from dataclasses import dataclass

from privet.core.journals.tally import added
from privet.loss import Amount, Promise


@dataclass(frozen=True)
class Account:
    """What one scope may spend and has spent.

    Args:
        spent: in this period.
        total: in all periods.
        limit: the cap of each period; None if there is none.
        capacity: the cap in the terms of the rule.
        frozen: whether nothing more may be spent until the owner thaws it.
        period: 1, 2, 3, …; a renewal starts the next.
        tracked: whether it is counted from its first spend on.
    """

    spent: Amount
    total: Amount
    limit: Promise | None = None
    capacity: Amount | None = None
    frozen: bool = False
    period: int = 1
    tracked: bool = True

    def charged(self, cost: Amount) -> "Account":
        """The account after a spend."""
        spent = added(self.spent, cost)
        total = spent if self.period == 1 else added(self.total, cost)
        after = object.__new__(Account)  # nothing else changes, and this happens for every spend
        after.__dict__.update(self.__dict__, spent=spent, total=total)
        return after

    def holds(self) -> bool:
        """Whether what was spent is within the cap, and nothing is frozen."""
        return not self.frozen and (self.capacity is None or self.spent.fits(self.capacity))

    def allows(self, cost: Amount) -> bool:
        """Whether a spend fits."""
        return not self.frozen and (self.capacity is None or added(self.spent, cost).fits(self.capacity))

    @property
    def remaining(self) -> Amount | None:
        """What may still be spent in this period; None if there is no cap."""
        if self.capacity is None:
            return None
        return self.capacity * 0 if self.frozen else self.capacity.less(self.spent)
