"""Fitting: one fit on its way: who pays, about whom, and the rows, unread."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from privet.asking.budget import Budget
from privet.asking.payment import Payment
from privet.core import Ledger, Mechanism, Release, Sensitivity
from privet.core.reservation import Reservation
from privet.core.sensitive import Sensitive
from privet.errors import InvalidParameter
from privet.learn.rows import Rows
from privet.loss import Guarantee, Neighbors
from privet.loss.privacy_loss import sum_of

Compute = Callable[[Rows], Any]


@dataclass(frozen=True)
class Fitting:
    """What a model is fitted with.

    Args:
        payment: price, unit, ledger and purpose.
        rows: X, y and groups, unread.

    Privacy: `release` and `reserve` charge the ledger before a row is read, and are the only readers of rows.
    """

    payment: Payment
    rows: Rows

    @property
    def budget(self) -> Budget:
        """What may be spent: an ε with a δ, or a ρ."""
        return budget_of(self.payment)

    @property
    def replaces(self) -> bool:
        """Whether neighbors have a unit replaced, not added or removed."""
        return replaces(self.payment)

    @property
    def moved_rows(self) -> int:
        """How many rows one unit can have."""
        return self.rows.most

    @property
    def public_length(self) -> int | None:
        """How many rows were given, where all neighbors have as many; None where that is private.

        Rows that do not count (another label, no target) are among them.
        """
        return self.rows.length if self.replaces and self.rows.owners is None else None

    def release(self, compute: Compute, sensitivity: Sensitivity, mechanism: Mechanism[Any, Any]) -> Release[Any]:
        """Charge, compute from the rows, and release, for a model that needs one release.

        Args:
            compute: the exact numbers; gets the rows, and is called once they are paid for.
            sensitivity: how far one unit can move them.
            mechanism: made for that, at this price.
        """
        rows = self.rows
        return self.payment.release(lambda: compute(rows), sensitivity, mechanism)

    def reserve(self, plan: Iterable[Mechanism[Any, Any]]) -> "Draws":
        """Charge for all mechanisms of a plan at once; each is then drawn once. No δ is spent that none of them needs.

        Args:
            plan: fixed before anything is read; together they keep the budget.
        """
        paid = reserved(self.payment, plan)
        return Draws(paid, self)


@dataclass(frozen=True)
class Draws:
    """A plan that is paid for; its mechanisms are drawn one by one, each from numbers that follow the last answer."""

    reservation: Reservation
    fitting: Fitting

    def release(self, compute: Compute, sensitivity: Sensitivity, mechanism: Mechanism[Any, Any]) -> Release[Any]:
        """Compute from the rows, and release by one of the plan's mechanisms."""
        rows = self.fitting.rows
        secret = Sensitive.later(lambda: compute(rows), sensitivity, self.fitting.payment.unit)
        return self.reservation.release(secret, mechanism, purpose=self.fitting.payment.purpose)


def reserved(
    payment: Payment, plan: Iterable[Mechanism[Any, Any]], *, key: str | None = None, question: str = ""
) -> Reservation:
    """Charge for all mechanisms of a plan at once. No δ is spent that none of them needs.

    Args:
        payment: who pays.
        plan: fixed before anything is read; together they keep the budget.
        key: by which a later run finds the plan; that of the payment unless said.
        question: with a key, what else must be the same then.
    """
    mechanisms = tuple(plan)
    together = sum_of(each.loss for each in mechanisms)
    ledger = payment.ledger if payment.ledger is not None else Ledger(payment.price.limit, unit=payment.unit)
    limit = payment.price.limit
    pure = isinstance(limit, Guarantee) and together.meets(Guarantee(limit.epsilon))
    promise = limit if isinstance(limit, Guarantee) and not pure else None
    delta = None if pure else payment.price.delta or None
    key = payment.key if key is None else key
    return ledger.reserve(mechanisms, purpose=payment.purpose, delta=delta, promise=promise, key=key, question=question)


def taken_up(payment: Payment, plan: Iterable[Mechanism[Any, Any]]) -> Reservation:
    """As `reserved`; what a run that has ended reserved with this key is gone on with, for nothing.

    Args:
        payment: who pays.
        plan: the same in both runs.

    Privacy: what can be drawn is what no run has begun to draw (`Ledger.resume`).
    """
    mechanisms = tuple(plan)
    paid = reserved(payment, mechanisms)
    if payment.ledger is None or payment.key is None or not paid.repeated:
        return paid
    return payment.ledger.resume(mechanisms, purpose=payment.purpose, key=payment.key)


def budget_of(payment: Payment) -> Budget:
    """What may be spent: an ε with a δ, or a ρ."""
    if payment.price.budget is None:
        raise InvalidParameter("say what a model may cost with epsilon, epsilon and delta, rho or risk")
    return payment.price.budget


def replaces(payment: Payment) -> bool:
    """Whether neighbors have a unit replaced, not added or removed."""
    return payment.unit.neighbors is Neighbors.REPLACE
