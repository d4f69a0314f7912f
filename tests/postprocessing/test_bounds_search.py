"""The search for bounds: what counts say, how often noise says it falsely, and what it does with numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.postprocessing.bins import Bins, Ends, Expected
from privet.postprocessing.bounds_search import (
    WRONG,
    CountNoise,
    Floats,
    FoundBounds,
    Look,
    far_from_zero,
    search_bounds,
)

OCTAVES = Expected().bins
ZERO = OCTAVES.middle
TEN = CountNoise(10.0, 0.0, normal=False)
FIVE = CountNoise(5.0, 0.0, normal=False)


def look(counts: dict[int, float], noise: CountNoise = TEN, bins: Bins = OCTAVES) -> Look:
    """Counts by octave: 1 is that of [1, 2)."""
    found = np.zeros(len(bins))
    for octave, count in counts.items():
        found[octave] = count
    return Look(bins, found, (noise,))


def at(octave: int) -> int:
    """The bin [2^octave, 2^(octave + 1))."""
    return ZERO + 21 + octave


# --- thresholds ---


@pytest.mark.parametrize("wider", [1.0, 1.3])
def test_an_empty_bin_is_seldom_taken(wider: float) -> None:
    """Exactly, by the law of the noise; a scale 30 % off is noticed."""
    share = float(WRONG) / 2 / len(OCTAVES)
    for mechanism in (DiscreteLaplace(l1_sensitivity=1, scale=7), Laplace(l1_sensitivity=1, scale=7)):
        threshold = look({}, CountNoise.of(mechanism.uncertainty, 1)).strict
        left = math.exp(-1 / (7 * wider))
        tail = left ** (math.floor(threshold) + 1) / (1 + left)
        assert (tail <= share) == (wider == 1.0)
        assert tail > share / 2
    for normal in (Gaussian(1, 7), DiscreteGaussian(1, 7)):
        threshold = look({}, CountNoise.of(normal.uncertainty, 1)).strict
        tail = norm.sf(threshold, scale=7 * wider)
        assert (tail <= share) == (wider == 1.0)
        assert tail > share / 3
    with pytest.raises(TypeError):
        CountNoise.of(Staircase(1, 1).uncertainty, 1)


@pytest.mark.parametrize("tail", [0.05, 1e-6])
def test_two_looks_together_err_as_their_sum_does(tail: float) -> None:
    both = look({}).with_(look({}, FIVE))
    large, small = (each.scale for each in sorted(both.noises, key=lambda noise: -noise.scale))
    assert (large, small) == pytest.approx((4.0, 2.0))
    distance = both.margin(tail)
    exact = (large**2 * math.exp(-distance / large) - small**2 * math.exp(-distance / small)) / (large**2 - small**2)
    assert tail * 0.9 < exact <= tail
    normal = [look({}, CountNoise(scale, 0.0, normal=True)) for scale in (10.0, 5.0)]
    joined = normal[0].with_(normal[1])
    assert norm.sf(joined.margin(tail), scale=math.hypot(2, 4)) * 2 == pytest.approx(tail, rel=1e-4)


# --- ranges ---


def test_a_range_reaches_from_the_first_to_the_last_full_bin() -> None:
    strict = look({}).strict
    assert look({}).found() is None
    assert look({at(0): strict}).found() is None  # not above
    assert look({at(0): strict + 1, at(9): strict + 1}).found() == OCTAVES.ends(at(0), at(9))
    assert look({ZERO: strict + 1}).found() == (-(Fraction(2) ** -20), Fraction(2) ** -20)
    assert look({0: strict + 1, len(OCTAVES) - 1: strict + 1}).found() == (OCTAVES.edges[0], OCTAVES.edges[-1])


@pytest.mark.parametrize("side", [1, -1])
def test_a_range_goes_on_over_bins_that_are_less_full(side: int) -> None:
    def found(*more: float) -> Ends | None:
        places = (at(5), *range(at(6), at(6) + len(more)))
        return look({ZERO + side * (place - ZERO): n for place, n in zip(places, (5000.0, *more), strict=True)}).found()

    def until(octave: int) -> Ends:
        ends = (Fraction(32), Fraction(2) ** octave)
        return ends if side > 0 else (-ends[1], -ends[0])

    assert found(31.0) == until(7)  # above 10 ln 20
    assert found(29.0) == until(6)
    assert found(29.0, 61.0) == until(8)  # over a gap, if what is beyond is as sure
    assert found(29.0, 59.0) == until(6)
    assert found(0.0, 0.0, 91.0) == until(9)


def test_a_heavy_tail_is_continued_and_a_steep_or_sudden_end_is_not() -> None:
    def end(*counts: float) -> Fraction:
        found = look({at(octave): count for octave, count in enumerate(counts)}).found()
        assert found is not None
        return found[1]

    heavy = (1000.0, 500.0, 250.0, 120.0, 56.0)
    assert end(*heavy) == 2**6  # 26 more are expected next, then 12, which is less than half of 10 ln 20
    assert end(*heavy[:-1], 60.0, 10.0) == 2**7  # 30, then 15
    assert end(*heavy, -20.0) == 2**5  # its own count denies it
    assert end(1000.0, 4000.0) == 2**2
    assert end(4000.0, 40.0) == 2**2


def test_where_a_middle_pays() -> None:
    assert far_from_zero((Fraction(16), Fraction(128)))
    assert far_from_zero((Fraction(-128), Fraction(-16)))
    assert not far_from_zero((Fraction(8), Fraction(128)))
    assert not far_from_zero((Fraction(-128), Fraction(128)))
    assert not far_from_zero((Fraction(0), Fraction(1)))


# --- the whole search, without noise ---


def searched(values: Floats, *, off: float = 10, expected: Expected = Expected()) -> tuple[FoundBounds, list[str]]:  # noqa: B008 - frozen
    asked: list[str] = []

    def counted(bins: Bins, noise: CountNoise) -> Look:
        asked.append(f"{len(bins)} bins")
        inner = np.array([float(edge) for edge in bins.edges[1:-1]])
        return Look(bins, np.bincount(np.searchsorted(inner, values), minlength=len(bins)).astype(float), (noise,))

    def middle(ends: Ends) -> Fraction:
        asked.append("middle")
        low, high = (float(end) for end in ends)
        step = (high - low) / 2**16
        return Fraction(low) + round((float(np.median(values)) - low) / step) * Fraction(step)

    found = search_bounds(
        expected,
        first=lambda bins: counted(bins, FIVE),
        middle=middle,
        off=off,
        second=lambda bins: counted(bins, TEN),
    )
    return found, asked


def test_far_from_0_the_second_look_is_around_the_middle() -> None:
    values = np.random.default_rng(1).normal(1000, 10, 10_000)
    found, asked = searched(values)
    assert asked[:2] == ["143 bins", "middle"]
    assert found.ends is not None
    low, high = (float(end) for end in found.ends)
    assert 950 < low < 970
    assert 1030 < high < 1050
    assert found.outside == np.sum((values < low) | (values > high))
    assert found.clipped_share < 0.005 < found.largest_clipped_share < 0.05


def test_near_0_or_with_few_rows_it_is_at_the_same_bins() -> None:
    random = np.random.default_rng(2)
    for values, off in ((random.normal(0, 1, 10_000), 10), (random.normal(1000, 10, 300), 10), (values_at(1000), 9000)):
        found, asked = searched(values, off=off)
        assert asked == ["143 bins"] * 2
        assert found.ends is not None


def values_at(number: float) -> Floats:
    return np.full(10_000, number)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (values_at(1e300), Expected()),
        (np.array([1e300, -1e300] * 5000), Expected()),  # near 0, so that both looks are at the same bins
        (values_at(-1e6), Expected.of(scale=50)),
        (values_at(1e6), Expected.of(sign="positive", scale=50)),
    ],
)
def test_of_rows_in_the_outermost_bins_all_may_lie_beyond(values: Floats, expected: Expected) -> None:
    """They do, and nobody looked farther; of those in other bins none does."""
    found, _ = searched(values, expected=expected)
    assert found.clipped_share == found.largest_clipped_share == 1
    assert searched(values_at(60), expected=expected)[0].largest_clipped_share < 0.05


@pytest.mark.parametrize("number", [37.25, -37.25, 1e6, 3 * 2.0**-17, 2.0**50])
def test_a_constant_is_found_to_a_billionth(number: float) -> None:
    ends = searched(values_at(number))[0].ends
    assert ends is not None
    assert ends[0] <= number <= ends[1]
    assert float(ends[1] - ends[0]) <= abs(number) * 2**-28


@pytest.mark.parametrize("values", [np.zeros(0), np.array([5.0] * 3)])
def test_too_few_rows_find_nothing(values: Floats) -> None:
    found, _ = searched(values)
    assert found.ends is None
    assert found.largest_clipped_share == 1


def test_what_lies_beyond_every_bin_is_in_the_last() -> None:
    found, _ = searched(np.array([math.inf] * 500 + [-math.inf] * 500))
    assert found.ends == (Fraction(-(2**51)), Fraction(2**51))
    positive, _ = searched(np.array([-7.0] * 500 + [3.0] * 500), expected=Expected("positive"))
    assert positive.ends is not None
    assert positive.ends[0] == 0
