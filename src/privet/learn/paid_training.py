"""PaidTraining: a training that is paid for once, whichever runs draw it."""

import warnings
from dataclasses import dataclass
from typing import Any

from privet.asking.payment import Payment
from privet.core import Ledger
from privet.core.reservation import Reservation
from privet.errors import InvalidParameter
from privet.learn.checkpoint import Checkpoint
from privet.learn.fitting import Draws, Fitting, reserved
from privet.learn.network_plan import NetworkPlan
from privet.loss import PrivacyLoss

LASTING = (
    "checkpoint needs a ledger that outlives this process, where the plan is found again: "
    'ledger="sqlite:///people.db", or a Ledger with such a journal'
)
UNPAID = (
    "the ledger did not pay for the training of {path}: open the ledger that did, or name another file to train anew"
)
LOST = (
    "spent, answer lost: all steps of the training of {path} were begun by runs that ended before they were kept. "
    "Name another file to train anew, which is charged"
)
FINISHED = (
    "the training of {path} was finished before: this is its model, and nothing was charged; name another file to "
    "train anew"
)
TRAINED = "trained"  # the answer that is stored: the model is in the file


@dataclass(frozen=True)
class PaidTraining:
    """What a run may still draw of a plan.

    Args:
        draws: the plan; None if the training was finished before.
        looks: whether where the rows lie can be drawn.
        steps: how many steps can be.
        kept: the file of the training, if there is one.

    Privacy: the ledger says what is left, not the file. Every draw is recorded before it runs, and is made once: what a
        run had begun when it ended is spent, and is neither drawn again nor made up for. So all runs of a training
        together draw at most what it was charged for, once.
    Proof: `Plans.resume`; steps that are left out are post-processing of the others.
    """

    draws: Draws | None
    looks: bool
    steps: int
    kept: Checkpoint | None

    @classmethod
    def of(cls, fitting: Fitting, plan: NetworkPlan, kept: Checkpoint | None) -> "PaidTraining":
        """Pay, unless an earlier run of the same training did.

        Raises:
            LedgerUnavailable: a run that lives holds the plan.
        """
        if kept is None:
            return cls(fitting.reserve(plan.mechanisms), looks=True, steps=plan.steps.steps, kept=None)
        reservation = _found(fitting, plan, kept)
        if reservation is None:
            warnings.warn(FINISHED.format(path=kept.path), stacklevel=5)
            return cls(None, looks=False, steps=0, kept=kept)
        left = dict(reservation.left.parts)
        look, step = (_curve(each.under(fitting.payment.unit.neighbors)) for each in (plan.look.loss, plan.step_loss))
        looks = kept.where is None and left.get(look, 0) == (plan.steps.steps + 1 if look == step else 1)
        steps = left.get(step, 0) - int(look == step and looks)
        return cls(Draws(reservation, fitting), looks, steps, kept)

    def finish(self) -> None:
        """All that could be drawn was, and the model is kept."""
        if self.draws is not None and self.kept is not None:
            self.draws.reservation.store(TRAINED)

    def done(self) -> None:
        """This run ends, however: another may go on."""
        if self.draws is not None:
            self.draws.reservation.done()


def _found(fitting: Fitting, plan: NetworkPlan, kept: Checkpoint) -> Reservation | None:
    """The plan that an earlier run paid for, or that is paid for now; None if its training was finished."""
    payment = fitting.payment
    asked: dict[str, Any] = {"purpose": payment.purpose, "key": kept.key, "question": kept.question}
    ledger = lasting(payment)
    try:
        return ledger.resume(plan.mechanisms, **asked)
    except InvalidParameter:  # there is no such plan, or it has its answer
        answered = ledger.recall(plan.mechanisms, **asked)
    if answered is not None:
        return None
    if kept.begun:
        raise InvalidParameter(UNPAID.format(path=kept.path))
    return reserved(payment, plan.mechanisms, key=kept.key, question=kept.question)


def lasting(payment: Payment) -> Ledger:
    """The ledger, if another process can find a plan in it."""
    ledger = payment.ledger
    if ledger is None or isinstance(ledger, Reservation) or not ledger.journal.lasting:
        raise InvalidParameter(LASTING)
    return ledger


def _curve(loss: PrivacyLoss) -> Any:  # noqa: ANN401 - a curve
    """The one curve of a loss."""
    ((curve, _),) = loss.parts
    return curve
