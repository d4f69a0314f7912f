"""Sums, means and histograms with noise that is too small, too fine, or around the wrong number."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.densities import Densities, normal
from privet.audit.zoo.draws import Array, Draws, repeated
from privet.audit.zoo.specimen import Specimen
from privet.loss import Guarantee
from privet.noise import BitSource

ONE = Guarantee(1)
TEN_SHARES = 10
CHEAP_SEEDS = 1 << 16
OUTLIER = 1e9
FINE = 1024  # answers are multiples of 1/1024: what is wrong with floats is another specimen's matter


def _laplace(scale: float) -> Any:  # noqa: ANN401 - a specimen's run
    return lambda data, source, count: repeated(data, count) + Draws(source).laplace(scale, *np.shape([data] * count))


def _lattice_laplace(scale: float) -> Any:  # noqa: ANN401 - a specimen's run
    return lambda data, source, count: np.round(data * FINE + Draws(source).laplace(FINE * scale, count)) / FINE


def _gaussian(data: float, source: BitSource, count: int) -> Array:
    return data + Draws(source).normal(1.0, count)


def _mean(rows: list[float], source: BitSource, count: int) -> Array:
    """The noise follows the exact number of rows."""
    return float(np.mean(rows)) + np.round(Draws(source).laplace(2.0**20 / len(rows), count)) / 2.0**20


def _average(rows: list[float], source: BitSource, count: int) -> NDArray[np.int64]:
    """A sum and a count, each with the noise of the whole ε."""
    return np.stack(
        [sum(rows) + Draws(source).geometric(1.0, count), len(rows) + Draws(source).geometric(1.0, count)], 1
    )


def _unclipped(rows: list[float], source: BitSource, count: int) -> Array:
    _ = np.clip(rows, 0, 1)  # computed, and not used
    return math.fsum(rows) + np.round(Draws(source).laplace(float(FINE), count)) / FINE


def _clipped(rows: list[float], source: BitSource, count: int) -> Array:
    """NaN is neither below nor above a bound."""
    return float(np.clip(rows, 0, 1).sum()) + np.round(Draws(source).laplace(float(FINE), count)) / FINE


def _histogram(counts: list[float], source: BitSource, count: int) -> Array:
    return repeated(counts, count) + Draws(source).geometric(1.0, count, 2)


def _seeded(data: float, source: BitSource, count: int) -> Array:
    """Noise from a generator with 65,536 seeds: each seed's noise is the same number for ever."""
    seeds = Draws(source).whole(CHEAP_SEEDS, count)
    uniform = ((seeds * 2654435761 + 12345) % 2**32 + 0.5) / 2**32
    noise = np.sign(uniform - 0.5) * -np.log(1 - 2 * np.abs(uniform - 0.5))
    return np.asarray(data + np.round(noise * 2.0**20) / 2.0**20, dtype=np.float64)


def _ten_answers(data: float, source: BitSource, count: int) -> NDArray[np.int64]:
    return np.asarray(int(data) + Draws(source).geometric(1.0, count, TEN_SHARES))


def _batch(gradients: list[float], source: BitSource, count: int) -> Array:
    """One step: clipped gradients, noise for the sum, and all of it divided by how many there are."""
    clipped = np.clip(gradients, -1, 1)
    noisy = clipped.sum() + Draws(source).normal(4.0, count)
    return np.asarray(np.round(noisy / len(clipped) * FINE) / FINE, dtype=np.float64)


# The classical formula for ε = 10 and δ = 1e-5: its proof ends at ε = 1, and its noise is too small from about 9 on.
CLASSICAL = math.sqrt(2 * math.log(1.25 / 1e-5)) / 10
# The smallest deviation that keeps (1, 1e-5) is 3.730632 (Balle and Wang 2018).
ANALYTIC = 3.7306318

SPECIMENS = {
    "laplace": Specimen(
        "Laplace",
        "",
        ONE,
        1.0,
        (0.0, 1.0),
        _lattice_laplace(1.0),
        bounds={10_000: 0.85, 100_000: 0.95, 1_000_000: 0.98},
    ),
    "half_the_noise": Specimen(
        "Laplace with half the noise",
        "the scale is 1/(2ε)",
        ONE,
        2.0,
        (0.0, 1.0),
        _lattice_laplace(0.5),
        10_000,
        {10_000: 1.77, 100_000: 1.93, 1_000_000: 1.98},
    ),
    "scale_epsilon": Specimen(
        "Laplace of scale ε",
        "the scale is ε instead of 1/ε",
        Guarantee("0.1"),
        10.0,
        (0.0, 1.0),
        _lattice_laplace(0.1),
        10_000,
        {10_000: 6.25, 100_000: 8.0, 1_000_000: 9.1},
    ),
    "float_laplace": Specimen(
        "Laplace in floats",
        "which floats occur depends on the data",
        ONE,
        math.inf,
        (0.0, 1.0),
        _laplace(1.0),
        10_000,
        {10_000: 4.7, 100_000: 7.1, 1_000_000: 9.4},
    ),
    "float_gaussian": Specimen(
        "Gaussian in floats",
        "which floats occur depends on the data",
        Guarantee(5, "1e-6"),
        math.inf,
        (0.0, 1.0),
        _gaussian,
        100_000,
        {10_000: 4.7, 100_000: 7.1, 1_000_000: 9.4},
    ),
    "exact_rows": Specimen(
        "mean with exact n",
        "the noise is scaled by the exact number of rows",
        ONE,
        math.inf,
        ([0.0], [0.0, 1.0]),
        _mean,
        10_000,
        {10_000: 1.94, 100_000: 3.22, 1_000_000: 3.70},
    ),
    "average_charged_once": Specimen(
        "AVG charged once", "two noisy numbers, each for the whole ε", ONE, 2.0, ([0.0], [0.0, 1.0]), _average, 10_000
    ),
    "unused_clip": Specimen(
        "clip that is not used",
        "the clipped rows are computed, and the others summed",
        ONE,
        math.inf,
        ([0.0, 1.0], [0.0, OUTLIER]),
        _unclipped,
        1_000,
    ),
    "nan_passes": Specimen(
        "NaN passes the clip", "NaN is not clipped", ONE, math.inf, ([0.0, 1.0], [0.0, math.nan]), _clipped, 1_000
    ),
    "divided_by_batch": Specimen(
        "DP-SGD divided by the batch",
        "noise for the sum is divided by the exact number of gradients",
        Guarantee("1.2", "1e-5"),
        2.5,
        ([0.0, 0.0], [0.0, 0.0, 1.0]),
        _batch,
        100_000,
    ),
    "classical_gaussian": Specimen(
        "classical Gaussian at ε = 10",
        "its formula holds up to ε = 1",
        Guarantee(10, "1e-5"),
        10.5,
        (0.0, 1.0),
        _gaussian,
        densities=Densities(normal(0, CLASSICAL), normal(1, CLASSICAL)),
    ),
    "replaced_row": Specimen(
        "histogram for rows that are replaced",
        "noise for one row more or less",
        ONE,
        2.0,
        ([1.0, 0.0], [0.0, 1.0]),
        _histogram,
        10_000,
        {10_000: 1.66, 100_000: 1.89, 1_000_000: 1.97},
    ),
    "few_seeds": Specimen(
        "noise of 65,536 seeds",
        "few answers are possible, and others for the neighbor",
        ONE,
        math.inf,
        (0.0, 1.0),
        _seeded,
        100_000,
    ),
    "ten_for_one": Specimen(
        "ten answers charged as one",
        "each answer has noise for the whole ε",
        ONE,
        10.0,
        (0.0, 1.0),
        _ten_answers,
        100_000,
        {100_000: 3.42},
    ),
    "analytic_gaussian": Specimen(
        "analytic Gaussian",
        "",
        Guarantee(1, "1e-5"),
        1.0,
        (0.0, 1.0),
        _gaussian,
        densities=Densities(normal(0, ANALYTIC), normal(1, ANALYTIC)),
    ),
}
