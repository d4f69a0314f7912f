"""Merged outcomes: what an observer keeps of two distributions who sees only which part an outcome fell in."""

from collections.abc import Callable, Sequence

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import Array, log_ratio, masses
from privet.loss.exact import whole


def merge(distribution: Array, cells: Sequence[int]) -> Array:
    """Return the distribution of the label when outcome i carries the label `cells[i]`.

    Example:
        >>> merge(np.array([0.5, 0.25, 0.25]), [0, 1, 1]).tolist()
        [0.5, 0.5]
    """
    mass = masses(distribution)
    if len(cells) != mass.size:
        raise InvalidParameter(f"cells needs one label per outcome; got {len(cells)} labels for {mass.size} outcomes.")
    _, labels = np.unique(np.asarray(cells), return_inverse=True)
    merged = np.zeros(int(np.max(labels)) + 1)
    np.add.at(merged, labels, mass)
    return merged


def cut(cdf: Callable[[float], float], *, edges: Sequence[float]) -> Array:
    """Return the masses a distribution on the line puts between the edges, and beyond them on both sides.

    Finer edges keep more: the divergence of the cut forms rises to that of the densities.

    Args:
        cdf: the distribution function.
        edges: rising cut points; n of them make n + 1 cells.
    """
    values = np.array([0.0, *(cdf(edge) for edge in edges), 1.0])
    return masses(np.diff(values), "the cut distribution")


def best_partition(p: Array, q: Array, *, cells: int, divergence: Callable[[float, float], float]) -> tuple[int, ...]:
    """Return the labels of a partition into at most `cells` parts that keeps the largest f-divergence.

    Args:
        p: the first distribution.
        q: the second, over the same outcomes.
        cells: how many parts; at least 1.
        divergence: (P(part), Q(part)) -> the part's contribution.

    Proof: Some best partition cuts the outcomes, sorted by p/q, into runs (Tsitsiklis, "Extremal properties
    of likelihood-ratio quantizers", 1993). Dynamic programming over the runs then finds it.
    """
    count = min(whole(cells, "cells"), p.size)
    order = np.argsort(log_ratio(p, q), kind="stable")
    above_p, above_q = (np.concatenate([[0.0], np.cumsum(mass[order])]) for mass in (p, q))

    def part(low: int, high: int) -> float:
        return divergence(float(above_p[high] - above_p[low]), float(above_q[high] - above_q[low]))

    size = p.size
    best = [0.0] + [part(0, high) for high in range(1, size + 1)]
    starts: list[list[int]] = []
    for _ in range(count - 1):
        choices = [max(range(high + 1), key=lambda low: best[low] + part(low, high)) for high in range(size + 1)]
        best = [best[low] + part(low, high) for high, low in enumerate(choices)]
        starts.append(choices)
    return _labels(starts, order.tolist())


def _labels(starts: list[list[int]], order: list[int]) -> tuple[int, ...]:
    """Walk the choices back from the last run to the first and number the runs."""
    labels = [0] * len(order)
    high = len(order)
    for part, choices in enumerate(reversed(starts)):
        low = choices[high]
        for place in order[low:high]:
            labels[place] = part
        high = low
    for place in order[:high]:
        labels[place] = len(starts)
    return tuple(labels)
