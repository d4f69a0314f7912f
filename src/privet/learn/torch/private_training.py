"""private_training: a network of the user's own, trained on protected rows."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

import torch
from torch import nn

from privet.asking.payment import Payment
from privet.core import Ledger, Sensitivity
from privet.core.sensitive import Sensitive
from privet.errors import InvalidParameter
from privet.learn.fitting import budget_of, replaces, reserved
from privet.learn.model_receipt import ModelReceipt
from privet.learn.priced import Priced
from privet.learn.step_noise import noisy_steps
from privet.learn.steps_shown import StepsShown, Watched
from privet.learn.torch.invented_rows import InventedRows
from privet.learn.torch.network import Loss, Network
from privet.learn.torch.network_steps import NetworkSteps
from privet.learn.torch.refusals import refuse_hooks, refuse_parameters, refuse_parts
from privet.learn.torch.rehearsal import Rehearsal
from privet.learn.torch.rows_of_units import RowsOfUnits
from privet.learn.torch.unit_gradients import REACH
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, exact, shown, whole
from privet.mechanisms.noisy_steps import NoisySteps, rate_near
from privet.wording.nearest import nearest

if TYPE_CHECKING:
    from privet.core.reservation import Reservation

BATCH = 256
LARGEST_PASS = 512  # rows that pass at once, unless said
ROWS = (
    "private_training needs expected_rows, about how many units there are, from public knowledge: their number is "
    "private. Say expected_rows=50_000; where it is far off, the samples are larger or smaller"
)


class PrivateTraining:
    """A training that is planned: what it costs is known, nothing was read, and nothing is paid before the first step.

    Attributes:
        steps: how many there are in all.
        done: how many were made.
        rate: with which probability a unit takes part in a step.
        noise_multiplier: the noise on a sum of clipped gradients, in units of `clip`.
        way: how gradients are found: "layer by layer" (fast), "row by row, vectorised" or "row by row".
        slower: why not in a faster way, in words; empty where it is the fastest.
        privacy: what all steps reveal, whom they protect, and what was taken to be public.

    Privacy: what is covered is all that training leaves: parameters after every step, the optimizer's state, the number
        of steps. Batches and losses are never in the caller's hands.
    """

    def __init__(  # noqa: PLR0913 - each by name
        self,
        payment: Payment,
        plan: NoisySteps[int],
        trained: NetworkSteps,
        receipt: ModelReceipt,
        *,
        slower: tuple[str, ...],
        verbose: bool,
    ) -> None:
        self._payment, self._plan, self._trained = payment, plan, trained
        self._paid: Reservation | None = None
        self._verbose = verbose
        self.privacy, self.slower = receipt, slower
        self.steps, self.rate = plan.steps, plan.rate
        self.noise_multiplier = float(plan.noise.scale / plan.noise.l2_sensitivity)
        self.way = trained.way.name

    @property
    def done(self) -> int:
        """How many steps were made."""
        return self._trained.done

    @property
    def spent(self) -> PrivacyLoss:
        """What the steps so far reveal; all of them are paid for with the first."""
        return self._plan.step_loss * self.done

    @property
    def epochs(self) -> int:
        """In how many rounds a loop over the training makes them: in each a unit takes part once, on average."""
        return max(1, round(self.steps * float(self.rate)))

    def __iter__(self) -> Iterator[int]:
        """Make the steps that are left, epoch by epoch; after each there is time for a look at public rows."""
        for epoch in range(1, self.epochs + 1):
            until = self.steps * epoch // self.epochs
            if until > self.done:
                self.run(until - self.done)
                yield epoch

    def run(self, steps: int | None = None) -> "PrivateTraining":
        """Make so many steps, or all that are left; the first call pays for all of them.

        Privacy: the ledger records these steps before they are made. If they fail, they were spent.
        """
        left = self.steps - self.done
        count = left if steps is None else whole(steps, "steps")
        if count > left:
            raise InvalidParameter(f"steps must be at most the {left} that are left, got {count}: plan more")
        if not count:
            return self
        if self._paid is None:
            self._paid = reserved(self._payment, [self._plan])
        part, length = self._plan.of(count), self._plan.noise.l2_sensitivity
        watch = StepsShown(part, delta=float(self._payment.price.delta or 0), done=self.done, verbose=self._verbose)
        with watch:
            secret = Sensitive.later(
                lambda: Watched(self._trained, watch), Sensitivity(length, l2=length), self._payment.unit
            )
            self._paid.release(secret, part, purpose=self._payment.purpose)
        return self

    def __repr__(self) -> str:
        return (
            f"PrivateTraining({self.done} of {self.steps} steps, {self.way}, "
            f"noise {self.noise_multiplier:.3g} × clip, {self.privacy.promise!r})"
        )


def private_training(  # noqa: PLR0913 - what a training is, each by name
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    data: Any,  # noqa: ANN401 - tensors, arrays or a dataset of them
    *,
    loss: Loss,
    epochs: Exact | None = None,
    steps: int | None = None,
    batch_size: int | None = None,
    expected_rows: int | None = None,
    clip: Exact = 1,
    groups: Any = None,  # noqa: ANN401 - a column of any kind
    physical_batch: int | None = None,
    verbose: bool = False,
    **asked: Unpack[Priced],
) -> PrivateTraining:
    """Plan the training of a network on protected rows; nothing is read, and nothing is paid before the first step.

    Args:
        model: a `torch.nn.Module`, rows in the first dimension of what it takes and returns.
        optimizer: of its parameters; it steps along noisy sums of clipped gradients.
        data: (inputs, targets), or (inputs, further inputs, targets), or a `TensorDataset`.
        loss: of outputs and targets, one number a row: `CrossEntropyLoss(reduction="none")`.
        epochs: how often each unit takes part, on average; or
        steps: how many steps.
        batch_size: how many units take part in a step, on average; 256 unless said, or all where there are fewer.
        expected_rows: how many units there are, about, from public knowledge; needed unless neighbors have as many.
        clip: the length to which the gradient of a unit is clipped.
        groups: whose row each is; needs rows_per_unit. A unit's rows take part together, and are clipped as a whole.
        physical_batch: how many rows pass through the network at once; it changes memory and time, not the result.
        verbose: whether to print a line now and then.
        **asked: the price, and who is protected, see `PrivateEstimator`.

    Privacy: the promise of the price, for all that training leaves (see `PrivateTraining`), for any network whose
        gradient of a row follows from that row alone, to the last bit, in passes of one shape. A rehearsal on invented
        rows checks that, and refuses what fails; where only the last bits fail, rows pass one by one.
    Proof: docs/proofs/training.md (steps), `clipped_sum` (what a unit adds), `Rehearsal` (rows alone).
    Not covered: a network that mixes rows for some inputs and not for invented ones; kernels of torch whose work on a
        row follows from the values of others; time, which tells about how many take part; what was learned before.

    Example:
        >>> model = nn.Linear(2, 2)
        >>> X, y = torch.zeros(400, 2), torch.zeros(400, dtype=torch.long)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        >>> training = private_training(model, optimizer, (X, y), loss=nn.CrossEntropyLoss(reduction="none"),
        ...     epsilon=1, delta=1e-5, epochs=2, batch_size=40, expected_rows=400)
        >>> training.run()
        PrivateTraining(20 of 20 steps, layer by layer, noise 2.1 × clip, (ε=1, δ=1e-5)-DP)
    """
    refuse_parts(model, optimizer, loss)
    refuse_hooks(model)
    network = Network.of(model, loss, optimizer)
    refuse_parameters(network, optimizer)
    payment, most = _payment(asked, groups)
    kind = next(iter(network.trained.values())).dtype
    rows = RowsOfUnits.of(data, kind=kind, groups=groups, most=most)
    units = _expected(payment, rows, expected_rows)
    batch = min(BATCH if batch_size is None else whole(batch_size, "batch_size"), units)
    rate = rate_near(batch / units)
    number = _steps(steps, epochs, rate)
    length = Fraction(clip_of(clip))
    each = most if groups is not None else 1
    passes, size = _seats(physical_batch, batch, each)
    found = Rehearsal(network, InventedRows(rows.shapes, size, each)).find()
    entries = 1 if groups is not None else most
    planned = noisy_steps(
        budget_of(payment), steps=number, rate=rate, length=REACH * entries, rows=entries, replaced=replaces(payment)
    )
    plan: NoisySteps[Any] = planned
    trained = NetworkSteps(network, optimizer, rows, found.way, float(length), float(rate) * units, passes, size)
    public = {
        "expected rows": str(units),
        "shapes and types of data": "of a row",
        "steps": str(number),
        "clip": shown(clip),
    }
    receipt = ModelReceipt(
        plan.loss.under(payment.unit.neighbors),
        payment.price.limit,
        payment.unit,
        most,
        repr(plan),
        payment.purpose,
        public,
    )
    return PrivateTraining(payment, plan, trained, receipt, slower=found.reasons, verbose=verbose)


def _payment(asked: Priced, groups: Any) -> tuple[Payment, int]:  # noqa: ANN401 - a column of any kind
    """Who pays, and how many rows of a unit count."""
    for name in asked:
        if name not in Priced.__annotations__:
            raise InvalidParameter(f"private_training does not take {name!r}{nearest(name, Priced.__annotations__)}")
    said = {name: value for name, value in asked.items() if value is not None}
    most = said.pop("rows_per_unit", None)
    if groups is not None and most is None:
        raise InvalidParameter("groups need rows_per_unit, how many rows of each unit are kept: rows_per_unit=1")
    if isinstance(said.get("ledger"), str):
        said["ledger"] = Ledger.open(said["ledger"])  # type: ignore[arg-type] # a text
    return Payment.of("private_training", said), 1 if most is None else whole(most, "rows_per_unit")


def _expected(payment: Payment, rows: RowsOfUnits, said: int | None) -> int:
    if said is not None:
        return whole(said, "expected_rows")
    if replaces(payment) and rows.owners is None and rows.length:
        return rows.length
    raise InvalidParameter(ROWS)


def _steps(steps: int | None, epochs: Exact | None, rate: Fraction) -> int:
    if steps is not None and epochs is None:
        return whole(steps, "steps")
    if epochs is None or steps is not None:
        raise InvalidParameter("say how long to train: epochs=… or steps=…, one of them")
    rounds = exact(epochs, "epochs")
    if rounds <= 0:
        raise InvalidParameter(f"epochs must be above 0, got {shown(epochs)}")
    return max(1, round(rounds / rate))


def clip_of(clip: Exact) -> Fraction:
    """The clipping length, as an exact number."""
    length = exact(clip, "clip")
    if not Fraction(1, 10**30) < length < 10**30:
        raise InvalidParameter(f"clip must be a length above 0, such as 1, got {shown(clip)}")
    return length


def _seats(said: int | None, batch: int, each: int) -> tuple[int, int]:
    """In how many passes a step is computed, and how many units each has seats for: four deviations more than expected.

    Example:
        >>> _seats(None, 256, 1), _seats(100, 256, 1), _seats(None, 256, 4)
        ((1, 320), (4, 80), (3, 107))
    """
    seats = batch + 4 * math.isqrt(batch)
    most = LARGEST_PASS if said is None else whole(said, "physical_batch")
    passes = -(-seats * each // most)
    return passes, max(2, -(-seats // passes))
