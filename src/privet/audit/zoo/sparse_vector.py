"""Sparse vector: the six published variants that Lyu, Su and Li (2017) compare; two of them keep their promise."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privet.audit.zoo.draws import Array, Draws, repeated
from privet.audit.zoo.specimen import Specimen
from privet.loss import Guarantee
from privet.noise import BitSource

ONE = Guarantee(1)
STOPPED = -1  # what stands behind the last answer
FINE = 1024  # noisy values are multiples of 1/1024
Flags = NDArray[np.int8]


def first(threshold: float, epsilon: float = 1.0) -> Callable[[list[float], BitSource, int], Flags]:
    """Variant 1 (Lyu, Su and Li, Algorithm 1) with one answer above: right."""

    def run(answers: list[float], source: BitSource, count: int) -> Flags:
        draws = Draws(source)
        bar = threshold + draws.laplace(2 / epsilon, count, 1)
        return until_above(repeated(answers, count) + draws.laplace(4 / epsilon, count, len(answers)) >= bar)

    return run


def second(threshold: float, epsilon: float = 1.0) -> Callable[[list[float], BitSource, int], Flags]:
    """Variant 2 (Dwork and Roth 2014, Algorithm 2), which renews the threshold's noise, with one answer above: right.

    With one answer above, the threshold is drawn once, as in variant 1; with more, its noise grows with their number.
    """
    return first(threshold, epsilon)


def third(answers: list[float], source: BitSource, count: int) -> Array:
    """Variant 3 (Roth's lecture notes 2011) tells the noisy value that was above."""
    draws = Draws(source)
    bar = draws.laplace(2.0, count, 1)
    noisy = np.round((repeated(answers, count) + draws.laplace(2.0, count, len(answers))) * FINE) / FINE
    above = noisy >= bar
    before: NDArray[np.int64] = np.cumsum(above, axis=1) - above
    return np.where(above & (before == 0), noisy, np.where(before > 0, np.inf, np.nan))  # ∞: stopped; none: below


def fourth(answers: list[float], source: BitSource, count: int) -> Flags:
    """Variant 4 (Lee and Clifton 2014) gives each answer too little noise; the threshold is 1."""
    draws = Draws(source)
    bar = 1 + draws.laplace(4.0, count, 1)
    return until_above(repeated(answers, count) + draws.laplace(4 / 3, count, len(answers)) >= bar)


def fifth(answers: list[float], source: BitSource, count: int) -> Flags:
    """Variant 5 (Stoddard, Chen and Machanavajjhala 2014) gives the answers no noise at all."""
    bar = Draws(source).laplace(2.0, count, 1)
    return (repeated(answers, count) >= bar).astype(np.int8)


def sixth(answers: list[float], source: BitSource, count: int) -> Flags:
    """Variant 6 (Chen, Xiao, Zhang and Xu 2015) never stops."""
    draws = Draws(source)
    bar = draws.laplace(2.0, count, 1)
    return (repeated(answers, count) + draws.laplace(2.0, count, len(answers)) >= bar).astype(np.int8)


def until_above(above: NDArray[np.bool_]) -> Flags:
    """0 and 1 up to the first answer above, then nothing."""
    before: NDArray[np.int64] = np.cumsum(above, axis=1) - above
    return np.where(before > 0, STOPPED, above).astype(np.int8)


def _ones(number: int, last: float) -> tuple[list[float], list[float]]:
    """A row of zeros, and one of ones; the last of either is the other's."""
    return [0.0] * number + [last], [1.0] * number + [1.0 - last]


SPECIMENS = {
    "svt1": Specimen("sparse vector, variant 1", "", ONE, 1.0, _ones(5, 1.0), first(1.0)),
    "svt2": Specimen(
        "sparse vector, variant 2", "", ONE, 1.0, ([0.0] * 3 + [1.0] * 3, [1.0] * 3 + [0.0] * 3), second(0.0)
    ),
    "svt3": Specimen(
        "sparse vector, variant 3",
        "the noisy value that was above is told",
        ONE,
        math.inf,
        ([0.0] * 7, [1.0] * 6 + [0.0]),
        third,
        1_000_000,
        {100_000: 1.19, 1_000_000: 1.85},
    ),
    "svt4": Specimen(
        "sparse vector, variant 4",
        "each answer has too little noise",
        ONE,
        1.75,
        _ones(5, 1.0),
        fourth,
        100_000,
        {10_000: 0.91, 100_000: 1.41, 1_000_000: 1.58},
    ),
    "svt5": Specimen(
        "sparse vector, variant 5",
        "the answers have no noise",
        ONE,
        math.inf,
        ([0.0, 1.0], [1.0, 0.0]),
        fifth,
        10_000,
        {10_000: 4.81, 100_000: 7.18, 1_000_000: 9.51},
    ),
    "svt6": Specimen(
        "sparse vector, variant 6",
        "it never stops",
        ONE,
        math.inf,
        ([-1.0] * 3 + [1.0] * 3, [0.0] * 6),
        sixth,
        100_000,
        {10_000: 1.20, 100_000: 1.71, 1_000_000: 1.88},
    ),
    "svt6_longer": Specimen(
        "sparse vector, variant 6, ten answers",
        "it never stops",
        ONE,
        math.inf,
        ([-1.0] * 5 + [1.0] * 5, [0.0] * 10),
        sixth,
        100_000,
        {10_000: 0.90, 100_000: 2.45, 1_000_000: 3.04},
    ),
}
