"""Task: something that is asked often, how far the answers are off, and what is known to err least."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from accuracy_data import SEED, Generator
from numpy.typing import NDArray

Measure = Callable[[Generator], float]
RUNS = 500
NEAR = 1.1  # times the best known figure: what is short of it must be explained
MEAN, MEDIAN, ROOT = "mean", "median", "root of the mean square"


@dataclass(frozen=True)
class Task:
    """One task.

    Args:
        key: its name for peers, who answer the same under the same key.
        name: what is asked, of which data.
        price: the privacy.
        measure: one run: its error, or its share of right answers.
        best: the best known figure; or one run of the best known algorithm, as plain floating-point code.
        how: what that algorithm is.
        figure: which number of the runs is shown.
        larger: whether larger figures are better.
        before: the figure that Privet had when the comparison was begun; "" if it was not measured.
        why: what is to be said where it is short of the best known.
        runs: how many at most, where a run takes long.
    """

    key: str
    name: str
    price: str
    measure: Measure
    best: float | Measure | None = None
    how: str = ""
    figure: str = MEAN
    larger: bool = False
    before: str = ""
    why: str = ""
    runs: int = RUNS


def runs_of(measure: Measure, runs: int) -> NDArray[np.float64]:
    """The outcomes of so many runs, on data drawn by a generator with a fixed seed."""
    random = np.random.default_rng(SEED)
    return np.array([measure(random) for _ in range(runs)])


def figure_of(figure: str, found: NDArray[np.float64]) -> tuple[float, float]:
    """The figure of some runs, and its standard error."""
    number = len(found)
    if figure == MEDIAN:
        ordered = np.sort(found)
        half = max(round(math.sqrt(number) / 2), 1)  # ranks: one standard error of the median's rank
        middle = number // 2
        low, high = ordered[max(middle - half, 0)], ordered[min(middle + half, number - 1)]
        return float(np.median(found)), float(high - low) / 2
    if figure == MEAN:
        return float(found.mean()), float(found.std(ddof=1)) / math.sqrt(number)
    squares = found**2
    root = math.sqrt(squares.mean())
    return root, float(squares.std(ddof=1)) / math.sqrt(number) / (2 * root) if root else 0.0


def in_words(figure: float, deviation: float | None = None) -> str:
    """A figure with its standard error."""
    number = f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"
    return number if deviation is None else f"{number} ± {deviation:.1g}"
