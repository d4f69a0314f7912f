"""NetworkCanaries: an audit of a training by one run stays below the claim, and above it where a step is broken."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from privet import Guarantee
from privet.audit import one_run
from privet.errors import InvalidParameter
from privet.learn.torch import NetworkCanaries, PrivateTraining, private_training
from privet.learn.torch import network_steps as steps_of_networks
from privet.learn.torch.clipped_sum import clipped_sum
from privet.noise import BitSource

COUNT, GUESSES, ALPHA, DELTA = 300, 150, 1e-6, 1e-9


def make(data: tuple[Tensor, ...], epsilon: float = 1) -> PrivateTraining:
    torch.manual_seed(4)
    model = nn.Linear(COUNT, 2)
    return private_training(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1),
        data,
        loss=nn.CrossEntropyLoss(reduction="none"),
        epsilon=epsilon,
        delta=DELTA,
        steps=10,
        batch_size=100,
        expected_rows=COUNT // 2,
    )


def canaries() -> NetworkCanaries:
    """Each has a column to itself, so that their gradients are nearly orthogonal."""
    labels = torch.arange(COUNT) * 7 % 5 % 2
    return NetworkCanaries(make, (torch.eye(COUNT) * 3, labels), (torch.zeros(2, COUNT), labels[:2]))


@pytest.mark.parametrize("broken", [False, True])
def test_an_audit_finds_less_than_is_claimed_unless_nothing_is_clipped(
    monkeypatch: pytest.MonkeyPatch, source: BitSource, *, broken: bool
) -> None:
    """The control: gradients forty times as long as the noise is made for. False alarms: one in a million."""
    if broken:
        monkeypatch.setattr(
            steps_of_networks, "clipped_sum", lambda found, clip, *more: 40 * clipped_sum(found, clip, *more)
        )
    audited = canaries()
    included = source.words(COUNT) >> np.uint64(63) == 1
    run = audited.fit(np.flatnonzero(included))
    assert run.training.done == 10
    found = one_run(
        audited.in_steps(run, audited.places), included, claim=Guarantee(1, DELTA), guesses=GUESSES, alpha=ALPHA
    )
    assert found.violated == broken, found.event
    marks = audited.in_model(run, audited.places)
    assert marks.shape == (COUNT,)
    assert np.isfinite(marks).all()


def test_canaries_look_like_rows() -> None:
    labels = torch.zeros(3, dtype=torch.long)
    with pytest.raises(InvalidParameter, match="one entry a row"):
        NetworkCanaries(make, (torch.eye(4), labels), (torch.eye(3), labels))
    forgetful = NetworkCanaries(
        lambda data: make(tuple(each[:1] for each in data)), canaries().canaries, canaries().rows
    )
    with pytest.raises(InvalidParameter, match="the very rows"):
        forgetful.fit([0, 1])
