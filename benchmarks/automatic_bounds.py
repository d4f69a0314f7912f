"""Means without declared bounds: `python benchmarks/automatic_bounds.py` compares the search for bounds with another.

The plain search is one noisy histogram by sign and power of two, with a fifth of ε, and bounds from the first to the
last bin above a strict threshold; Privet had it before, and it is kept here alone. Each run draws its data anew; real
data, if the folder that `--data` names has them, are sampled. `--rows` and `--epsilon` say where else to look.
"""

import argparse
import csv
import gzip
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import privet
from privet.asking.within_found_bounds import counted
from privet.core.release import Release
from privet.mechanisms import DiscreteLaplace
from privet.noise import Entropy
from privet.postprocessing.bins import Expected

RUNS = 200
ENOUGH = 10_000  # rows times ε from which the search promises something
PLAIN = Fraction(1, 5)  # of ε
WRONG = 1e-4  # that any empty bin is taken, by the plain search
Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]


def clusters(random: np.random.Generator, rows: int) -> Floats:
    low = random.random(rows) < 0.5
    return np.where(low, random.normal(10, 1, rows), random.normal(10_000, 100, rows))


INVENTED: dict[str, Draw] = {
    "N(0, 1)": lambda random, rows: random.normal(0, 1, rows),
    "N(1000, 10)": lambda random, rows: random.normal(1000, 10, rows),
    "N(1e6, 1)": lambda random, rows: random.normal(1e6, 1, rows),
    "lognormal(3, 1)": lambda random, rows: np.exp(random.normal(3, 1, rows)),
    "lognormal(3, 2)": lambda random, rows: np.exp(random.normal(3, 2, rows)),
    "37.25, always": lambda _, rows: np.full(rows, 37.25),
    "two clusters": clusters,
    "whole 18 to 89": lambda random, rows: random.integers(18, 90, rows).astype(float),
}
STORED = {"Adult gain": ("adult.data.gz", 10), "Adult hours": ("adult.data.gz", 12)}
PUMS = ("PUMS income", "FultonPUMS5full.csv.gz", "income")


def data_sets(folder: Path | None) -> dict[str, Draw]:
    """The invented ones, and what the folder has."""
    found = dict(INVENTED)
    for name, column in stored(folder) if folder is not None else ():
        found[name] = lambda random, rows, column=column: random.choice(column, rows)  # type: ignore[misc]
    return found


def stored(folder: Path) -> Iterator[tuple[str, Floats]]:
    for name, (file, place) in STORED.items():
        if (folder / file).exists():
            with gzip.open(folder / file, "rt") as lines:
                yield name, np.array([float(line.split(",")[place]) for line in lines if line.strip()])
    name, file, column = PUMS
    if (folder / file).exists():
        with gzip.open(folder / file, "rt") as lines:
            known = [row[column] for row in csv.DictReader(lines)]
        yield name, np.array([float(each) for each in known if each not in {"", "NA"}])


def plain(column: Floats, epsilon: float) -> Release[Any]:
    """The mean within bounds that one histogram gives."""
    bins = Expected().bins
    scale = 1 / (PLAIN * Fraction(epsilon))
    counts = DiscreteLaplace(1, scale).sample(counted(column, bins), Entropy())
    full = np.flatnonzero(np.asarray(counts) > float(scale) * math.log(len(bins) / (2 * WRONG)))
    bounds = bins.ends(int(full[0]), int(full[-1])) if len(full) else (-1, 1)
    return privet.mean(column, bounds=bounds, epsilon=(1 - PLAIN) * Fraction(epsilon))


def found(column: Floats, epsilon: float) -> Release[Any]:
    """The mean within bounds that Privet finds."""
    return privet.mean(column, bounds="auto", epsilon=epsilon)


def error_of(draw: Draw, *, rows: int = ENOUGH, epsilon: float = 1) -> Callable[[np.random.Generator], float]:
    """One run of Privet's: its error, as `benchmarks/accuracy.py` asks for it."""

    def measure(random: np.random.Generator) -> float:
        column = draw(random, rows)
        return abs(float(found(column, epsilon).value) - float(column.mean()))

    return measure


@dataclass(frozen=True)
class Compared:
    """One kind of data: mean errors with their standard errors, and how often the interval covers the data's mean."""

    name: str
    before: tuple[float, float]
    now: tuple[float, float]
    median_ratio: float
    covers: float

    @property
    def ratio(self) -> float:
        """The error now, over that before."""
        return self.now[0] / self.before[0]


def compared(name: str, draw: Draw, rows: int, epsilon: float, runs: int) -> Compared:
    random = np.random.default_rng(20)
    errors: tuple[list[float], list[float]] = ([], [])
    covers = 0
    for _ in range(runs):
        column = draw(random, rows)
        truth = float(column.mean())
        for ask, into in zip((plain, found), errors, strict=True):
            answer = ask(column, epsilon)
            into.append(abs(float(answer.value) - truth))
        covers += errors[1][-1] <= answer.margin(0.95)
    before, now = (_mean(each) for each in errors)
    medians = float(np.median(errors[1]) / np.median(errors[0]))
    return Compared(name, before, now, medians, covers / runs)


def _mean(errors: list[float]) -> tuple[float, float]:
    return float(np.mean(errors)), float(np.std(errors) / math.sqrt(len(errors)))


def report(results: list[Compared], rows: int, epsilon: float) -> str:
    """A table, and what the search promises."""
    lines = [
        f"n = {rows:,}, ε = {epsilon:g}",
        "",
        "| data | one histogram: mean error | Privet: mean error | ratio | ratio of medians | covers the data's mean |",
        "|---|---|---|---|---|---|",
    ]
    for each in results:
        (old, about), (new, more) = each.before, each.now
        lines.append(
            f"| {each.name} | {old:.3g} ± {about:.1g} | {new:.3g} ± {more:.1g} | {each.ratio:.2g} | "
            f"{each.median_ratio:.2g} | {100 * each.covers:.0f} % |"
        )
    worst = max(results, key=lambda each: each.ratio)
    better = sum(each.ratio <= 1 / 4 for each in results)
    lines += [
        "",
        f"worst: {worst.ratio:.2f} of one histogram's error ({worst.name}); at least 4 times better: {better}",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--data", type=Path, help="a folder with Adult and PUMS")
    parser.add_argument("--rows", type=int, nargs="*", default=[ENOUGH, 10 * ENOUGH, 1000, ENOUGH])
    parser.add_argument("--epsilon", type=float, nargs="*", default=[1, 0.1, 1, 0.1])
    said = parser.parse_args()
    sets = data_sets(said.data)
    for rows, epsilon in zip(said.rows, said.epsilon, strict=True):
        results = [compared(name, draw, rows, epsilon, said.runs) for name, draw in sets.items()]
        print(report(results, rows, epsilon), end="\n\n")


if __name__ == "__main__":
    main()
