"""Plans: losses that are paid for as a whole, recalled by their key, and gone on with."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from privet.core.journals.entry import Entry, amount_of, loss_facts
from privet.core.mechanism import Mechanism
from privet.core.requests import request_of
from privet.core.reserved_loss import covers, draws_of, reserved_loss
from privet.core.signals import deferred, heard
from privet.core.spending import Spending
from privet.errors import BudgetExceeded
from privet.loss import Amount, Guarantee, PrivacyLoss
from privet.loss.exact import Exact
from privet.noise import Entropy

if TYPE_CHECKING:
    from privet.core.reservation import Reservation


class Plans(Spending):
    """The part of a ledger that pays for plans."""

    dataset: str
    _entropy: Entropy

    def reserve(  # noqa: PLR0913 - the plan, and how to ask, each by name
        self,
        plan: PrivacyLoss | Iterable[Mechanism[Any, Any]],
        *,
        purpose: str,
        delta: Exact | None = None,
        promise: Guarantee | None = None,
        key: str | None = None,
        question: str = "",
        draws: Sequence[Mechanism[Any, Any]] = (),
    ) -> "Reservation":
        """Pay for a fixed plan at its composed price; release from the reservation without further charge.

        Args:
            plan: the loss of the whole plan, or its mechanisms; each may be drawn once, in any order.
            purpose: what the plan is for.
            delta: the δ at which a rule that counts ε and δ charges the plan: composition is far cheaper than the
                sum of the parts as soon as this is above 0.
            promise: a guarantee the plan was made to keep, at which such a rule charges it, if it does.
            key: makes asking again safe: the same key with the same plan and question is paid for once; see
                `Reservation.stored`.
            question: with a key, what else must be the same.
            draws: mechanisms that will be released from the plan at once, by this process: they are recorded in the
                same step as the plan, which is faster than one by one. Whatever comes of them, they are drawn.

        Proof: the set of curves is fixed now. Whichever is drawn first, the rest are, given its answer, again a fixed
            set; so by induction the run is dominated by the composition of all curves in any one order (adaptive
            composition of dominating pairs: Zhu, Dong and Wang 2022, Theorem 10). What is not drawn reveals nothing.
        """
        from privet.core.reservation import Reservation  # noqa: PLC0415 - a reservation is itself a ledger

        loss = reserved_loss(plan, purpose=purpose, unit=self.unit)
        cost = self._with_gamma(heard(lambda: self.rule.cost(loss, promise=promise, delta=delta)))
        entry = self._plan_entry(loss, cost, purpose, key, question)
        drawn = draws_of(loss, draws, purpose=purpose, unit=self.unit, analyst=self.analyst, cost=self._nothing)
        with deferred():
            number, recorded = self._spend_plan(entry, drawn)
            return Reservation(self, loss, purpose=purpose, number=number, ready=drawn if recorded else ())

    def recall(
        self, plan: PrivacyLoss | Iterable[Mechanism[Any, Any]], *, purpose: str, key: str, question: str = ""
    ) -> str | None:
        """The answer that was stored for a plan with this key, for free; None if the key is new. Nothing is written.

        Args:
            plan: as it was reserved.
            purpose: as it was reserved.
            key: as it was reserved.
            question: as it was reserved.

        Privacy: what is returned has been released before, and was paid for then.

        Raises:
            KeyReused: the key belongs to another question.
            AnswerLost: the key was charged before, and its answer was never stored.
        """
        loss = reserved_loss(plan, purpose=purpose, unit=self.unit)
        entry = self._plan_entry(loss, self._nothing, purpose, key, question)
        found = self._journal.repeated(entry)
        return None if found is None else self._journal.stored(found)

    def resume(
        self, plan: PrivacyLoss | Iterable[Mechanism[Any, Any]], *, purpose: str, key: str, question: str = ""
    ) -> "Reservation":
        """Go on with a plan that was reserved with this key by a run that has ended, and not answered.

        Nothing is charged. What the plan has left can be drawn (`Reservation.left`), and its answer stored, as by the
        run that reserved it; what that run had begun to draw is gone. A retry of `reserve` never draws: only this does.

        Args:
            plan: as it was reserved.
            purpose: as it was reserved.
            key: as it was reserved.
            question: as it was reserved.

        Privacy: all runs of a plan together draw each of its curves at most once, and so keep what it was charged for.
        Proof: what the plan's row charged covers its loss by the ledger's rule, and it is the row that was counted (see
            `Resuming`). `Books.plans` has its curves; a draw is compared with what is left there and lowers it in the
            one step that writes its row, before data are read. So whatever number of runs draw, at once or after each
            other, what they draw is within the plan; chosen by one adversary who sees all answers, which the proof of
            `reserve` allows. A draw that was written and not run reveals nothing, and is not given back.

        Raises:
            InvalidParameter: there is no such plan, or it was answered: `recall` has the answer.
            KeyReused: the key belongs to another question.
            BudgetExceeded: what was paid for the plan does not cover it.
            LedgerUnavailable: a run that lives still holds the plan.
        """
        from privet.core.reservation import Reservation  # noqa: PLC0415 - a reservation is itself a ledger

        loss = reserved_loss(plan, purpose=purpose, unit=self.unit)
        entry = self._plan_entry(loss, self._nothing, purpose, key, question)
        with deferred():
            number, said = self._journal.reserved(entry)
            paid = amount_of(said["cost"], self._nothing.units)
            if not heard(lambda: covers(paid, loss, self.rule)):
                raise BudgetExceeded(
                    f"{purpose!r} cannot go on: entry {number} charged {paid}, which does not cover its plan; reserve "
                    "under a new key"
                )
            self._journal.take_up(number, entry)
            return Reservation(self, loss, purpose=purpose, number=number)

    def _plan_entry(self, loss: PrivacyLoss, cost: Amount, purpose: str, key: str | None, question: str) -> Entry:
        facts = ["a plan", loss_facts(loss), question]
        asked = None if key is None else request_of(self.analyst, self.dataset, purpose, facts, key=key)
        return Entry("reservation", purpose, "a plan", loss, cost, analyst=self.analyst, key=key, request=asked)
