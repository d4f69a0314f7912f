"""Runs inside the peers' environment: a small convolutional network by plain torch and by Opacus; prints seconds."""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator

import torch
from torch import nn

BATCH = 256
Epoch = Callable[[], None]


def network() -> nn.Module:
    """26,010 parameters: that of Papernot, Thakurta, Song, Chien and Erlingsson (2021) for MNIST."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 16, 8, stride=2, padding=3),
        nn.ReLU(),
        nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, stride=2),
        nn.ReLU(),
        nn.MaxPool2d(2, 1),
        nn.Flatten(),
        nn.Linear(512, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )


def invented(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Pictures and labels that nobody has."""
    drawn = torch.Generator().manual_seed(1)
    return torch.rand(rows, 1, 28, 28, generator=drawn), torch.randint(0, 10, (rows,), generator=drawn)


def plain(rows: torch.Tensor, labels: torch.Tensor) -> Epoch:
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


def opacus(rows: torch.Tensor, labels: torch.Tensor, mode: str) -> Epoch:
    """By its own loader with Poisson sampling; its noise is that of floats."""
    from opacus import PrivacyEngine  # type: ignore[import-not-found]  # noqa: PLC0415 - the plain way needs none

    model = network()
    model, optimizer, *criterion, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
        criterion=nn.CrossEntropyLoss(),
        data_loader=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(rows, labels), batch_size=BATCH),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        poisson_sampling=True,
        grad_sample_mode=mode,
    )
    loss = criterion[0] if criterion else nn.CrossEntropyLoss()

    def epoch() -> None:
        for some, known in loader:
            optimizer.zero_grad()
            loss(model(some), known).backward()
            optimizer.step()

    return epoch


def ways(rows: torch.Tensor, labels: torch.Tensor) -> Iterator[tuple[str, Epoch]]:
    """Each way, and an epoch of it."""
    yield "torch", plain(rows, labels)
    yield "opacus hooks", opacus(rows, labels, "hooks")
    yield "opacus ghost", opacus(rows, labels, "ghost")


def main(rows: int, repeats: int) -> None:
    """Print the fastest epoch of each way, in seconds of this process."""
    warnings.filterwarnings("ignore")
    for way, epoch in ways(*invented(rows)):
        took = []
        for _ in range(repeats):
            start = time.process_time()
            epoch()
            took.append(time.process_time() - start)
        print(json.dumps({"way": way, "seconds": min(took)}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
