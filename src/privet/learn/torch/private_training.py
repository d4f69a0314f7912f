"""private_training: a network of the user's own, trained on protected rows."""

import math
from fractions import Fraction
from typing import Any, TypedDict, Unpack

import torch
from torch import nn

from privet.asking.payment import Payment
from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.learn.fitting import budget_of, replaces
from privet.learn.model_receipt import ModelReceipt
from privet.learn.priced import Priced
from privet.learn.torch.invented_rows import InventedRows
from privet.learn.torch.network import Loss, Network
from privet.learn.torch.network_steps import NetworkSteps
from privet.learn.torch.refusals import refuse_hooks, refuse_parameters, refuse_parts
from privet.learn.torch.rehearsal import Rehearsal
from privet.learn.torch.rows_of_units import RowsOfUnits
from privet.learn.torch.schedule import ByChance, Reach, Size, TakingTurns
from privet.learn.torch.training import PrivateTraining
from privet.learn.torch.unit_gradients import REACH
from privet.loss.exact import Exact, exact, shown, whole
from privet.wording.nearest import nearest

BATCH = 256
NEAR, FAR = 2, 7  # deviations that seats are more than expected; where it matters who has a seat, so that they suffice
LARGEST_PASS = 512  # rows that pass at once, unless said
ROWS = (
    "private_training needs expected_rows, about how many units there are, from public knowledge: their number is "
    "private. Say expected_rows=50_000; where it is far off, the samples are larger or smaller"
)


class Duration(TypedDict):
    """How long to train: one of the two."""

    steps: int | None
    epochs: Fraction | None


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
    sampling: str = "by chance",
    physical_batch: int | None = None,
    key: str | None = None,
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
        sampling: "by chance" (each unit takes part in a step by a coin of its own) or "in turns" (each once an epoch,
            in a step that it draws before the first, under noise of which later steps take back a part).
        physical_batch: how many rows pass through the network at once; it changes memory and time, not the result.
        key: with a ledger, a text of your own, by which a training that was killed goes on and is not paid for twice.
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
    payment, most = _payment(asked, groups, key)
    kind = next(iter(network.trained.values())).dtype
    rows = RowsOfUnits.of(data, kind=kind, groups=groups, most=most)
    units = _expected(payment, rows, expected_rows)
    batch = min(BATCH if batch_size is None else whole(batch_size, "batch_size"), units)
    each, entries = (most, 1) if groups is not None else (1, most)
    schedule = _way_of_sampling(sampling).of(
        budget_of(payment),
        Size(units, batch, network.places.size),
        Reach(REACH, entries, replaces(payment)),
        **_duration(steps, epochs),
    )
    passes, size = _seats(physical_batch, batch, each, NEAR)
    found = Rehearsal(network, InventedRows(rows.shapes, size, each)).find()
    if not found.everywhere:
        passes, size = _seats(physical_batch, batch, each, FAR)
        found = Rehearsal(network, InventedRows(rows.shapes, size, each)).find()
    expected = float(schedule.rate) * units
    trained = NetworkSteps(network, optimizer, rows, found.way, float(clip_of(clip)), expected, passes, size)
    receipt = ModelReceipt(
        schedule.loss.under(payment.unit.neighbors),
        payment.price.limit,
        payment.unit,
        most,
        repr(schedule.plan),
        payment.purpose,
        {
            "expected rows": str(units),
            "shapes and types of data": "of a row",
            "steps": str(schedule.steps),
            "clip": shown(clip),
        },
    )
    return PrivateTraining(payment, schedule, trained, receipt, slower=found.reasons, verbose=verbose)


def _payment(asked: Priced, groups: Any, key: str | None) -> tuple[Payment, int]:  # noqa: ANN401 - a column of any kind
    """Who pays, and how many rows of a unit count."""
    for name in asked:
        if name not in Priced.__annotations__:
            raise InvalidParameter(f"private_training does not take {name!r}{nearest(name, Priced.__annotations__)}")
    said: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    most = said.pop("rows_per_unit", None)
    if groups is not None and most is None:
        raise InvalidParameter("groups need rows_per_unit, how many rows of each unit are kept: rows_per_unit=1")
    if isinstance(said.get("ledger"), str):
        said["ledger"] = Ledger.open(said["ledger"])
    if key is not None and "ledger" not in said:
        raise InvalidParameter(f"key={key!r} needs a ledger, which knows what was paid under it: say ledger=…")
    return Payment.of("private_training", said | {"key": key}), 1 if most is None else whole(most, "rows_per_unit")


def _expected(payment: Payment, rows: RowsOfUnits, said: int | None) -> int:
    if said is not None:
        return whole(said, "expected_rows")
    if replaces(payment) and rows.owners is None and rows.length:
        return rows.length
    raise InvalidParameter(ROWS)


def _way_of_sampling(sampling: str) -> type[ByChance] | type[TakingTurns]:
    """The schedule that is meant."""
    known = {"by chance": ByChance, "in turns": TakingTurns}
    if sampling not in known:
        raise InvalidParameter(
            f'sampling must be "by chance" or "in turns", got {sampling!r}{nearest(str(sampling), known)}'
        )
    return known[sampling]  # type: ignore[return-value] # one of these


def _duration(steps: int | None, epochs: Exact | None) -> Duration:
    if steps is not None and epochs is None:
        return {"steps": whole(steps, "steps"), "epochs": None}
    if epochs is None or steps is not None:
        raise InvalidParameter("say how long to train: epochs=… or steps=…, one of them")
    rounds = exact(epochs, "epochs")
    if rounds <= 0:
        raise InvalidParameter(f"epochs must be above 0, got {shown(epochs)}")
    return {"steps": None, "epochs": rounds}


def clip_of(clip: Exact) -> Fraction:
    """The clipping length, as an exact number."""
    length = exact(clip, "clip")
    if not Fraction(1, 10**30) < length < 10**30:
        raise InvalidParameter(f"clip must be a length above 0, such as 1, got {shown(clip)}")
    return length


def _seats(said: int | None, batch: int, each: int, deviations: int) -> tuple[int, int]:
    """In how many passes a step is computed, and for how many units each has seats: so many deviations above the mean.

    Example:
        >>> _seats(None, 256, 1, 2), _seats(100, 256, 1, 7), _seats(None, 256, 4, 4)
        ((1, 288), (4, 92), (3, 107))
    """
    seats = batch + deviations * math.isqrt(batch)
    most = LARGEST_PASS if said is None else whole(said, "physical_batch")
    passes = -(-seats * each // most)
    return passes, max(2, -(-seats // passes))
