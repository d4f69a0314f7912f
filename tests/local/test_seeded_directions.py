import math

import numpy as np
import pytest

from privet.local.seeded_directions import SeededDirections, _mixed, _normal


def test_words_are_those_of_splitmix64() -> None:
    """The first two of seed 0, as its authors publish them."""
    steps = np.array([0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A], dtype=np.uint64)
    assert [int(word) for word in _mixed(steps)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def test_no_seed_makes_a_direction_that_is_none() -> None:
    """The lowest, the middle and the highest words: a forged report must not add infinity to a tally."""
    words = np.array([0, 2**63 - 1, 2**63, 2**64 - 1], dtype=np.uint64)
    assert np.isfinite(_normal(words)).all()
    assert (_normal(words) != 0).all()


def test_directions_are_uniform_and_come_in_opposite_pairs() -> None:
    """100,000 directions: means and covariances within 5.5 deviations of those of the sphere."""
    near = SeededDirections(dimensions=4, pairs=2)
    numbers = np.arange(100_000) % 4
    found = near.of(np.arange(100_000) // 2, numbers // 2 * 2)
    assert np.allclose((found**2).sum(axis=1), 1)
    assert np.array_equal(near.of(np.arange(100_000) // 2, numbers // 2 * 2 + 1), -found)
    assert (np.abs(found.mean(axis=0)) < 5.5 * 0.5 / math.sqrt(100_000)).all()
    assert (np.abs(found.T @ found / 100_000 - np.eye(4) / 4) < 5.5 * 0.25 / math.sqrt(100_000)).all()


@pytest.mark.parametrize("dimensions", [2, 3, 10, 1000, 60_000])
def test_the_mean_of_a_half_space_has_its_closed_form(dimensions: int) -> None:
    """Γ(d/2)/(√π Γ((d+1)/2)), for all pairs together and for one."""
    wanted = math.exp(math.lgamma(dimensions / 2) - math.lgamma((dimensions + 1) / 2)) / math.sqrt(math.pi)
    assert SeededDirections(dimensions, 1).nearest_means[0] == pytest.approx(wanted, rel=1e-9)
    assert SeededDirections(dimensions, 32).nearest_means[-1] == pytest.approx(wanted, rel=1e-9)


def test_the_nearest_of_two_in_the_plane() -> None:
    """The larger of |cos a| and |cos b|, of two uniform angles, has the mean 8/π²."""
    assert SeededDirections(2, 2).nearest_means == pytest.approx([8 / math.pi**2, 2 / math.pi], rel=1e-9)


def test_rankings_have_every_direction_once_whatever_is_ranked() -> None:
    near = SeededDirections(dimensions=3, pairs=5)
    for wanted in ([0.0, 0, 1], [0, 0, 0], [math.nan, math.inf, 1]):
        ranked = near.ranked(np.arange(50), np.tile(np.array(wanted, dtype=float), (50, 1)))
        assert (np.sort(ranked, axis=1) == np.arange(10)).all()
    ranked = near.ranked(np.arange(50), np.tile([0.0, 0, 1], (50, 1)))
    heights = np.array([near.of(np.full(10, seed), row)[:, 2] for seed, row in enumerate(ranked)])
    assert (np.diff(heights[:, :5], axis=1) <= 0).all()
    assert (heights[:, 4] >= 0).all()
