"""Ratio intervals: which averages the released numbers do not contradict."""

from functools import lru_cache

import numpy as np

from privet.query.measures.noise_margin import Floats, Noise, noise_margin

NODES = 513  # places where the margin of an average is tabulated
CELLS = 64  # of the search for the ends of its interval


def proportion(numbers: Floats) -> Floats:
    """The mean of the argument as a share of the way from low to high; NaN without rows."""
    upper = numbers[:, 0] + (numbers[:, 1] / 2 if numbers.shape[1] > 2 else 0.0)  # noqa: PLR2004 - SPREAD has three
    return quotient(upper, numbers.sum(axis=1))


def quotient(top: Floats, bottom: Floats) -> Floats:
    """Quotients where the bottom is above 0, else NaN."""
    positive = bottom > 0
    return np.where(positive, top / np.where(positive, bottom, 1.0), np.nan)


def _weights_at(share: Floats, cells: int) -> Floats:
    """The weights of the noises in upper - share total."""
    middle = [] if cells == 2 else [0.5 - share]  # noqa: PLR2004 - MEAN has two numbers
    return np.stack([1 - share, *middle, -share], axis=-1)


@lru_cache(maxsize=256)
def _margins(cells: int, noise: Noise, confidence: float) -> tuple[Floats, Floats]:
    """Shares, and the margin of the noises in upper - share total at each: public numbers, so they are kept."""
    nodes = np.linspace(0.0, 1.0, NODES)
    table = noise_margin(_weights_at(nodes, cells), noise, confidence) * (1 + 1e-4)  # chords of a smooth curve
    nodes.flags.writeable = table.flags.writeable = False
    return nodes, table


def fieller(numbers: Floats, noise: Noise, confidence: float) -> tuple[Floats, Floats]:
    """The least and the largest proportion that the released numbers do not contradict; 0 and 1 without rows.

    The ends are searched from outside on a grid, twice, and left at the grid's outer points: the interval is at most a
    part in a thousand wider than it need be.
    """
    cells = numbers.shape[1]
    nodes, table = _margins(cells, noise, confidence)
    total = np.maximum(numbers.sum(axis=1), 0.0)
    center = proportion(numbers)
    known = np.isfinite(center)
    center, total = np.where(known, center, 0.5), np.where(known, total, 1.0)
    reach = table.max() / total

    def end(outer: Floats, inner: Floats) -> Floats:
        for _ in range(2):
            grid = outer[:, None] + (inner - outer)[:, None] * np.linspace(0.0, 1.0, CELLS + 1)
            inside = np.abs(center[:, None] - grid) * total[:, None] <= np.interp(grid, nodes, table)
            place = np.where(inside.any(axis=1), np.maximum(inside.argmax(axis=1), 1), CELLS)
            rows = np.arange(len(grid))
            outer = grid[rows, place - 1]
            inner = grid[rows, place]
        return outer

    inner = np.clip(center, 0.0, 1.0)
    low = end(np.clip(center - reach, 0.0, 1.0), inner)
    high = end(np.clip(center + reach, 0.0, 1.0), inner)
    return np.where(known, low, 0.0), np.where(known, high, 1.0)
