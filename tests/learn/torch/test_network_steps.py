"""A step: what others beside a unit do not change, units that fail, empty samples, and what moves the parameters."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from privet.learn.torch.invented_rows import InventedRows
from privet.learn.torch.network import Network
from privet.learn.torch.network_steps import EMPTY, NetworkSteps
from privet.learn.torch.rehearsal import Rehearsal
from privet.learn.torch.rows_of_units import RowsOfUnits
from privet.learn.torch.unit_gradients import REACH
from privet.mechanisms import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps
from privet.noise import BitSource
from tests.learn.torch.tiny_networks import KNOWN, RECURRENT, UNKNOWN, Case


class Counting:
    """Seats in their order, so that who sits where is known."""

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.arange(count, dtype=np.uint64)


CROSS = nn.CrossEntropyLoss(reduction="none")
ROWS = 23


def steps_of(  # noqa: PLR0913 - parameters, each by name
    model: nn.Module,
    data: tuple[Any, ...],
    *,
    loss: Any = CROSS,  # noqa: ANN401 - a loss
    clip: float = 1.0,
    size: int = 8,
    groups: Any = None,  # noqa: ANN401 - a column
    most: int = 1,
    rate: float = 0.1,
) -> NetworkSteps:
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    network = Network.of(model, loss, optimizer)
    rows = RowsOfUnits.of(data, kind=torch.float32, groups=groups, most=most)
    way = Rehearsal(network, InventedRows(rows.shapes, size, most)).find().way
    return NetworkSteps(network, optimizer, rows, way, clip, 10.0, -(-16 // size), size, Counting())


def case_steps(case: Case, **more: Any) -> NetworkSteps:  # noqa: ANN401 - see above
    network = case.network()
    network.model.eval()  # dropout is drawn for places
    for module in network.modes:
        module.training = False
    return steps_of(network.model, tuple(case.rows(ROWS)), loss=network.loss, **more)


def length_of(steps: NDArray[np.int64]) -> float:
    return math.sqrt(sum(int(each) ** 2 for each in steps))


@pytest.mark.parametrize("size", [5, 16])
@pytest.mark.parametrize("case", [*KNOWN, *(case for case, _ in UNKNOWN[:4]), RECURRENT], ids=str)
def test_a_unit_adds_the_same_in_its_seat_whoever_sits_beside_it(case: Case, size: int) -> None:
    """Neighbors: sums differ by what the unit adds alone in its seat, to the last of 2^36 steps, which is no longer."""
    steps = case_steps(case, size=size)
    drawn = np.random.default_rng(size)
    seats = np.full(size, EMPTY)
    taken = drawn.choice(size, size - 2, replace=False)
    seats[taken] = drawn.choice(ROWS, size - 2, replace=False)

    def only(*kept: int) -> NDArray[np.int64]:
        found: NDArray[np.int64] = steps._passed(np.where(np.isin(np.arange(size), kept), seats, EMPTY))
        return found

    alone = {int(seat): only(int(seat)) for seat in taken}
    assert max(map(length_of, alone.values())) <= REACH
    assert (only(*alone) == sum(alone.values())).all()
    left = list(alone)[::2]
    assert (only(*left) == sum(alone[seat] for seat in left)).all()


def test_seats_are_drawn_for_each_sample_and_each_has_one_unit(source: BitSource) -> None:
    """300 samples of 10 in 24 seats: each seat is taken 125 times, within five deviations and a half."""
    steps = case_steps(KNOWN[0], size=8)
    steps.source, steps.passes = source, 3
    taken = np.zeros(24)
    places = set()
    for _ in range(300):
        passes = steps.seated(np.arange(10))
        assert [len(each) for each in passes] == [8, 8, 8]
        seats = np.concatenate(passes)
        assert sorted(seats[seats != EMPTY]) == list(range(10))
        taken += seats != EMPTY
        places.add(int(np.flatnonzero(seats == 0)[0]))
    assert np.abs(taken - 125).max() < 5.5 * math.sqrt(300 * 10 / 24 * 14 / 24)
    assert len(places) == 24


def test_a_sample_that_is_too_large_has_further_passes(source: BitSource) -> None:
    steps = case_steps(KNOWN[0], size=8)
    steps.source = source
    passes = steps.seated(np.arange(ROWS))
    assert [len(each) for each in passes] == [8, 8, 8]
    seats = np.concatenate(passes)
    assert sorted(seats[seats != EMPTY]) == list(range(ROWS))
    assert (seats[:16] != EMPTY).all()
    assert length_of(steps.summed(np.arange(ROWS))) > 0


@pytest.mark.parametrize("case", [KNOWN[1], KNOWN[7], KNOWN[12]], ids=str)
def test_it_does_not_matter_who_makes_room_where_gradients_are_the_same_in_every_seat(
    case: Case, source: BitSource
) -> None:
    """Twelve units in eight seats: whoever sits where, the sum is that of units by themselves."""
    steps = case_steps(case, size=8)
    assert Rehearsal(steps.network, InventedRows(steps.rows.shapes, 8, 1)).find().everywhere
    steps.source, steps.passes = source, 1
    alone = np.sum([steps.summed(np.array([unit])) for unit in range(12)], axis=0)
    for _ in range(5):
        assert (steps.summed(np.arange(12)) == alone).all()


def test_rows_of_one_unit_are_clipped_together() -> None:
    model = nn.Linear(3, 2)
    torch.manual_seed(2)
    data = torch.randn(9, 3) * 50, torch.tensor([0, 1] * 4 + [0])
    owners = ["a", "b", "a", "c", "a", None, "b", "a", "a"]
    steps = steps_of(model, data, groups=owners, most=3, clip=0.1)
    assert len(steps.units) == 3  # rows of nobody do not count
    kept = {unit: sorted(row for row in rows.tolist() if row >= 0) for unit, rows in enumerate(steps.units)}
    assert sorted(map(len, kept.values())) == [1, 2, 3]
    for unit, rows in kept.items():
        found = steps.summed(np.array([unit]))
        assert length_of(found) <= REACH
        slopes = torch.autograd.grad(CROSS(model(data[0][rows]), data[1][rows]).sum(), list(model.parameters()))
        flat = torch.cat([each.flatten() for each in slopes]).double()
        wanted = (flat * min(1.0, 0.1 / float(flat.norm()))).numpy()
        assert np.linalg.norm(found * (0.1 / REACH) - wanted) < 1e-3 * np.linalg.norm(wanted)
    empty = np.full(8, EMPTY)
    alone = [steps._passed(np.where(np.arange(8) == unit, unit, empty)) for unit in range(3)]
    assert (steps.summed(np.array([0, 1, 2])) == sum(alone)).all()


# --- rows that fail -------------------------------------------------------------------------------------------------


def test_rows_that_make_the_network_fail_add_nothing() -> None:
    """A label that is none and a token that is none: torch raises an error for the whole batch."""
    model = nn.Sequential(nn.Embedding(5, 3), nn.Flatten(), nn.Linear(6, 3))
    tokens, labels = torch.randint(0, 5, (12, 2)), torch.randint(0, 3, (12,))
    labels[3], tokens[7, 1] = 99, 5
    steps = steps_of(model, (tokens, labels), size=12)
    good = np.where(np.isin(np.arange(12), [3, 7]), EMPTY, np.arange(12))
    assert not steps.summed(np.array([3, 7])).any()
    assert (steps._passed(np.arange(12)) == steps._passed(good)).all()
    assert steps._passed(good).any()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 3e38])
def test_rows_that_are_no_numbers_change_nothing_for_others(value: float) -> None:
    torch.manual_seed(6)
    for model in (nn.Linear(4, 3), nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 3))):
        rows = torch.randn(10, 4)
        rows[2, 1] = value
        steps = steps_of(model, (rows, torch.zeros(10, dtype=torch.long)), size=10)
        others = np.where(np.arange(10) == 2, EMPTY, np.arange(10))
        alone = np.where(np.arange(10) == 2, 2, EMPTY)
        moved = steps._passed(np.arange(10)) - steps._passed(others)
        assert length_of(moved) <= REACH
        assert steps._passed(others).any()
        assert (moved == steps._passed(alone)).all()


@pytest.mark.parametrize("problem", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 9")])
def test_memory_that_runs_out_is_no_rows_fault(monkeypatch: pytest.MonkeyPatch, problem: Exception) -> None:
    steps = steps_of(nn.Linear(4, 3), (torch.randn(10, 4), torch.zeros(10, dtype=torch.long)))

    def full(*_: object) -> Tensor:
        raise problem

    monkeypatch.setattr(type(steps.way), "gradients", full)
    with pytest.raises(MemoryError, match="physical_batch"):
        steps.summed(np.arange(3))
    monkeypatch.setattr(type(steps.way), "alone", True)  # a row that passes alone may ask for any amount
    assert not steps.summed(np.arange(3)).any()


class Hard(nn.Module):
    """Asks for a value, so that rows pass alone; and drops out."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.drop = nn.Linear(4, 3), nn.Dropout(0.5)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.layer(self.drop(inputs * (1 if float(inputs.sum()) < 1e9 else 0)))
        return found


@pytest.mark.parametrize("model", [nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.5), nn.Linear(6, 3)), Hard()])
def test_what_is_dropped_from_a_row_does_not_follow_from_others(model: nn.Module) -> None:
    """A label that is none makes a pass fail and be made again, and an empty seat is passed over."""
    torch.manual_seed(1)
    rows, labels = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    labels[3] = 99
    steps = steps_of(model, (rows, labels), size=8)
    before = torch.get_rng_state()
    seats = np.arange(8)
    others = np.where(seats == 3, EMPTY, seats)
    found = steps._passed(others, 5)
    assert (steps._passed(seats, 5) == found).all()
    alone = [steps._passed(np.where(seats == seat, seats, EMPTY), 5) for seat in (0, 1, 2, 4, 5, 6, 7)]
    assert (np.sum(alone, axis=0) == found).all()
    assert (steps._passed(others, 6) != found).any()  # the control: other draws
    assert len({each.tobytes() for each in alone}) == len(alone)
    steps.summed(np.arange(8))
    assert torch.equal(before, torch.get_rng_state())


def test_gradients_are_found_where_the_caller_wants_none() -> None:
    steps = steps_of(nn.Linear(4, 3), (torch.randn(10, 4), torch.zeros(10, dtype=torch.long)))
    with torch.no_grad():
        assert steps.summed(np.arange(3)).any()


# --- what moves the parameters --------------------------------------------------------------------------------------


def test_an_empty_sample_adds_zeros_and_has_its_noise(source: BitSource) -> None:
    model = nn.Linear(4, 3)
    before = [each.detach().clone() for each in model.parameters()]
    steps = steps_of(model, (torch.zeros(0, 4), torch.zeros(0, dtype=torch.long)))
    assert not steps.summed(np.zeros(0, dtype=np.intp)).any()
    found = NoisySteps[int](3, 1, Gaussian(REACH, REACH)).sample(steps, source)
    assert found == 3
    for each, old in zip(model.parameters(), before, strict=True):
        assert (each != old).all()
        assert each.grad is None


def test_the_optimizer_steps_along_the_released_sum_over_the_public_number() -> None:
    """Whatever the sample held: by the number that was expected, ten."""
    model = nn.Linear(2, 1)
    before = torch.cat([each.detach().flatten() for each in model.parameters()])
    steps = steps_of(model, (torch.zeros(5, 2), torch.zeros(5)), loss=lambda out, y: (out[:, 0] - y) ** 2, clip=3.0)
    steps.move(np.array([1.0, -2.0, 0.5]) * REACH)
    after = torch.cat([each.detach().flatten() for each in model.parameters()])
    assert torch.allclose(after - before, -0.1 * torch.tensor([1.0, -2.0, 0.5]) * 3 / 10)
    assert steps.done == 1


def test_steps_go_where_descent_without_privacy_goes() -> None:
    """Without noise and with no gradient clipped, ten steps over all rows are ten of torch's own."""
    torch.manual_seed(8)
    rows, target = torch.randn(10, 4), torch.randint(0, 3, (10,))
    model = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
    plain = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
    plain.load_state_dict(model.state_dict())
    steps = steps_of(model, (rows, target), clip=100.0, rate=0.5)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.5)
    for _ in range(10):
        steps.move(steps.summed(np.arange(10)).astype(np.float64))
        optimizer.zero_grad()
        CROSS(plain(rows), target).mean().backward()
        optimizer.step()
    for one, other in zip(model.parameters(), plain.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-2)


def test_modes_are_those_of_the_beginning_and_stay_the_callers() -> None:
    seen: list[bool] = []

    class Seen(nn.Module):
        def forward(self, inputs: Tensor) -> Tensor:
            seen.append(self.training)
            return inputs

    model = nn.Sequential(nn.Linear(2, 2), Seen(), nn.Dropout())
    model[2].eval()  # frozen
    steps = steps_of(model, (torch.zeros(5, 2), torch.zeros(5, dtype=torch.long)))
    model.eval()
    seen.clear()
    steps.summed(np.arange(3))
    assert seen == [True]
    assert [each.training for each in model.modules()] == [False] * 4
