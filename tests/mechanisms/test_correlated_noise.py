"""Correlated noise: its sensitivity against every pattern, its exact mixing, and published errors."""

import math
from collections import deque
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, Neighbors, PrivacyLoss
from privet.mechanisms.correlated_noise import BITS, CorrelatedNoise
from tests.golden.printed import agrees

STEPS = 8


def matrix(noise: CorrelatedNoise) -> np.ndarray:
    """C, written down."""
    found = np.zeros((noise.steps, noise.steps))
    for back, coefficient in enumerate(noise.coefficients):
        found += np.diag([float(coefficient)] * (noise.steps - back), -back)
    return found


def patterns(noise: CorrelatedNoise) -> list[tuple[int, ...]]:
    """Every set of steps that a unit may take part in."""
    return [
        places
        for count in range(1, noise.participations + 1)
        for places in combinations(range(noise.steps), count)
        if all(later - before >= noise.separation for before, later in pairwise(places))
    ]


@pytest.mark.parametrize("bands", [1, 2, 5, STEPS])
@pytest.mark.parametrize(("participations", "separation"), [(1, 1), (2, 3), (3, 2), (3, 1), (8, 1), (4, 5), (2, 20)])
def test_no_pattern_and_no_directions_move_releases_farther(bands: int, participations: int, separation: int) -> None:
    """All patterns with all signs, and 50 sets of random directions in three dimensions each; the worst is attained."""
    noise = CorrelatedNoise(STEPS, bands, participations, separation)
    dense = matrix(noise)
    rng = np.random.default_rng(5)
    farthest = 0.0
    for places in patterns(noise):
        columns = dense[:, places]
        signs = np.array(list(product((1, -1), repeat=len(places)))).T
        farthest = max(farthest, float(np.linalg.norm(columns @ signs, axis=0).max()))
        moves = rng.normal(size=(50, len(places), 3))
        moves /= np.linalg.norm(moves, axis=2, keepdims=True)
        assert np.linalg.norm(columns @ moves, axis=(1, 2)).max() <= float(noise.sensitivity) * (1 + 1e-12)
    assert farthest <= float(noise.sensitivity) * (1 + 1e-12)
    assert farthest == pytest.approx(float(noise.sensitivity), rel=1e-12)


def test_patterns_that_come_closer_move_farther() -> None:
    """The control: a unit that breaks the separation is not covered."""
    kept = CorrelatedNoise(STEPS, 5, participations=2, separation=5)
    broken = CorrelatedNoise(STEPS, 5, participations=2, separation=4)
    assert np.linalg.norm(matrix(kept)[:, [0, 4]].sum(axis=1)) > float(kept.sensitivity) * 1.01
    assert broken.sensitivity > kept.sensitivity


@pytest.mark.parametrize(
    ("participations", "separation", "printed"),
    [(1, 1, "2.9441"), (4, 90, "7.29"), (12, 30, "18.2"), (52, 7, "72.6"), (7, 1, "17.7"), (365, 1, "500")],
)
def test_totals_of_a_year_by_the_square_root_factorization(participations: int, separation: int, printed: str) -> None:
    """Fichtenberger, Henzinger and Upadhyay 2022: one participation; the others from the same matrix."""
    assert agrees(CorrelatedNoise(365, 365, participations, separation).total_error(), printed)


def test_coefficients_are_those_of_the_square_root() -> None:
    noise = CorrelatedNoise(1000, 1000)
    wanted = [Fraction(math.comb(2 * j, j), 4**j) for j in range(1000)]
    found = noise.coefficients
    assert found[:5] == (Fraction(1), Fraction(1, 2), Fraction(3, 8), Fraction(5, 16), Fraction(35, 128))
    assert all(0 <= want - each < Fraction(2, 1 << BITS) for want, each in zip(wanted, found, strict=True))
    assert all(before >= later >= 0 for before, later in pairwise(found))


@pytest.mark.parametrize("bands", [1, 4, 30])
def test_what_is_read_is_the_sum_and_noise_that_cancels(bands: int) -> None:
    """u = C g + G exactly on whole numbers, and y = C^-1 u = g + C^-1 G."""
    noise = CorrelatedNoise(30, bands, participations=2, separation=15)
    rng = np.random.default_rng(1)
    sums = rng.integers(-(2**40), 2**40, size=(30, 3))
    fresh = rng.normal(size=(30, 3)) * 2.0**40
    recent: deque[np.ndarray] = deque(maxlen=bands)
    earlier: list[np.ndarray] = []
    for step in range(30):
        recent.append(sums[step])
        mixed = noise.mix(recent)
        exact = [
            sum(int(c * 2**BITS) * int(sums[step - back][i]) for back, c in enumerate(noise.coefficients[: step + 1]))
            for i in range(3)
        ]
        assert mixed.dtype == np.int64
        assert mixed.tolist() == exact
        earlier.append(noise.read(mixed / 2.0**BITS + fresh[step], earlier))
    wanted = sums + np.linalg.solve(matrix(noise), fresh)
    assert np.allclose(earlier, wanted, rtol=1e-9, atol=1.0)


def test_variances_of_running_totals_against_the_matrix() -> None:
    noise = CorrelatedNoise(40, 7, participations=3, separation=9)
    totals = np.tril(np.ones((40, 40))) @ np.linalg.inv(matrix(noise))
    wanted = (totals**2).sum(axis=1) * float(noise.sensitivity) ** 2
    assert noise.variances() == pytest.approx(wanted, rel=1e-9)
    assert noise.total_error() == pytest.approx(math.sqrt(wanted.max()), rel=1e-9)
    assert noise.mean_error() == pytest.approx(math.sqrt(wanted.mean()), rel=1e-9)


def test_all_steps_are_one_gaussian_release() -> None:
    noise = CorrelatedNoise(100, 10, participations=4, separation=25)
    assert noise.loss(2) == PrivacyLoss.of(GaussianCurve(noise.sensitivity / 2))
    assert noise.loss(2, neighbors="replace") == PrivacyLoss.of(GaussianCurve(noise.sensitivity))
    alone = CorrelatedNoise(100, 1, participations=4, separation=25)
    assert alone.sensitivity == 2
    four = PrivacyLoss.of(GaussianCurve(Fraction(1, 3))) * 4
    assert alone.loss(3, neighbors=Neighbors.ADD_REMOVE).delta(1) == pytest.approx(four.delta(1), rel=1e-12)


def test_the_best_is_never_worse_than_independent_noise() -> None:
    for participations, separation in ((1, 1), (4, 25), (10, 10), (100, 1)):
        best = CorrelatedNoise.best(steps=100, participations=participations, separation=separation)
        alone = CorrelatedNoise(100, 1, participations, separation)
        assert best.mean_error() <= alone.mean_error()
    assert best.bands == 1
    assert CorrelatedNoise.best(steps=100, participations=4, separation=25).bands == 25
    assert CorrelatedNoise.best(steps=100, participations=4, separation=25, most_bands=8).bands == 8


def test_refuses_what_makes_no_sense() -> None:
    for wrong in ({"bands": 11}, {"bands": 0}, {"participations": 0}, {"separation": 0}, {"steps": 0}):
        with pytest.raises(InvalidParameter, match=f"{next(iter(wrong))} must be a whole number"):
            CorrelatedNoise(**{"steps": 10, "bands": 2, **wrong})
    with pytest.raises(InvalidParameter, match="scale must be > 0"):
        CorrelatedNoise(10, 2).loss(0)
