"""What an epoch of a private network costs beside plain torch and Opacus: 784-128-10, 50,000 rows, batch 256.

The rows are those of MNIST where PRIVET_DATA names a folder with its files, else invented ones of the same shape. Every
side runs on one thread and is measured in seconds of its processor, which other work on the machine changes little;
`--wall` measures by the clock on the wall, with all the threads that a library takes by itself.
"""

import argparse
import gzip
import json
import lzma
import os
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

if "--wall" not in sys.argv:
    os.environ["OMP_NUM_THREADS"] = "1"  # before any library looks

import numpy as np
from numpy.typing import NDArray
from peers import Row, run_peer, show
from rich.console import Console

from privet.learn import MLPClassifier

SCRIPT = Path(__file__).parent / "networks_peers.py"
REQUIREMENTS = ["torch==2.13.0", "opacus==1.6.0"]
ROWS, BATCH, STEPS, MORE, REPEATS = 50_000, 256, 196, 4, 3
Clock = Callable[[], float]


def rows_and_labels() -> tuple[NDArray[np.float32], NDArray[np.int64], str]:
    """50,000 pictures of 784 numbers in [0, 1], their digits, and what they are."""
    folder = Path(os.environ.get("PRIVET_DATA", "no folder"))
    images, labels = folder / "train-images-idx3-ubyte.xz", folder / "train-labels-idx1-ubyte.gz"
    if images.exists():
        pixels = np.frombuffer(lzma.decompress(images.read_bytes()), np.uint8, offset=16).reshape(-1, 784)
        digits = np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8)
        return (pixels[:ROWS] / np.float32(255)).astype(np.float32), digits[:ROWS].astype(np.int64), "MNIST"
    source = np.random.default_rng(0)
    known = source.integers(0, 10, ROWS)
    centers = source.uniform(size=(10, 784))
    rows = np.clip(centers[known] + source.normal(scale=0.5, size=(ROWS, 784)), 0, 1)
    return rows.astype(np.float32), known, "invented rows"


def fitted(rows: NDArray[Any], labels: NDArray[Any], epochs: int) -> MLPClassifier:
    """A fit: reading, looking for the least noise, where the rows lie, and so many epochs of steps."""
    model = MLPClassifier(
        bounds=(0, 1),
        classes=range(10),
        hidden_layer_sizes=(128,),
        rate=Fraction(BATCH, ROWS),
        steps=STEPS * epochs,
        expected_rows=ROWS,
        epsilon=3,
        delta=1e-5,
    )
    return model.fit(rows, labels)


def trained(rows: NDArray[Any], labels: NDArray[Any], epochs: int) -> object:
    """The same by a network of torch, whose tensors are made before."""
    import torch  # noqa: PLC0415 - after the number of threads is said
    from torch import nn  # noqa: PLC0415

    from privet.learn.torch import private_training  # noqa: PLC0415 - needs torch

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    training = private_training(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
        (torch.tensor(rows), torch.tensor(labels)),
        loss=nn.CrossEntropyLoss(reduction="none"),
        steps=STEPS * epochs,
        batch_size=BATCH,
        expected_rows=ROWS,
        epsilon=3,
        delta=1e-5,
    )
    return training.run()


def an_epoch(fit: Callable[[int], object], clock: Clock) -> tuple[float, float]:
    """Seconds of one epoch, and of a whole fit of one: the former is what `MORE` further ones take, shared out."""

    def seconds(epochs: int) -> float:
        start = clock()
        fit(epochs)
        return clock() - start

    pairs = [(seconds(1), seconds(1 + MORE)) for _ in range(REPEATS)]
    return min(more - one for one, more in pairs) / MORE, min(one for one, _ in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wall", action="store_true", help="by the clock on the wall, with all threads")
    wall = parser.parse_args().wall
    console = Console(width=160)
    rows, labels, kind = rows_and_labels()
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / "rows.npz"
        np.savez(stored, rows=rows, labels=labels)
        lines = run_peer(
            "torch", REQUIREMENTS, [str(SCRIPT), str(stored), str(REPEATS), "wall" if wall else "cpu"], console
        )
    theirs = {found["way"]: found["seconds"] for found in map(json.loads, lines)}
    clock = time.perf_counter if wall else time.process_time
    found = []
    for name, fit in (("MLPClassifier", fitted), ("privet.learn.torch", trained)):
        with console.status(f"measuring {name}"):
            epoch, whole = an_epoch(partial(fit, rows, labels), clock)
        found += [
            Row.at_most(f"{name}, an epoch", epoch, "torch, not private", theirs["torch"], times=1.5),
            Row.faster(f"{name}, an epoch", epoch, "Opacus, ghost", theirs["opacus ghost"], times=2),
            Row.faster(f"{name}, an epoch", epoch, "Opacus, hooks", theirs["opacus hooks"], times=2),
            Row.faster(
                f"{name}, a fit of one epoch", whole, "Opacus, ghost, its epoch", theirs["opacus ghost"], times=1
            ),
        ]
    show(f"784-128-10 on {ROWS:,} rows ({kind}), batch {BATCH}", found, console)


if __name__ == "__main__":
    main()
