"""Runs inside the peers' environment: 784-128-10 by plain torch and by Opacus; prints seconds of an epoch."""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import nn

BATCH, SMALLER = 256, 10_000
Clock = Callable[[], float]


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def plain(rows: torch.Tensor, labels: torch.Tensor) -> Callable[[], None]:
    """The fastest way that torch has: rows in memory, taken by index, without a loader."""
    model, loss = network(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def epoch() -> None:
        order = torch.randperm(len(rows))
        for start in range(0, len(rows), BATCH):
            some = order[start : start + BATCH]
            optimizer.zero_grad()
            loss(model(rows[some]), labels[some]).backward()
            optimizer.step()

    return epoch


def opacus(rows: torch.Tensor, labels: torch.Tensor, mode: str) -> Callable[[], None]:
    """By its own loader with Poisson sampling; its noise is that of floats."""
    from opacus import PrivacyEngine  # type: ignore[import-not-found]  # noqa: PLC0415 - the plain way needs none

    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(rows, labels), batch_size=BATCH)
    made = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        criterion=nn.CrossEntropyLoss(),
        data_loader=loader,
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        poisson_sampling=True,
        grad_sample_mode=mode,
    )
    model, optimizer, *criterion, loader = made
    loss = criterion[0] if criterion else nn.CrossEntropyLoss()

    def epoch() -> None:
        for some, known in loader:
            optimizer.zero_grad()
            loss(model(some), known).backward()
            optimizer.step()

    return epoch


def ways(rows: torch.Tensor, labels: torch.Tensor) -> Iterator[tuple[str, Callable[[], None], float]]:
    """Each way, an epoch of it, and what part of an epoch that is."""
    yield "torch", plain(rows, labels), 1.0
    yield "opacus ghost", opacus(rows, labels, "ghost"), 1.0
    yield "opacus hooks", opacus(rows[:SMALLER], labels[:SMALLER], "hooks"), SMALLER / len(rows)


def main(file: str, repeats: int, clock: Clock) -> None:
    warnings.filterwarnings("ignore")
    stored = np.load(file)
    rows, labels = torch.tensor(stored["rows"]), torch.tensor(stored["labels"])
    for way, epoch, part in ways(rows, labels):
        took = []
        for _ in range(repeats):
            start = clock()
            epoch()
            took.append((clock() - start) / part)
        print(json.dumps({"way": way, "seconds": min(took)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), time.process_time if sys.argv[3] == "cpu" else time.perf_counter)
