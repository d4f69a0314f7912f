"""Rehearsals: which way is taken, and networks that would break the bound on a unit are refused."""

import random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from privet.errors import InvalidParameter
from privet.learn.torch.invented_rows import InventedRows
from privet.learn.torch.network import Network
from privet.learn.torch.refusals import refuse_hooks
from privet.learn.torch.rehearsal import LAST_BITS, REMEMBERS, Found, Rehearsal
from privet.learn.torch.ways import LayerByLayer, OneByOne, Vectorised
from tests.learn.torch.tiny_networks import KNOWN, RECURRENT, UNKNOWN, Applied, Case

CROSS = nn.CrossEntropyLoss(reduction="none")


def rehearsed(case: Case, units: int = 6, rows: int = 1) -> Found:
    network, batch = case.network(), case.rows(2)
    return Rehearsal(network, InventedRows([(tuple(each.shape[1:]), each.dtype) for each in batch], units, rows)).find()


def refused(
    model: nn.Module,
    shape: tuple[int, ...] = (4,),
    kind: torch.dtype = torch.float32,
    loss: Any = CROSS,  # noqa: ANN401 - a loss
) -> str:
    network = Network.of(model, loss, torch.optim.SGD(model.parameters(), lr=0.1))
    with pytest.raises(InvalidParameter) as problem:
        Rehearsal(network, InventedRows([(shape, kind), ((), torch.int64)], 6, 1)).find()
    return str(problem.value)


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_known_layers_are_the_fastest_way(case: Case) -> None:
    network, batch = case.network(), case.rows(2)
    before = torch.get_rng_state()
    found = Rehearsal(network, InventedRows([(tuple(each.shape[1:]), each.dtype) for each in batch], 5, 2)).find()
    assert isinstance(found.way, LayerByLayer), found.reasons
    assert found.reasons == ()
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(("case", "reason"), [*UNKNOWN[:4], UNKNOWN[5]], ids=str)
def test_what_is_not_known_is_computed_row_by_row(case: Case, reason: str) -> None:
    found = rehearsed(case)
    assert isinstance(found.way, Vectorised), found.reasons
    assert reason in found.reasons[0]


class Asking(nn.Module):
    """Which way a row goes follows from its numbers, by Python."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(torch.stack([each if float(each.sum()) > 0 else -each for each in inputs]))
        return found + (self.layer.weight[0, 0] if len(inputs) > 9 else 0)


class Seated(nn.Module):
    """The last bits of a row follow from its seat, and from nobody else."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(inputs * (1 + 1e-7 * torch.arange(len(inputs))[:, None]))
        return found


def test_whether_a_seat_matters_is_looked_at() -> None:
    assert rehearsed(Case("plain", lambda: nn.Linear(5, 3), (5,))).everywhere
    found = rehearsed(Case("seated", Seated, (4,)))
    assert isinstance(found.way, LayerByLayer)
    assert not found.everywhere


def test_what_cannot_be_vectorised_is_computed_alone() -> None:
    found = rehearsed(Case("asking", Asking, (4,)), units=12)
    assert isinstance(found.way, OneByOne)
    assert len(found.reasons) == 2
    assert isinstance(rehearsed(RECURRENT).way, Vectorised)


def test_what_torch_has_no_gradients_for_is_refused() -> None:
    assert "modified by an inplace operation" in refused(UNKNOWN[4][0].network().model, loss=lambda out, _: out.sum(1))


class Bitwise(nn.Module):
    """The last bits of a row follow from the others."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(inputs + 1e-7 * inputs.mean(0))
        return found


def test_rows_that_share_their_last_bits_pass_alone() -> None:
    found = rehearsed(Case("bits", Bitwise, (4,)))
    assert isinstance(found.way, Vectorised)  # where each row is a batch of its own
    assert found.reasons[0] == LAST_BITS


def scaled_where_large(layer: Any, rows: Tensor) -> Tensor:  # noqa: ANN401 - a layer
    largest = rows.max()
    found: Tensor = layer(rows / largest if largest > 1e6 else rows)
    return found


def read_whole(layer: Any, rows: Tensor) -> Tensor:  # noqa: ANN401 - a layer
    found: Tensor = layer(rows if max(map(max, rows.tolist())) < 1e6 else rows * 0)
    return found


@pytest.mark.parametrize(("how", "asked"), [(scaled_where_large, "_local_scalar_dense"), (read_whole, "tolist")])
def test_rows_pass_alone_where_the_way_follows_from_values(how: Any, asked: str) -> None:  # noqa: ANN401 - a function
    """No invented row is large, so nothing else tells that a large one would change all the others."""
    found = rehearsed(Case("asking", lambda: Applied(nn.Linear(4, 2), how), (4,)))
    assert isinstance(found.way, OneByOne)
    assert asked in found.reasons[0]


def test_rows_pass_by_themselves_where_others_would_be_seen_if_they_were_large() -> None:
    """Without a value being asked for: NaN beside a row tells."""
    hidden = Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows + functional.relu(rows.mean(0) - 1e6)))
    found = rehearsed(Case("hidden", lambda: hidden, (4,)))
    assert isinstance(found.way, Vectorised)
    assert found.reasons == (LAST_BITS,)


@pytest.mark.parametrize("toward", [1, -1])
def test_rows_pass_by_themselves_where_a_large_one_is_counted_and_never_added(toward: int) -> None:
    """NaN is larger than nothing, so it does not tell; a number far away does."""
    counted = Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows) * (1 + (toward * rows > 100).any().float()))
    assert isinstance(rehearsed(Case("counted", lambda: counted, (4,))).way, Vectorised)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 2)),
        Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows - rows.mean(0))),
        Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows) + functional.softmax(rows, 0)[:, :2]),
        Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows.cumsum(0))),  # only those in front
        Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows.flip(0).cumsum(0).flip(0))),  # only those behind
    ],
)
def test_rows_that_see_each_other_are_refused(model: nn.Module) -> None:
    assert "mixes the rows" in refused(model)
    assert "nn.GroupNorm" in refused(model)


@pytest.mark.parametrize("norm", [nn.BatchNorm1d(4), nn.InstanceNorm1d(4, track_running_stats=True)])
def test_running_statistics_are_refused_and_put_back(norm: Any) -> None:  # noqa: ANN401 - a norm
    said = refused(nn.Sequential(nn.Linear(3, 3), norm, nn.Flatten(), nn.Linear(12, 2)), (4, 3))
    assert "buffer" in said
    assert "nn.GroupNorm" in said
    assert float(norm.running_mean.abs().sum()) == 0
    assert int(norm.num_batches_tracked) == 0


def test_a_frozen_batch_norm_is_a_function_of_each_row() -> None:
    norm = nn.BatchNorm1d(4).requires_grad_(False)  # noqa: FBT003 - torch's own
    norm.eval()
    model = nn.Sequential(nn.Linear(4, 4), norm, nn.Linear(4, 2))
    network = Network.of(model, CROSS, torch.optim.SGD(model.parameters(), lr=0.1))
    assert isinstance(
        Rehearsal(network, InventedRows([((4,), torch.float32), ((), torch.int64)], 6, 1)).find().way, LayerByLayer
    )


@pytest.mark.parametrize(
    "loss", [nn.CrossEntropyLoss(), nn.CrossEntropyLoss(reduction="sum"), lambda out, _: out.sum()[None]]
)
def test_losses_that_are_not_one_a_row_are_refused(loss: Any) -> None:  # noqa: ANN401 - a loss
    assert 'reduction="none"' in refused(nn.Linear(4, 2), loss=loss)


def test_what_fails_on_invented_rows_says_why() -> None:
    assert "mat1 and mat2" in refused(nn.Linear(3, 2))
    assert "same dtype" in refused(nn.Linear(4, 2), kind=torch.int64)


def test_losses_without_a_gradient_are_refused() -> None:
    assert "does not depend" in refused(Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows).detach()))


def test_half_precision_is_refused() -> None:
    model = Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows).half())
    assert "float32 or float64" in refused(model, loss=lambda out, _: out.sum(1))


class Keeping(nn.Module):
    """Keeps something of what passes, in one of several forms."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.layer, self.form = nn.Linear(4, 2), form
        self.last, self.seen, self.calls = torch.zeros(1), {"rows": [0.0]}, 0
        self.array, self.frozen = np.zeros(1), nn.Parameter(torch.zeros(1), requires_grad=False)

    def forward(self, inputs: Tensor) -> Tensor:
        if self.form == "tensor":
            self.last = inputs.detach()
        elif self.form == "in place":
            self.last.add_(inputs.detach().mean())
        elif self.form == "data":
            self.last.data += inputs.detach().mean()
        elif self.form == "array":
            self.array[0] += float(inputs.detach().mean())
        elif self.form == "parameter":
            self.frozen.data += inputs.detach().mean()
        elif self.form == "weight":
            self.layer.weight.data += inputs.detach().mean()
        elif self.form == "list":
            self.seen["rows"].append(1.0)
        elif self.form == "count":  # how often rows pass follows from the sample
            self.calls += 1
        found: Tensor = self.layer(inputs)
        return found


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("tensor", "last"),
        ("in place", "last"),
        ("data", "last"),
        ("array", "array"),
        ("list", "seen"),
        ("count", "calls"),
    ],
)
def test_networks_that_keep_what_passes_are_refused(form: str, name: str) -> None:
    assert f"'{name}' is changed by the rows" in refused(Keeping(form))
    assert "keep nothing of rows" in refused(nn.Linear(4, 2), loss=Both(Keeping(form)))


@pytest.mark.parametrize(("form", "name"), [("parameter", "frozen"), ("weight", "layer.weight")])
def test_parameters_that_rows_change_are_refused_and_put_back(form: str, name: str) -> None:
    model = Keeping(form)
    before = dict(model.state_dict())[name].clone()
    assert f"the parameter '{name}' is changed by the rows" in refused(model)
    assert torch.equal(model.state_dict()[name], before)


class Both(nn.Module):
    """A loss that looks through a network."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, outputs: Tensor, target: Tensor) -> Tensor:
        found: Tensor = CROSS(outputs, target) + self.inner(outputs.repeat(1, 2)).sum(1)
        return found


def test_networks_that_remember_or_toss_other_coins_are_refused() -> None:
    """Outside of the module, where nothing is seen of it: what comes of a row tells."""
    memory = [0.0]

    def remembering(layer: Any, rows: Tensor) -> Tensor:  # noqa: ANN401 - a layer
        memory[0] += float(rows.detach().sum())
        found: Tensor = layer(rows + memory[0])
        return found

    tossed = Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows) * random.random())  # noqa: S311 - not for privacy
    for model in (Applied(nn.Linear(4, 2), remembering), tossed):
        network = Network.of(model, lambda out, _: (out**2).sum(1), torch.optim.SGD(model.parameters(), lr=0.1))
        with pytest.raises(InvalidParameter, match=r"mixes the rows|remembers rows"):
            Rehearsal(network, InventedRows([((4,), torch.float32), ((), torch.int64)], 6, 1)).find()
    assert "torch.rand" in REMEMBERS


def test_hooks_and_parameters_without_a_shape_are_refused() -> None:
    for register in ("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"):
        model = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
        getattr(model[1], register)(lambda *_: None)
        with pytest.raises(InvalidParameter, match="has hooks"):
            refuse_hooks(model)
    model = nn.Sequential(nn.Linear(4, 2))
    refuse_hooks(model)
    next(model.parameters()).register_hook(lambda slope: slope * 100)  # type: ignore[no-untyped-call] # torch's own
    with pytest.raises(InvalidParameter, match="no clipped gradient goes through"):
        refuse_hooks(model)
    handle = nn.modules.module.register_module_forward_hook(lambda *_: None)
    with pytest.raises(InvalidParameter, match="for all modules"):
        refuse_hooks(nn.Linear(4, 2))
    handle.remove()
    with pytest.raises(InvalidParameter, match="no shape yet"):
        refuse_hooks(nn.LazyLinear(3))
