"""Choosing one of several candidates: what is told beside the choice, and weights that are too sharp."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.zoo.draws import Array, Draws, repeated
from privet.audit.zoo.specimen import Specimen
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.mechanisms import Exponential, NoisyMax
from privet.noise import BitSource

ONE = Guarantee(1)
FINE = 1024
KEYS = 100_000
THRESHOLD = 5


def _largest(noise: Callable[[Draws, int, int], Array]) -> Callable[[list[float], BitSource, int], Array]:
    """The largest noisy score, as a multiple of 1/1024."""

    def run(scores: list[float], source: BitSource, count: int) -> Array:
        noisy = repeated(scores, count) + np.round(noise(Draws(source), count, len(scores)) * FINE) / FINE
        return np.asarray(noisy.max(axis=1))

    return run


def _sharp(scores: list[float], source: BitSource, count: int) -> NDArray[np.int64]:
    """Weights e^(ε u) where e^(ε u / 2) are private; drawn as the largest of Gumbel's numbers."""
    return np.asarray(np.argmax(repeated(scores, count) + Draws(source).gumbel(count, len(scores)), axis=1))


def _permute_and_flip(scores: list[float], source: BitSource, count: int) -> NDArray[np.int64]:
    """Exponential noise at scale 1, and the largest: the same law as permuting and flipping (Ding et al. 2021)."""
    return np.asarray(np.argmax(repeated(scores, count) + Draws(source).exponential(1.0, count, len(scores)), axis=1))


def _threshold(counts: list[int], source: BitSource, count: int) -> NDArray[np.int8]:
    """Whether the key of a count is told: at the threshold too, for which the tail was not computed."""
    noisy = [each + Draws(source).geometric(1.0, count) for each in counts]
    return (noisy[0] >= THRESHOLD).astype(np.int8) if noisy else np.zeros(count, dtype=np.int8)


def _keys(rows: list[str], source: BitSource, count: int) -> list[dict[str, int]]:
    """GROUP BY: a noisy count for each key that occurs."""
    noise = {key: Draws(source).geometric(1.0, count) for key in sorted(set(rows))}
    return [{key: rows.count(key) + int(draws[run]) for key, draws in noise.items()} for run in range(count)]


def _classes(rows: list[str], source: BitSource, count: int) -> list[tuple[Any, ...]]:
    """A model that names the classes that it has seen, with one noisy number."""
    noisy = len(rows) + Draws(source).geometric(1.0, count)
    return [(*sorted(set(rows)), int(each)) for each in noisy]


ALL_MORE = ([0.0] * 5, [1.0] * 5)
SPECIMENS = {
    "noisy_max_value": Specimen(
        "noisy max that tells the value",
        "the value of the largest noisy score is told",
        ONE,
        2.5,
        ALL_MORE,
        _largest(lambda draws, count, width: draws.laplace(2.0, count, width)),
        10_000,
        {10_000: 1.36, 100_000: 2.13, 1_000_000: 2.40},
    ),
    "noisy_max_exponential_value": Specimen(
        "noisy max that tells the value, exponential noise",
        "the value of the largest noisy score is told",
        ONE,
        math.inf,
        ALL_MORE,
        _largest(lambda draws, count, width: draws.exponential(2.0, count, width)),
        10_000,
        {10_000: 2.55, 100_000: 4.14, 1_000_000: 6.43},
    ),
    "sharp_exponential": Specimen(
        "exponential mechanism without the half",
        "scores that move in both directions need half of ε",
        ONE,
        2.0,
        ([0.0] * 10, [1.0] + [-1.0] * 9),
        _sharp,
        10_000,
        {10_000: 1.31, 100_000: 1.44, 1_000_000: 1.49},
    ),
    "permute_and_flip_rho": Specimen(
        "permute and flip charged as exponential",
        "its ρ is not ε²/8",
        ConcentratedGuarantee("0.5"),
        2.0,
        ([0.0, 0.0], [1.0, -1.0]),
        _permute_and_flip,
        50_000,
    ),
    "threshold_at": Specimen(
        "key threshold off by one",
        "keys at the threshold are told, and δ counts those above it",
        Guarantee(1, "0.00493"),
        math.inf,
        ([1], []),
        _threshold,
        100_000,
    ),
    "keys_from_data": Specimen(
        "GROUP BY without a threshold",
        "which keys are told depends on single rows",
        ONE,
        math.inf,
        (["a", "b"], ["a"]),
        _keys,
        200,
    ),
    "classes_from_data": Specimen(
        "classes from the data",
        "a rare class is named",
        ONE,
        math.inf,
        (["no", "no", "yes"], ["no", "no"]),
        _classes,
        200,
    ),
    "noisy_max": Specimen(
        "noisy max",
        "",
        ONE,
        1.0,
        ALL_MORE,
        lambda scores, source, count: NoisyMax(1, 1).many(scores, source, count),
        50_000,
    ),
    "exponential": Specimen(
        "exponential mechanism",
        "",
        ONE,
        1.0,
        ([0.0] * 10, [1.0] + [-1.0] * 9),
        lambda scores, source, count: Exponential(1, 1).many(scores, source, count),
        50_000,
    ),
}
