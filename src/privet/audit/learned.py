"""A small classifier: logistic regression by Newton's steps, on numbers, their order and their bits."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privet.audit.outcomes import Array, Outcomes, joined, wide

MOST_RUNS = 20_000  # of each input that it learns from
MOST_NUMBERS = 64  # of one outcome
ORDERED = 8  # numbers whose order is looked at
STEPS = 12
RIDGE = 1e-3
BITS = 64


def learned_score(one: Outcomes, other: Outcomes) -> Callable[[Outcomes], Array] | None:
    """The score of a classifier that tells runs of two inputs apart; None where there is but one number, without bits.

    It learns from the first half of what it is given; whoever chooses an event by its score counts the other half too,
    and whoever tests the event has runs of their own.
    """
    first = joined([one[: min(len(one) // 2, MOST_RUNS)], other[: min(len(other) // 2, MOST_RUNS)]])
    width = min(first.columns.shape[1], MOST_NUMBERS)
    finite = first.columns[np.isfinite(first.columns)]
    fractions = bool((finite != np.floor(finite)).any())
    if not finite.size or (width == 1 and not fractions):
        return None
    middle, spread = np.array([_middle_and_spread(column) for column in first.columns[:, :width].T]).T

    def features(runs: Outcomes) -> Array:
        return _features(wide(runs, width)[:, :width], middle, spread, bits=fractions)

    labels = np.arange(len(first)) < min(len(one) // 2, MOST_RUNS)
    weights = _fitted(features(first), labels)
    return lambda runs: np.concatenate(
        [features(runs[start : start + 50_000]) @ weights for start in range(0, len(runs), 50_000)] or [np.zeros(0)]
    )


def _middle_and_spread(column: Array) -> tuple[float, float]:
    """The median, and the mean distance from it; of constant columns 1."""
    there = column[np.isfinite(column)]
    middle = float(np.median(there)) if there.size else 0.0
    with np.errstate(over="ignore"):
        spread = float(np.abs(there - middle).mean()) if there.size else 0.0
    return middle, spread if 0 < spread < np.inf else 1.0


def _features(columns: Array, middle: Array, spread: Array, *, bits: bool) -> Array:
    """A constant, the numbers in their own units, which side of the middle they are on, their order, and bits."""
    there = np.isfinite(columns)
    centered = np.where(there, columns - middle, 0.0)
    near = np.clip(centered / spread, -8, 8)
    parts = [np.ones((len(columns), 1)), near, np.sign(centered), 1.0 * ~there]
    few = min(columns.shape[1], ORDERED)
    parts += [np.sign(near[:, place : place + 1] - near[:, :place]) for place in range(1, few)]
    if bits:
        words = np.ascontiguousarray(np.where(there[:, :1], columns[:, :1], 0.0)).view(np.uint64)
        parts.append((words >> np.arange(BITS, dtype=np.uint64)) & np.uint64(1))
    return np.concatenate(parts, axis=1, dtype=np.float64)


def _fitted(features: Array, labels: NDArray[np.bool_]) -> Array:
    """Weights of least logistic loss, with a small ridge, so that they are finite where the labels are separable."""
    weights = np.zeros(features.shape[1])
    ridge = RIDGE * len(features) * np.eye(features.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (labels - chance) - ridge @ weights
        curvature = (features * (chance * (1 - chance))[:, None]).T @ features + ridge
        step = np.linalg.solve(curvature, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-4:  # noqa: PLR2004 - good enough for a score
            break
    return weights
