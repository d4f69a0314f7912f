"""PrivateTraining: a training of the user's own network, step by step, each paid for before it is made."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from privet.asking.payment import Payment
from privet.core import Sensitivity
from privet.core.sensitive import Sensitive
from privet.errors import AnswerLost, InvalidParameter
from privet.learn.fitting import taken_up
from privet.learn.model_receipt import ModelReceipt
from privet.learn.steps_shown import StepsShown, Watched
from privet.learn.torch.network_steps import NetworkSteps
from privet.learn.torch.schedule import Rest, Schedule
from privet.loss import PrivacyLoss
from privet.loss.exact import whole

if TYPE_CHECKING:
    from privet.core.reservation import Reservation

LOST = (
    "spent, answer lost: all steps that were paid for under this key were begun by runs that ended. Load what they "
    "kept of the model and the training, or train anew under another key, which is charged"
)


class PrivateTraining:
    """A training that is planned: what it costs is known, nothing was read, and nothing is paid before the first step.

    Attributes:
        steps: how many there are in all.
        done: how many were made.
        rate: which share of the units takes part in a step, on average.
        noise_multiplier: the noise on a sum of clipped gradients, in units of `clip`.
        way: how gradients are found: "layer by layer" (fast), "row by row, vectorised" or "row by row".
        slower: why not in a faster way, in words; empty where it is the fastest.
        privacy: what all steps reveal, whom they protect, and what was taken to be public.
        schedule: who takes part in which step.
        trained: the network, its rows and its optimizer; for audits.

    Privacy: what is covered is all that training leaves: parameters after every step, the optimizer's state, the number
        of steps. Batches and losses are never in the caller's hands.
    """

    def __init__(  # noqa: PLR0913 - each by name
        self,
        payment: Payment,
        schedule: Schedule,
        trained: NetworkSteps,
        receipt: ModelReceipt,
        *,
        slower: tuple[str, ...],
        verbose: bool,
    ) -> None:
        self._payment, self.schedule, self.trained = payment, schedule, trained
        self._paid: Reservation | None = None
        self._verbose = verbose
        self.privacy, self.slower = receipt, slower
        self.steps, self.rate = schedule.steps, schedule.rate
        self.noise_multiplier = float(schedule.noise.scale / schedule.noise.l2_sensitivity)
        self.way = trained.way.name

    @property
    def done(self) -> int:
        """How many steps were made."""
        return self.trained.done

    @property
    def spent(self) -> PrivacyLoss:
        """What the steps so far reveal; all of them are paid for with the first."""
        return self.schedule.spent(self.done)

    @property
    def epochs(self) -> int:
        """In how many rounds a loop over the training makes them: in each a unit takes part once, on average."""
        return max(1, round(self.schedule.steps * float(self.rate)))

    def __iter__(self) -> Iterator[int]:
        """Make the steps that are left, epoch by epoch; after each there is time for a look at public rows."""
        for epoch in range(1, self.epochs + 1):
            until = min(-(-self.schedule.steps * epoch // self.epochs), self.steps)
            if until > self.done:
                self.run(until - self.done)
                yield epoch

    def run(self, steps: int | None = None) -> "PrivateTraining":
        """Make so many steps, or all that are left; the first call pays for all of them.

        Privacy: the ledger records steps before they are made, some at a time. If they fail or are interrupted, those
            that were recorded were spent, and `steps` becomes less by those of them that were not made.
        """
        left = self.steps - self.done
        count = left if steps is None else whole(steps, "steps")
        if count > left:
            raise InvalidParameter(f"steps must be at most the {left} that are left, got {count}: plan more")
        if not count:
            return self
        parts = self.schedule.parts(self.done, count)
        self._pay()
        if self.steps < self.done + count:  # a run that ended had begun some of them
            count = self.steps - self.done
            parts = self.schedule.parts(self.done, count)
        delta = float(self._payment.price.delta or 0)
        with StepsShown(Rest(self.schedule, count), delta=delta, done=self.done, verbose=self._verbose) as watch:
            for part in parts:
                self._draw(part, watch)
        return self

    def _draw(self, part: Any, watch: StepsShown) -> None:  # noqa: ANN401 - a mechanism of the schedule
        length = self.schedule.noise.l2_sensitivity
        until, before = self.done + self.schedule.steps_of(part), self._left()
        secret = Sensitive.later(
            lambda: self.schedule.trained(Watched(self.trained, watch)),
            Sensitivity(length, l2=length),
            self._payment.unit,
        )
        try:
            self._paid.release(secret, part, purpose=self._payment.purpose)  # type: ignore[union-attr] # it was paid
        finally:
            if self.done < until and self._left() < before:
                self.steps -= until - self.done

    def _left(self) -> int:
        """How many curves the plan has left."""
        return sum(times for _, times in self._paid.left.parts) if self._paid is not None else 0

    # --- paying, and going on ---------------------------------------------------------------------------------

    def _pay(self) -> None:
        """Pay for all steps, or take up what an earlier run has paid for and not begun."""
        if self._paid is None:
            self._paid = taken_up(self._payment, self.schedule.mechanisms)
            self.steps = min(self.steps, self.done + self.schedule.left(self._paid.left))
            if not self.steps:
                self._paid.done()
                self._paid = None
                raise AnswerLost(LOST)

    def state_dict(self) -> dict[str, Any]:
        """Where the training is, to be saved beside those of the model and the optimizer.

        Privacy: it follows from what was released.
        """
        return {"done": self.done, "steps": self.schedule.steps}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there: the ledger gives what the run that has ended has paid for and not begun.

        Args:
            state: of a training planned alike, under the same key of the same ledger. Load the model's and the
                optimizer's state that were saved with it as well.

        Privacy: nothing is charged, and no step is made that was not paid for: steps that a run had begun when it
            ended are gone, so that `steps` may become less. See `Ledger.resume`.
        """
        if not self.schedule.goes_on:
            raise InvalidParameter(
                "a training in turns cannot go on in another process: its noise takes back what earlier steps added, "
                "which is kept in memory alone; train by chance to go on"
            )
        if self._payment.ledger is None or self._payment.key is None:
            raise InvalidParameter("to go on, plan the training with the ledger and the key that it began with: key=…")
        if self.done or self._paid is not None:
            raise InvalidParameter(f"this training has begun, with {self.done} steps: plan a new one, and go on there")
        if state.get("steps") != self.schedule.steps:
            raise InvalidParameter(
                f"this state is of a training of {state.get('steps')} steps, and this one has {self.schedule.steps}: "
                "plan it as it was"
            )
        self.trained.done = whole(state.get("done"), "done", low=0, high=self.schedule.steps)

    def __repr__(self) -> str:
        return (
            f"PrivateTraining({self.done} of {self.steps} steps, {self.way}, "
            f"noise {self.noise_multiplier:.3g} × clip, {self.privacy.promise!r})"
        )
