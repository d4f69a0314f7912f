"""The least noise: the smallest expected error, from public numbers, wherever noise is chosen."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Exponential, Gaussian, Laplace, Staircase
from privet.mechanisms.least_noise import expected_error, laplace_or_gaussian, least_noise, standard_deviation
from privet.noise import BitSource

SCALES = st.fractions(min_value=Fraction(1, 100), max_value=100)


@pytest.mark.parametrize(
    "noise", [Laplace(1, 2), Gaussian(1, 2), Staircase(1, 1), DiscreteLaplace(1, 2), DiscreteGaussian(1, "0.7")]
)
def test_expected_errors_are_those_of_the_noise(noise: Any, source: BitSource) -> None:  # noqa: ANN401 - noise
    """n = 100,000; the mean size within six deviations of itself; the control is 5 % off."""
    sizes = np.abs(np.asarray(noise.sample(np.zeros(100_000, dtype=int), source), dtype=float))
    slack = 6 * float(sizes.std()) / math.sqrt(100_000)
    assert abs(float(sizes.mean()) - expected_error(noise)) < slack
    assert abs(float(sizes.mean()) - 1.05 * expected_error(noise)) > slack


@pytest.mark.parametrize("noise", [Laplace(1, 2), Gaussian(1, 2), DiscreteLaplace(1, 2), DiscreteGaussian(1, "0.7")])
def test_deviations_are_those_of_the_noise(noise: Any, source: BitSource) -> None:  # noqa: ANN401 - noise
    """n = 100,000; the mean square within six deviations of itself; the control is 20 % off."""
    squares = np.asarray(noise.sample(np.zeros(100_000, dtype=int), source), dtype=float) ** 2
    slack = 6 * float(squares.std()) / math.sqrt(100_000)
    assert abs(float(squares.mean()) - standard_deviation(noise) ** 2) < slack
    assert abs(float(squares.mean()) - 1.2 * standard_deviation(noise) ** 2) > slack


def test_large_scales_have_closed_forms() -> None:
    assert expected_error(DiscreteGaussian(1, 2000)) == pytest.approx(2000 * math.sqrt(2 / math.pi), rel=1e-6)
    assert expected_error(DiscreteGaussian(1, 999)) == pytest.approx(999 * math.sqrt(2 / math.pi), rel=1e-5)
    assert expected_error(DiscreteLaplace(1, "0.001")) == standard_deviation(DiscreteLaplace(1, "0.001")) == 0
    assert standard_deviation(DiscreteGaussian(1, 2000)) == pytest.approx(2000)
    assert standard_deviation(DiscreteGaussian(1, 999)) == pytest.approx(999, rel=1e-6)
    with pytest.raises(InvalidParameter, match="not known"):
        expected_error(Exponential(1, 1))
    with pytest.raises(InvalidParameter, match="not known"):
        standard_deviation(Staircase(1, 1))


@given(laplace=st.lists(SCALES, min_size=1, max_size=4), ratio=SCALES, unit=SCALES)
def test_several_numbers_are_compared_by_the_product_of_errors(
    laplace: list[Fraction], ratio: Fraction, unit: Fraction
) -> None:
    """Whatever each number is measured in: a change of units changes nothing."""
    gaussian = [scale * (ratio if place == 0 else Fraction(5, 4)) for place, scale in enumerate(laplace)]
    product = float(ratio) * 1.25 ** (len(laplace) - 1) * math.sqrt(2 / math.pi) ** len(laplace)
    if math.isclose(product, 1, rel_tol=1e-9):
        return
    for units in (Fraction(1), unit):
        ways: list[list[Laplace | Gaussian]] = [
            [Laplace(1, scale * units) for scale in laplace],
            [Gaussian(1, scale * units) for scale in gaussian],
        ]
        assert least_noise(ways) is ways[product < 1]


def test_what_chooses_is_passed_over_and_of_equals_the_first_is_taken() -> None:
    ways: list[list[Any]] = [[Exponential(1, 1), Laplace(1, 2)], [Exponential(1, 2), Laplace(1, 2)]]
    assert least_noise(ways) is ways[0]
    assert least_noise(ways[::-1]) is ways[1]
    silent: list[list[Any]] = [[DiscreteLaplace(1, "0.001")], [DiscreteGaussian(1, "0.001")]]
    assert least_noise(silent) is silent[0]


def test_numbers_beyond_floats_are_compared_as_well() -> None:
    vast = Fraction(10) ** 400
    ways: list[list[Laplace | Gaussian]] = [[Laplace(1, vast)], [Gaussian(1, 1)]]
    assert least_noise(ways) is ways[1]


@pytest.mark.parametrize(("cells", "absolute", "squared"), [(6, Laplace, Laplace), (8, Laplace, Gaussian)])
def test_sums_of_many_numbers_are_compared_by_their_deviation(cells: int, absolute: type, squared: type) -> None:
    moved = Sensitivity(1, cells=cells)
    assert type(laplace_or_gaussian(epsilon=1, delta=1e-5, sensitivity=moved)) is absolute
    summed = laplace_or_gaussian(epsilon=1, delta=1e-5, sensitivity=moved, error=standard_deviation)
    assert type(summed) is squared


def test_what_is_impossible_is_not_tried() -> None:
    moved = Sensitivity(1, cells=2)
    assert isinstance(laplace_or_gaussian(epsilon=0, delta=1e-5, sensitivity=moved), Gaussian)
    assert isinstance(laplace_or_gaussian(epsilon=1, delta=0, sensitivity=moved), Laplace)
    with pytest.raises(InvalidParameter, match="epsilon"):
        laplace_or_gaussian(epsilon=0, delta=0, sensitivity=moved)
