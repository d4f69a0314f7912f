"""Reservation: a plan that is paid for."""

import os
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, TypeVar

from privet.core.journals.books import Refusal, curves_of
from privet.core.journals.entry import Entry, loss_facts
from privet.core.journals.repeat import Repeat
from privet.core.ledger import Ledger
from privet.core.mechanism import Mechanism
from privet.core.plans import Plans
from privet.core.refusals import frozen
from privet.core.reserved_loss import reserved_loss
from privet.core.silence import Failure
from privet.core.spending import unrepeated
from privet.errors import AnalystFrozen, AnswerLost, BudgetExceeded, InvalidParameter, PrivetError
from privet.loss import Amount, Guarantee, PrivacyLoss
from privet.loss.exact import Exact

In = TypeVar("In")
Out = TypeVar("Out")


class Reservation(Ledger):
    """A plan that is paid for: each release draws its curves from the plan and is charged no more.

    Everything else is the ledger's it was made from: the limit, the unit, the rule, what is spent and the entries.

    Example:
        >>> from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
        >>> from privet.mechanisms import Gaussian
        >>> person = Unit("person")
        >>> ledger = Ledger(Guarantee(1, 1e-6), unit=person)
        >>> noisy = Gaussian(l2_sensitivity=1, scale=50)
        >>> plan = ledger.reserve(noisy.loss * 50, purpose="monthly means", delta=1e-6)
        >>> round(float(ledger.spent.epsilon), 3)  # 50 prices one by one would add up to 4.434
        0.575
        >>> mean = plan.release(Sensitive(3.5, Sensitivity(1), person), noisy, purpose="mean in May")
        >>> plan.left
        PrivacyLoss(gaussian(mu=0.02) × 49)
    """

    def __init__(
        self, ledger: Plans, plan: PrivacyLoss, *, purpose: str, number: int | Repeat, ready: Iterable[Entry] = ()
    ) -> None:
        self.unit = ledger.unit
        self.rule = ledger.rule
        self.analyst = ledger.analyst
        self.dataset = ledger.dataset
        self._journal, self._entropy = ledger._journal, ledger._entropy  # noqa: SLF001 - its own class
        self._counts_gamma, self._nothing = ledger._counts_gamma, ledger._nothing  # noqa: SLF001 - its own class
        self._ready = Counter((each.mechanism, each.loss) for each in ready)  # recorded as drawn, and not released yet
        self._taking = threading.Lock()
        self._owner = os.getpid()
        self._counted = False
        self._done = False
        self._repeat = number if isinstance(number, Repeat) else None
        self._purpose = purpose
        self._number = number.sequence if isinstance(number, Repeat) else number
        self._curves = {text: curve for curve, _ in plan.parts for text in curves_of(loss_facts(PrivacyLoss.of(curve)))}

    @property
    def left(self) -> PrivacyLoss:
        """The curves that have not been drawn, by anybody who shares the journal."""
        left = self._journal.books().plans.get(self._number, Counter())
        return PrivacyLoss(frozenset((self._curves[text], times) for text, times in left.items()))

    @property
    def repeated(self) -> bool:
        """Whether an earlier run reserved it with this key, so that nothing can be drawn here."""
        return self._repeat is not None

    # --- a plan with a key ------------------------------------------------------------------------------------

    def stored(self) -> str | None:
        """The answer that an earlier run of a plan with this key kept; None if this run is the first.

        Raises:
            AnswerLost: the earlier run ended before it kept an answer. Nothing can be drawn again.
        """
        return None if self._repeat is None else self._journal.stored(self._repeat)

    def store(self, text: str) -> None:
        """Keep the answer of a plan with a key, durably, before anybody sees it."""
        try:
            self._journal.answer_surely(self._number, text)
        except PrivetError as problem:
            raise AnswerLost(f"spent, answer lost: it could not be stored, so it is not shown ({problem})") from problem

    def done(self) -> None:
        """The plan with a key is answered, or will not be: whoever waits for it need not wait any more."""
        if self._repeat is None and not self._done:
            self._done = True  # from here on another run may hold the plan, through this very journal
            self._journal.done(self._number)

    def __del__(self) -> None:
        """Nobody can answer it any more: an interrupt may have come before `done` was called."""
        with suppress(Exception):
            self.done()

    # --- failures ---------------------------------------------------------------------------------------------

    def failed(self, failure: Failure) -> BaseException:
        """Count that what the plan was for failed, unless one of its draws was counted; return what is raised."""
        return failure.problem if self._counted else self._failed(failure, self._number)

    def overtaken(self) -> bool:
        """Whether answers failed too often meanwhile, so that what was computed must be withheld."""
        return super()._is_frozen()

    def _failed(self, failure: Failure, number: int) -> BaseException:
        self._counted = self._counted or not failure.interrupted
        return super()._failed(failure, number)

    def _is_frozen(self) -> bool:
        return self._journal.frozen(self.analyst, look=False)  # what is read for every draw of a plan adds up

    def reserve(  # noqa: PLR0913 - as a ledger's
        self,
        plan: PrivacyLoss | Iterable[Mechanism[Any, Any]],
        *,
        purpose: str,
        delta: Exact | None = None,  # noqa: ARG002 - paid for already
        promise: Guarantee | None = None,  # noqa: ARG002 - paid for already
        key: str | None = None,
        question: str = "",  # noqa: ARG002 - of a key
        draws: Sequence[Mechanism[Any, Any]] = (),  # noqa: ARG002 - each is recorded when it is made
    ) -> "Reservation":
        """Set a part of the plan aside as a plan of its own; it is paid for, so `delta` changes nothing."""
        if key is not None:
            raise InvalidParameter("a part of a plan has no key of its own: give the key when the plan is reserved")
        loss = reserved_loss(plan, purpose=purpose, unit=self.unit)
        number = self._spend(self._drawn(loss, "a plan", purpose, plan=True))
        return Reservation(self, loss, purpose=purpose, number=unrepeated(number))

    def _pay(  # noqa: PLR0913 - as a ledger's
        self,
        mechanism: Mechanism[In, Out],
        purpose: str,
        delta: Exact | None,  # noqa: ARG002 - paid for already
        *,
        key: str | None,
        request: str | None,
        gamma: Fraction,
    ) -> tuple[PrivacyLoss, int | Repeat]:
        if self._is_frozen():
            raise AnalystFrozen(frozen(purpose))
        loss = mechanism.loss.under(self.unit.neighbors)
        if key is None and not gamma and purpose == self._purpose and self._take(repr(mechanism), loss):
            return loss, self._number
        return loss, self._spend(self._drawn(loss, repr(mechanism), purpose, gamma=gamma, key=key, request=request))

    def _take(self, mechanism: str, loss: PrivacyLoss) -> bool:
        """Whether a run is one of those that were recorded with the plan; each is, once, and in this process alone.

        A forked child has a copy of what is ready, and would draw it a second time.
        """
        with self._taking:
            if os.getpid() != self._owner or self._ready[mechanism, loss] < 1:
                return False
            self._ready[mechanism, loss] -= 1
            return True

    def _drawn(
        self,
        loss: PrivacyLoss,
        mechanism: str,
        purpose: str,
        *,
        gamma: Fraction = Fraction(0),
        **more: Any,  # noqa: ANN401 - fields of an entry
    ) -> Entry:
        """The entry that takes curves out of the plan, all or none; the plan paid for them, but not for a γ.

        A repetition draws nothing: whoever reserved the plan does. It is found in the journal by its key, and what is
        found there need not have been paid for, if others can write rows.
        """
        if self._repeat is not None:
            raise BudgetExceeded(
                f"{purpose!r} cannot draw from the plan {self._purpose!r}: it was reserved before with this key, by a "
                "run that has or had the drawing; take its answer with `stored`, go on with `resume` if that run "
                "has ended, or reserve under a new key"
            )
        cost = self._nothing
        if self._counts_gamma:
            cost = Amount(*cost.parts[:-1], gamma, units=cost.units)
        return Entry("draw", purpose, mechanism, loss, cost, self._number, analyst=self.analyst, **more)

    def _refused(self, entry: Entry, refused: Refusal) -> BudgetExceeded:
        if refused.scope is not None:
            return super()._refused(entry, refused)
        return BudgetExceeded(
            f"{entry.purpose!r} needs {entry.loss!r}, and the plan {self._purpose!r} has {self.left!r} left: "
            "reserve the very losses that will be drawn, or release through the ledger"
        )
