"""private_training: what is paid when, what is refused before, and what comes of it."""

import math
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import TensorDataset

from privet import Guarantee, Ledger, Neighbors, Unit
from privet.errors import AnswerLost, BudgetExceeded, InvalidParameter
from privet.learn.torch import PrivateTraining, private_training
from privet.learn.torch.private_training import clip_of
from privet.mechanisms.noisy_steps import NoisySteps

CROSS = nn.CrossEntropyLoss(reduction="none")
PERSON = Unit("person")


def data(rows: int = 200) -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    inputs = torch.randn(rows, 4)
    return inputs, (inputs[:, 0] > 0).long()


def small() -> nn.Sequential:
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))


def planned(model: nn.Module | None = None, given: Any = None, **said: Any) -> PrivateTraining:  # noqa: ANN401 - parameters
    network = small() if model is None else model
    optimizer = said.pop("optimizer", None) or torch.optim.SGD(network.parameters(), lr=0.5)
    asked: dict[str, Any] = {
        "loss": CROSS,
        "epsilon": 3,
        "delta": 1e-5,
        "steps": 6,
        "batch_size": 50,
        "expected_rows": 200,
    } | said
    return private_training(network, optimizer, data() if given is None else given, **asked)


# --- what is paid and read ------------------------------------------------------------------------------------------


def test_a_network_learns_and_its_ledger_is_charged_once() -> None:
    ledger = Ledger(Guarantee(8, 1e-5), unit=PERSON)
    model = small()
    inputs, target = data(2000)
    training = planned(
        model,
        (inputs, target),
        steps=None,
        epochs=4,
        batch_size=200,
        expected_rows=2000,
        epsilon=8,
        ledger=ledger,
        purpose="who",
    )
    assert ledger.spent.epsilon == 0
    assert (training.done, training.steps, training.epochs) == (0, 40, 4)
    assert [epoch for epoch in training] == [1, 2, 3, 4]  # noqa: C416 - the loop itself is what is looked at
    assert training.done == 40
    assert 7.9 < float(ledger.spent.epsilon) <= 8
    assert [each.kind for each in ledger.entries] == ["reservation", *["draw"] * 20]
    assert float((model(inputs).argmax(1) == target).float().mean()) > 0.85  # in 10 runs at least 0.93
    assert training.spent.epsilon(1e-5) <= 8
    assert training.privacy.loss.epsilon(1e-5) <= 8
    assert training.privacy.purpose == "who"
    assert "expected rows (2000)" in repr(training.privacy)


def test_steps_are_made_as_they_are_asked_for() -> None:
    training = planned()
    assert training.run(2).done == 2
    spent = training.spent
    assert training.run().done == 6
    assert training.spent == spent * 3
    assert training.run() is training
    assert not list(training)
    with pytest.raises(InvalidParameter, match="at most the 0 that are left"):
        training.run(1)


def test_nothing_is_read_before_it_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger without room: rows are asked for nothing but their shapes."""
    inputs, target = data()
    training = planned(given=(inputs, target), ledger=Ledger(Guarantee(1, 1e-5), unit=PERSON))
    monkeypatch.setattr(type(training.trained), "units", property(lambda _: pytest.fail("read")))
    with pytest.raises(BudgetExceeded):
        training.run()
    assert training.done == 0


def test_rows_that_fail_are_not_told() -> None:
    """A label that is none and numbers that are none: as if these rows were not there."""
    inputs, target = data()
    inputs[0], target[1] = math.nan, 77
    model = small()
    assert planned(model, (inputs, target)).run().done == 6
    assert all(bool(torch.isfinite(each).all()) for each in model.parameters())


def test_no_rows_at_all_are_trained_on_like_any_others() -> None:
    model = small()
    before = [each.detach().clone() for each in model.parameters()]
    planned(model, (torch.zeros(0, 4), torch.zeros(0, dtype=torch.long))).run()
    assert all(bool((one != other).all()) for one, other in zip(model.parameters(), before, strict=True))


def test_nothing_of_the_rows_is_left_behind() -> None:
    """Neither gradients, hooks nor seeds; parameters and the optimizer's state follow from what was released."""
    model = small()
    optimizer = torch.optim.Adam(model.parameters())
    planned(model, optimizer=optimizer).run()
    assert all(each.grad is None for each in model.parameters())
    assert not any(module._forward_hooks or "forward" in vars(module) for module in model.modules())


# --- forms of rows and prices ---------------------------------------------------------------------------------------


def test_rows_come_as_arrays_datasets_and_several_inputs() -> None:
    inputs, target = data()
    for given in (
        (inputs.numpy().astype(np.float64), target.numpy()),
        TensorDataset(inputs, target),
        [inputs, target.int()],
    ):
        loss = (lambda out, y: CROSS(out, y.long())) if isinstance(given, list) else CROSS
        assert planned(given=given, loss=loss).run(1).done == 1

    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 2)

        def forward(self, one: Tensor, other: Tensor) -> Tensor:
            found: Tensor = self.layer(torch.cat((one, other), 1))
            return found

    assert planned(Both(), (inputs, inputs * 2, target)).run(1).way == "layer by layer"


def test_relations_of_neighbors_and_units_have_their_prices() -> None:
    by_row, replaced = planned(), planned(neighbors="replace", expected_rows=None)
    assert replaced.rate == by_row.rate
    assert replaced.noise_multiplier > 1.2 * by_row.noise_multiplier
    assert replaced.privacy.unit == Unit("person", Neighbors.REPLACE)
    promised = planned(rows_per_unit=3)
    assert promised.noise_multiplier == pytest.approx(
        planned(batch_size=118, rows_per_unit=1, expected_rows=200).noise_multiplier, rel=0.1
    )  # a unit is in a sample with 1 - (3/4)^3
    assert promised.privacy.rows_per_unit == 3
    grouped = planned(rows_per_unit=3, groups=np.arange(200) // 3)
    assert grouped.noise_multiplier == by_row.noise_multiplier
    assert grouped.run().done == 6
    assert planned(rho=1, epsilon=None, delta=None, batch_size=200).noise_multiplier == pytest.approx(math.sqrt(3))


def test_the_plan_is_that_of_noisy_steps() -> None:
    training = planned(clip="0.5")
    plan = training.schedule.mechanisms[0]
    assert isinstance(plan, NoisySteps)
    assert (plan.steps, float(plan.rate), plan.rows) == (6, 0.25, 1)
    assert training.trained.expected == 50
    assert training.trained.clip == 0.5
    assert plan.loss.epsilon(1e-5) <= 3 < plan.of(7).loss.epsilon(1e-5)
    assert re.fullmatch(
        r"PrivateTraining\(0 of 6 steps, layer by layer, noise 1\.\d+ × clip, \(ε=3, δ=1e-5\)-DP\)", repr(training)
    )


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"loss": nn.CrossEntropyLoss()}, 'reduction="mean"'),
        ({"loss": 3}, "loss must be a function"),
        ({"steps": None}, "epochs=… or steps=…"),
        ({"epochs": 2}, "epochs=… or steps=…"),
        ({"steps": None, "epochs": math.inf}, "epochs"),
        ({"expected_rows": None}, "expected_rows"),
        ({"clip": 0}, "clip"),
        ({"delta": None}, "needs a delta or a rho"),
        ({"rho": 1, "epsilon": None, "delta": None}, "over all rows alone"),
        ({"epsilon": None}, "the price must be exactly one"),
        ({"epsilom": 3}, "did you mean"),
        ({"sampling": "in turn"}, "did you mean"),
        ({"groups": np.arange(200)}, "rows_per_unit"),
        ({"groups": np.arange(20), "rows_per_unit": 1}, "their lengths differ"),
        ({"given": data()[0]}, "data must be"),
        ({"given": (data()[0], data()[1][:5])}, "their lengths differ"),
        ({"given": (data()[0].numpy().astype(str), data()[1])}, "must hold numbers"),
        ({"given": (data()[0].to_sparse(), data()[1])}, "dense tensors"),
        ({"model": small().eval()}, "call model.train"),
        ({"model": small().half()}, "float32 or float64"),
        ({"model": small().bfloat16()}, "float32 or float64"),
        ({"model": nn.DataParallel(small())}, "pass what it wraps"),
        ({"model": small(), "optimizer": torch.optim.SGD(small().parameters())}, "not the model's"),
        ({"model": nn.Sequential(nn.Linear(4, 2), nn.Linear(2, 2).double())}, "of one type"),
        ({"model": nn.Sequential(nn.Linear(4, 2, device="meta"))}, "on meta"),
        ({"model": nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))}, "nn.GroupNorm"),
    ],
)  # fmt: skip
def test_what_cannot_be_trained_is_refused_before_anything_is_paid(said: dict[str, Any], sentence: str) -> None:
    ledger = Ledger(Guarantee(3, 1e-5), unit=PERSON)
    with pytest.raises(InvalidParameter, match=re.escape(sentence)):
        planned(said.pop("model", None), said.pop("given", None), **({"ledger": ledger} | said))
    assert ledger.spent.epsilon == 0


def test_optimizers_are_refused_that_look_at_losses_or_at_nothing() -> None:
    model = small()
    with pytest.raises(InvalidParameter, match="LBFGS"):
        planned(model, optimizer=torch.optim.LBFGS(model.parameters()))
    with pytest.raises(InvalidParameter, match="must be a torch"):
        planned(model, optimizer="SGD")
    with pytest.raises(InvalidParameter, match="must be a torch"):
        private_training("model", torch.optim.SGD(model.parameters()), data(), loss=CROSS, steps=1)  # type: ignore[arg-type] # on purpose
    with pytest.raises(InvalidParameter, match="more than one dense gradient"):
        planned(model, optimizer=torch.optim.SparseAdam(list(model.parameters())))
    with pytest.raises(InvalidParameter, match="nothing to train"):
        planned(model.requires_grad_(requires_grad=False), optimizer=torch.optim.SGD(model.parameters()))
    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(InvalidParameter, match="autocast"):
        planned()


def test_networks_in_which_seats_matter_have_more_of_them() -> None:
    class Seated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, inputs: Tensor) -> Tensor:
            found: Tensor = self.layer(inputs * (1 + 1e-7 * torch.arange(len(inputs))[:, None]))
            return found

    assert planned(nn.Linear(4, 2)).trained.size == 50 + 2 * 7
    assert planned(Seated()).trained.size == 50 + 7 * 7


def test_clips_are_lengths() -> None:
    for wrong in (0, -1, "1e-40"):
        with pytest.raises(InvalidParameter, match="clip"):
            clip_of(wrong)


# --- in turns, and going on -----------------------------------------------------------------------------------------


def test_a_training_in_turns_is_one_release_and_learns() -> None:
    ledger = Ledger(Guarantee(8, 1e-5), unit=PERSON)
    model = small()
    inputs, target = data(2000)
    training = planned(
        model,
        (inputs, target),
        steps=None,
        epochs=4,
        batch_size=200,
        expected_rows=2000,
        epsilon=8,
        ledger=ledger,
        sampling="in turns",
    )
    plan: Any = training.schedule.mechanisms[0]
    assert (plan.correlation.steps, plan.correlation.separation, plan.correlation.participations) == (40, 10, 4)
    assert plan.correlation.bands > 1
    with pytest.raises(InvalidParameter, match="multiple of 10"):
        training.run(3)
    assert ledger.spent.epsilon == 0
    assert [epoch for epoch in training] == [1, 2, 3, 4]  # noqa: C416 - the loop itself is what is looked at
    assert training.done == 40
    assert [each.kind for each in ledger.entries] == ["reservation", *["draw"] * 4]
    assert 7.9 < float(ledger.spent.epsilon) <= 8
    assert training.spent.epsilon(1e-5) <= 8
    assert float((model(inputs).argmax(1) == target).float().mean()) > 0.85


def test_turns_have_their_prices() -> None:
    said: dict[str, Any] = {"sampling": "in turns", "steps": None, "epochs": 3}
    alone, replaced = planned(**said), planned(**said, neighbors="replace", expected_rows=None)
    assert replaced.noise_multiplier == pytest.approx(2 * alone.noise_multiplier, rel=1e-6)
    assert planned(**said, rows_per_unit=3).noise_multiplier == pytest.approx(3 * alone.noise_multiplier, rel=1e-6)
    grouped = planned(**said, rows_per_unit=3, groups=np.arange(200) // 3)
    assert grouped.noise_multiplier == alone.noise_multiplier
    assert grouped.run().done == 12
    assert planned(**said, rho=0.5, epsilon=None, delta=None).privacy.loss.zcdp() <= 0.5


def train_and_kill(path: Path, moments: Sequence[int], steps: int) -> None:
    """Train, be killed after so many more steps, again and again; then to the end."""
    program = Path(__file__).parent / "killed_training.py"
    said = [str(path), str(steps), *map(str, moments)]
    done = subprocess.run([sys.executable, str(program), *said], capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert done.returncode == 0, done.stderr


def check_killed(path: Path, steps: int) -> int:
    """Whatever happened; return how many steps led to the parameters."""
    ledger = Ledger(Guarantee(3, 1e-5), unit=PERSON, journal=f"sqlite:///{path}/ledger.db")
    assert [each.kind for each in ledger.entries].count("reservation") == 1
    assert 2.9 < float(ledger.spent.epsilon) <= 3
    done, left = map(int, (path / "said").read_text().split())
    assert done == left <= steps
    assert len((path / "moved").read_text()) <= steps  # no noise was drawn that had not been paid for
    return done


def test_a_killed_training_goes_on_and_is_paid_once(tmp_path: Path) -> None:
    """Killed in its second part, then before its first step; what was recorded and not made is lost."""
    train_and_kill(tmp_path, (4, 0), 12)
    assert check_killed(tmp_path, 12) < 12


@pytest.mark.soak
def test_trainings_killed_at_fifty_moments_are_paid_once(tmp_path: Path) -> None:
    """Two kills each, at moments that differ."""
    for number in range(25):
        path = tmp_path / str(number)
        path.mkdir()
        train_and_kill(path, (number * 7 % 11, number * 5 % 4), 12)
        check_killed(path, 12)


def test_what_cannot_go_on_says_so() -> None:
    ledger = Ledger(Guarantee(9, 1e-4), unit=PERSON)
    planned(ledger=ledger, key="whole").run()
    spent = ledger.spent
    with pytest.raises(AnswerLost, match="all steps that were paid for under this key"):
        planned(ledger=ledger, key="whole").run()
    assert ledger.spent == spent
    kept = planned(ledger=ledger, key="one").run(2).state_dict()
    with pytest.raises(InvalidParameter, match="the ledger and the key"):
        planned().load_state_dict(kept)
    with pytest.raises(InvalidParameter, match="of 6 steps, and this one has 7"):
        planned(ledger=ledger, key="one", steps=7).load_state_dict(kept)
    with pytest.raises(InvalidParameter, match="has begun"):
        planned(ledger=ledger, key="three").run(1).load_state_dict(kept)
    with pytest.raises(InvalidParameter, match="in turns cannot go on"):
        planned(sampling="in turns", ledger=ledger, key="two").load_state_dict(kept)
    with pytest.raises(InvalidParameter, match="needs a ledger"):
        planned(key="one")


def test_an_interrupted_run_goes_on_with_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 steps in parts of 3: Ctrl-C in the middle of the second part loses the rest of it, and no more."""
    training = planned(steps=60)
    move, made = training.trained.move, []

    def interrupted(released: Any) -> None:  # noqa: ANN401 - an array
        made.append(1)
        if len(made) == 5:
            raise KeyboardInterrupt
        move(released)

    monkeypatch.setattr(training.trained, "move", interrupted)
    with pytest.raises(KeyboardInterrupt):
        training.run()
    assert (training.done, training.steps) == (4, 58)
    assert training.run().done == 58
    made.clear()
    turns = planned(steps=12, sampling="in turns")
    move = turns.trained.move
    monkeypatch.setattr(turns.trained, "move", interrupted)
    with pytest.raises(KeyboardInterrupt):
        turns.run()
    with pytest.raises(InvalidParameter, match="a round was interrupted"):
        turns.run()
