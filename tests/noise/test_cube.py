"""CubeLaw: vectors against their law, and the sizes of cubes against theirs."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.noise import BitSource, CubeLaw
from privet.noise.cube import GeometricLaw
from tests.support.statistics import assert_does_not_follow, assert_follows

N = 10_000
FAR = 90  # sizes of cubes that matter at the scales below


def sizes(width: int, scale: float) -> dict[int, float]:
    """The law of half the edge: (2m + 1)^w t^m, added up."""
    weights = np.array([(2 * m + 1.0) ** width * np.exp(-m / scale) for m in range(FAR * width)])
    return dict(enumerate((weights / weights.sum()).tolist()))


@pytest.mark.parametrize(("width", "scale"), [(1, 2.0), (2, 0.5), (3, 1.5), (8, 9.0)])
def test_cubes_have_the_size_that_makes_vectors_fall_off(width: int, scale: float, source: BitSource) -> None:
    """n = 10,000, false alarm 1e-6; the control is 30 % wider."""
    law = CubeLaw(width, scale)
    drawn = [law.size(source) for _ in range(N)]
    assert_follows(drawn, sizes(width, scale))
    assert_does_not_follow(drawn, sizes(width, 1.3 * scale))


def test_coordinates_are_even_inside_their_cube(source: BitSource) -> None:
    """Of one coordinate: P(k) is proportional to t^|k|, the discrete Laplace law, where there is no other."""
    drawn = CubeLaw(1, 2).many(source, N).ravel()
    ratio = float(np.exp(-0.5))
    pmf = {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-80, 81)}
    assert_follows(drawn, pmf)
    assert_does_not_follow(drawn, dict(zip(pmf, [*list(pmf.values())[1:], 0.0], strict=True)))


def test_geometric_numbers(source: BitSource) -> None:
    drawn = np.abs(GeometricLaw(Fraction(3, 2)).many(source, N))
    ratio = float(np.exp(-2 / 3))
    assert_follows(drawn, {k: (1 - ratio) * ratio**k for k in range(60)})
    assert_does_not_follow(drawn, {k: (1 - ratio**1.3) * ratio ** (1.3 * k) for k in range(60)})


@pytest.mark.parametrize(("width", "scale"), [(0, 1), (5000, 1), (2, 0), (2, -1), (9, 2), (2, 2**41)])
def test_refuses_what_is_no_law(width: int, scale: int) -> None:
    with pytest.raises(InvalidParameter):
        CubeLaw(width, scale)
