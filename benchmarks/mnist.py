"""MNIST by models of privet.learn, at several ε and by several fits each: accuracy and processor seconds.

    python benchmarks/mnist.py --data FOLDER --epsilon 3 1.2 --fits 5            print what was found
    python benchmarks/mnist.py --data FOLDER --kept FILE --write                 write docs/learn/mnist.md from it

The folder holds the four files of MNIST, packed by gzip or xz. `--kept` is a file to which every fit is added, so that
a run that was ended goes on. Scattering is computed once for all fits, `--maps` keeps it for other runs, and its
seconds are added to each fit.
"""

import argparse
import gzip
import json
import lzma
import math
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from mnist_page import written
from numpy.typing import NDArray

from privet.learn import MLPClassifier, RandomFeaturesClassifier
from privet.learn.scattering_map import ScatteringMap

DELTA, ROWS = 1e-5, 60_000
PUBLIC: dict[str, Any] = {"bounds": (0, 255), "classes": range(10), "delta": DELTA, "expected_rows": ROWS}
MODELS: dict[str, Callable[[float], Any]] = {
    "scattering": lambda epsilon: RandomFeaturesClassifier(
        features="scattering", image_shape=(28, 28), epsilon=epsilon, **PUBLIC
    ),
    "fourier": lambda epsilon: RandomFeaturesClassifier(pairs=1000, epsilon=epsilon, **PUBLIC),
    "network": lambda epsilon: MLPClassifier(hidden_layer_sizes=(128,), epsilon=epsilon, **PUBLIC),
}


def images(folder: Path, name: str) -> NDArray[np.uint8]:
    """What a file of MNIST holds, one row an image or one number a label."""
    path = next(folder.glob(f"{name}*"))
    content = (lzma if path.suffix == ".xz" else gzip).decompress(path.read_bytes())
    dimensions = content[3]
    count = int.from_bytes(content[4:8])
    start = 4 + 4 * dimensions
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape((count, -1) if dimensions > 1 else (count,))


class MappedOnce:
    """Keeps what the scattering of these rows was, so that ten fits do not compute it ten times; and its seconds.

    Args:
        folder: where it is kept for other runs; None for this one alone.
    """

    def __init__(self, folder: Path | None) -> None:
        self.seconds: dict[int, float] = {}
        self.computed = False  # whether it was in the present fit
        self._folder, self._kept, self._whole = folder, dict[int, Any](), ScatteringMap.whole

    def install(self) -> None:
        """From now on."""

        def whole(mapped: ScatteringMap, rows: Any) -> Any:  # noqa: ANN401 - arrays
            return self.whole(mapped, rows)

        ScatteringMap.whole = whole  # type: ignore[method-assign, assignment]

    def whole(self, mapped: ScatteringMap, rows: Any) -> Any:  # noqa: ANN401 - arrays
        """The mapped rows; sets of rows are told apart by how many there are."""
        many = len(rows)
        file = None if self._folder is None else self._folder / f"{many}.npz"
        if many not in self._kept and file is not None and file.exists():
            with np.load(file) as kept:
                self._kept[many], self.seconds[many] = kept["whole"], float(kept["seconds"])
        if many not in self._kept:
            start = time.process_time()
            self._kept[many] = self._whole(mapped, rows)
            self.seconds[many], self.computed = time.process_time() - start, True
            if file is not None:
                np.savez(file, whole=self._kept[many], seconds=self.seconds[many])
        return self._kept[many]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with the files of MNIST")
    parser.add_argument("--epsilon", type=float, nargs="*", default=[])
    parser.add_argument("--models", nargs="*", choices=MODELS, default=["scattering"])
    parser.add_argument("--fits", type=int, default=5)
    parser.add_argument("--kept", type=Path, help="a file to which every fit is added")
    parser.add_argument("--maps", type=Path, help="a folder where scattering is kept for other runs")
    parser.add_argument("--write", action="store_true", help="write docs/learn/mnist.md and its picture")
    options = parser.parse_args()
    train, test = (images(options.data, f"{name}-images") for name in ("train", "t10k"))
    labels, wanted = (images(options.data, f"{name}-labels") for name in ("train", "t10k"))
    once = MappedOnce(options.maps)
    once.install()
    found: dict[tuple[str, float], list[tuple[float, float | None]]] = defaultdict(list)
    if options.kept is not None and options.kept.exists():
        for line in options.kept.read_text(encoding="utf-8").splitlines():
            model, epsilon, score, seconds = json.loads(line)
            found[model, epsilon].append((score, seconds))
    for model in options.models:
        for epsilon in options.epsilon:
            while len(found[model, epsilon]) < options.fits:
                once.computed = model != "scattering"
                start = time.process_time()
                fitted = MODELS[model](epsilon).fit(train, labels)
                seconds = time.process_time() - start + (0.0 if once.computed else once.seconds[len(train)])
                found[model, epsilon].append((fitted.score(test, wanted), seconds))
                if options.kept is not None:
                    with options.kept.open("a", encoding="utf-8") as kept:
                        kept.write(json.dumps([model, epsilon, *found[model, epsilon][-1]]) + "\n")
            print(said(model, epsilon, found[model, epsilon]), flush=True)
    if options.write:
        written(found)


def said(model: str, epsilon: float, fits: list[tuple[float, float | None]]) -> str:
    """One line of one model at one ε."""
    scores = [score for score, _ in fits]
    seconds = [each for _, each in fits if each is not None] or [math.nan]
    error = stdev(scores) if len(scores) > 1 else math.nan
    words = f"{100 * mean(scores):.2f} % (least {100 * min(scores):.2f}, deviation {100 * error:.2f})"
    return f"{model:<10}  ε = {epsilon:<4g}  {words}  {min(seconds):.0f} to {max(seconds):.0f} s"


if __name__ == "__main__":
    main()
