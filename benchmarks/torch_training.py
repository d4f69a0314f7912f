"""What an epoch of a small convolutional network costs beside plain torch and Opacus, and what is learned in turns.

`benchmarks/networks.py` has 784-128-10. Every side runs on one thread, in seconds of its processor, which other work on
the machine changes little. With --accuracy, steps by chance are compared with steps in turns at equal ε instead.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before any library looks
sys.path.insert(0, str(Path(__file__).parent))

import torch
from peers import Row, run_peer, show
from rich.console import Console
from rich.table import Table
from torch import nn
from torch_training_peers import BATCH, invented, network

from privet.learn.torch import PrivateTraining, private_training

SCRIPT = Path(__file__).parent / "torch_training_peers.py"
REQUIREMENTS = ["torch==2.13.0", "opacus==1.6.0"]
ROWS, REPEATS = 5_120, 3
STEPS = ROWS // BATCH
LOSS = nn.CrossEntropyLoss(reduction="none")


def an_epoch() -> float:
    """Seconds of the steps that an epoch has, sampling and exact noise among them."""
    model = network()
    training = private_training(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
        invented(ROWS),
        loss=LOSS,
        steps=STEPS * (REPEATS + 1),
        batch_size=BATCH,
        expected_rows=ROWS,
        epsilon=3,
        delta=1e-5,
    )
    took = []
    for _ in range(REPEATS + 1):
        start = time.process_time()
        training.run(STEPS)
        took.append(time.process_time() - start)
    return min(took)


def points(rows: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Twenty numbers of which the signs of two, multiplied, are what is asked for."""
    drawn = torch.Generator().manual_seed(seed)
    inputs = torch.randn(rows, 20, generator=drawn)
    return inputs, (inputs[:, 0] * inputs[:, 1] > 0).long()


def learned(sampling: str, epsilon: float, epochs: int, seed: int) -> tuple[float, PrivateTraining]:
    """The accuracy on further points."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 2))
    rows = 20_000
    training = private_training(
        model,
        torch.optim.SGD(model.parameters(), lr=2.0),
        points(rows, seed),
        loss=LOSS,
        epochs=epochs,
        batch_size=500,
        expected_rows=rows,
        epsilon=epsilon,
        delta=1e-6,
        sampling=sampling,
    )
    training.run()
    inputs, target = points(5_000, seed + 1000)
    return float((model(inputs).argmax(1) == target).float().mean()), training


def accuracy(console: Console) -> None:
    """By chance, and in turns, at equal ε."""
    table = Table("ε", "epochs", "by chance", "in turns", "in turns, independent noise would be")
    for epsilon, epochs in ((1, 8), (4, 8), (16, 8)):
        cells = []
        for sampling in ("by chance", "in turns"):
            found = [learned(sampling, epsilon, epochs, seed) for seed in range(3)]
            cells.append(f"{sum(each for each, _ in found) / len(found):.3f}")
        correlation = found[0][1].schedule.mechanisms[0].correlation
        alone = type(correlation)(correlation.steps, 1, correlation.participations, correlation.separation)
        wider = f"{alone.mean_error() / correlation.mean_error():.2f}x as wide ({correlation.bands} bands)"
        table.add_row(f"{epsilon}", f"{epochs}", *cells, wider)
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accuracy", action="store_true", help="compare ways of sampling instead of times")
    console = Console(width=160)
    if parser.parse_args().accuracy:
        accuracy(console)
        return
    lines = run_peer("torch", REQUIREMENTS, [str(SCRIPT), str(ROWS), str(REPEATS)], console)
    theirs = {found["way"]: found["seconds"] for found in map(json.loads, lines)}
    with console.status("measuring Privet"):
        epoch = an_epoch()
    found = [
        Row.at_most("an epoch", epoch, "torch, not private", theirs["torch"], times=3),
        Row.faster("an epoch", epoch, "Opacus, ghost", theirs["opacus ghost"], times=2),
        Row.faster("an epoch", epoch, "Opacus, hooks", theirs["opacus hooks"], times=2),
    ]
    show(f"a convolutional network of 26,010 parameters, {ROWS:,} rows, batch {BATCH}", found, console)


if __name__ == "__main__":
    main()
