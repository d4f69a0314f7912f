"""A program: a training that is killed at some moments, each time goes on, and at last comes to its end.

Its arguments are a folder, how many steps are wanted, and after how many steps each life ends: a forked child.
"""

import os
import signal
import sys
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from privet import Guarantee, Ledger, Unit
from privet.learn.torch import private_training

NEVER = 10**6


def live(path: Path, moment: int, wanted: int) -> None:
    """Begin or go on, and train to the end or until the moment."""
    torch.manual_seed(1)
    inputs = torch.randn(60, 4)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    training = private_training(
        model,
        optimizer,
        (inputs, (inputs[:, 0] > 0).long()),
        loss=nn.CrossEntropyLoss(reduction="none"),
        epsilon=3,
        delta=1e-5,
        steps=wanted,
        batch_size=20,
        expected_rows=60,
        ledger=Ledger(Guarantee(3, 1e-5), unit=Unit("person"), journal=f"sqlite:///{path}/ledger.db"),
        key="run",
    )
    trained = {"model": model, "optimizer": optimizer, "training": training}
    if (path / "kept").exists():
        kept = torch.load(path / "kept")
        for name, each in trained.items():
            each.load_state_dict(kept[name])  # type: ignore[attr-defined] # each has it
    moves, made = training.trained.move, list[int]()

    def move(released: NDArray[np.float64]) -> None:
        with (path / "moved").open("a") as file:
            file.write("x")
        if len(made) == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        made.append(1)
        moves(released)

    training.trained.move = move  # type: ignore[method-assign] # on purpose
    while training.done < training.steps:
        training.run(min(3, training.steps - training.done))
        torch.save({name: each.state_dict() for name, each in trained.items()}, path / "new")  # type: ignore[attr-defined] # each has it
        (path / "new").replace(path / "kept")
    (path / "said").write_text(f"{training.done} {training.steps}")


if __name__ == "__main__":
    folder, steps, *moments = sys.argv[1:]
    for each in (*map(int, moments), NEVER):
        child = os.fork()
        if not child:
            live(Path(folder), each, int(steps))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status not in ({0} if each == NEVER else {0, signal.SIGKILL}):  # it may come to its end before
            raise SystemExit(f"a life ended with {status}")
