"""Sampling the sensitivity of a kernel regression on 26 points, beside the same sampler in loops, in one run."""

import math
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from privet.stats.functions.priestley_chao import PriestleyChao
from privet.stats.functions.sampled_sensitivity import sampled_sensitivity

N = 5000
M = 500
GAMMA = 0.2
BANDWIDTH = 0.1
POINTS = np.arange(26) / 25
REGRESSION = PriestleyChao(str(BANDWIDTH), normalized=False).on(POINTS)
Rows = NDArray[np.float64]


def oracle(generator: np.random.Generator, count: int) -> Rows:
    x = generator.random(count)
    return np.stack((x, x * np.sin(10 * x) + generator.normal(0, 0.2, count)), axis=1)


def plain(rows: Rows) -> list[float]:
    """The regression as it is usually written: for each point, a sum over the sorted rows."""
    ordered = sorted(map(tuple, rows.tolist()))
    weights = [(after[0] - before[0]) * after[1] for before, after in pairwise(ordered)]
    centers = [x for x, _ in ordered[1:]]
    values = []
    for at in POINTS.tolist():
        total = 0.0
        for weight, x in zip(weights, centers, strict=True):
            scaled = (at - x) / BANDWIDTH
            total += weight * math.exp(-scaled * scaled / 2)
        values.append(total / BANDWIDTH)
    return values


def point_by_point(rows: Rows) -> list[float]:
    """The same with numpy for the rows and a loop over the points."""
    rows = rows[np.argsort(rows[:, 0])]
    weights = np.diff(rows[:, 0]) * rows[1:, 1]
    centers = rows[1:, 0]
    return [float(np.sum(weights * np.exp(-(((at - centers) / BANDWIDTH) ** 2) / 2))) / BANDWIDTH for at in POINTS]


def plain_sampler(f: Callable[[Rows], list[float]], trials: int) -> float:
    """The sampler in loops: the k-th smallest of the largest moves."""
    generator = np.random.default_rng(1)
    moves = []
    for _ in track(range(trials), "plain loops", console=Console(stderr=True), transient=True):
        records = oracle(generator, N + 1)
        one = f(records[:N])
        other = f(np.concatenate((records[: N - 1], records[N:])))
        moves.append(max(abs(a - b) for a, b in zip(one, other, strict=True)))
    return sorted(moves)[438 if trials == M else -1]


def timed(run: Callable[[], float]) -> tuple[float, float]:
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def main() -> None:
    draw = partial(oracle, np.random.default_rng(1))
    ours = timed(lambda: float(sampled_sensitivity(REGRESSION, draw, N, m=M, gamma=GAMMA, norm="linf").linf))
    whole = partial(oracle, np.random.default_rng(1))
    batched = timed(
        lambda: float(
            sampled_sensitivity(REGRESSION.__call__, whole, N, m=M, gamma=GAMMA, norm="linf", batched=True).linf
        )
    )
    rows = [
        ("drawing the records alone", *timed(lambda: 0.0 * sum(len(draw(N + 1)) for _ in range(M)))),
        ("Privet, by the rows that differ", *ours),
        ("Privet, whole datasets in batches", *batched),
        ("loop over trials and points, numpy for the rows", *timed(lambda: plain_sampler(point_by_point, M))),
        ("plain loops over trials, points and rows", *timed(lambda: plain_sampler(plain, M))),
    ]
    table = Table(title=f"Sensitivity of Priestley-Chao regression on 26 points, n={N:,}, m={M}", title_justify="left")
    for column in ("sampler", "seconds", "times slower", "sensitivity"):
        table.add_column(column, justify="left" if column == "sampler" else "right")
    for name, seconds, found in rows:
        told = f"{found:.9f}" if found else ""
        table.add_row(name, f"{seconds:.3f}", f"{seconds / ours[0]:.1f}", told)
    Console().print(table)


if __name__ == "__main__":
    main()
