"""Rehearsals: which way is taken, and networks that would break the bound on a unit are refused."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from privet.errors import InvalidParameter
from privet.learn.torch.network import Network
from privet.learn.torch.rehearsal import LAST_BITS, Found, Rehearsal
from privet.learn.torch.ways import LayerByLayer, OneByOne, Vectorised
from tests.learn.torch.tiny_networks import KNOWN, RECURRENT, UNKNOWN, Applied, Case

CROSS = nn.CrossEntropyLoss(reduction="none")


def rehearsed(case: Case, units: int = 6, rows: int = 1) -> Found:
    network, batch = case.network(), case.rows(2)
    return Rehearsal(network, [(tuple(each.shape[1:]), each.dtype) for each in batch], units, rows).find()


def refused(
    model: nn.Module,
    shape: tuple[int, ...] = (4,),
    kind: torch.dtype = torch.float32,
    loss: Any = CROSS,  # noqa: ANN401 - a loss
) -> str:
    network = Network.of(model, loss, torch.optim.SGD(model.parameters(), lr=0.1))
    with pytest.raises(InvalidParameter) as problem:
        Rehearsal(network, [(shape, kind), ((), torch.int64)], 6, 1).find()
    return str(problem.value)


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_known_layers_are_the_fastest_way(case: Case) -> None:
    network, batch = case.network(), case.rows(2)
    before = torch.get_rng_state()
    found = Rehearsal(network, [(tuple(each.shape[1:]), each.dtype) for each in batch], 5, 2).find()
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


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 2)),
        Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows - rows.mean(0))),
        Applied(nn.Linear(4, 2), lambda layer, rows: layer(rows) + functional.softmax(rows, 0)[:, :2]),
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
    assert isinstance(Rehearsal(network, [((4,), torch.float32), ((), torch.int64)], 6, 1).find().way, LayerByLayer)


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
