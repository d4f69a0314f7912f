"""Mission rows R099, R132 to R138: sample-and-aggregate, and functions released as Bernstein polynomials."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.loss import Guarantee, LaplaceCurve, PrivacyLoss
from privet.mechanisms import Gaussian, Laplace
from privet.mechanisms.bernstein import Bernstein
from privet.mechanisms.bernstein_function import BernsteinFunction, bernstein_basis
from privet.mechanisms.sample_and_aggregate import SampleAndAggregate
from tests.golden.printed import agrees

POINTS = np.linspace(0, 1, 50)


def wave(x: Any) -> Any:  # noqa: ANN401 - a number or an array
    return x * np.sin(10 * x)


def of_wave(degree: int, order: int = 1) -> BernsteinFunction:
    return BernsteinFunction(wave(np.arange(degree + 1) / degree), order)


def squared_error(released: BernsteinFunction) -> float:
    return float(np.mean((released(POINTS) - wave(POINTS)) ** 2))


def test_r099_sample_and_aggregate() -> None:
    """100 blocks, answers in [0, 1], ε = 1: Laplace noise of 0.01 on the mean of the answers."""
    mechanism = SampleAndAggregate(np.median, blocks=100, bounds=(0, 1), epsilon=1)
    assert isinstance(mechanism.noise, Laplace)
    assert mechanism.scale == Fraction(1, 100)
    assert mechanism.loss.epsilon(0) == 1


def test_r099_half_the_width_is_not_private() -> None:
    """A system in use draws width/(2 ε blocks) (row R179): that is 2ε, and Privet does not compute it."""
    mechanism = SampleAndAggregate(np.median, blocks=100, bounds=(0, 1), epsilon=1)
    assert mechanism.scale != Fraction(1, 200)
    assert Laplace(l1_sensitivity=Fraction(1, 100), scale=Fraction(1, 200)).loss.epsilon(0) == 2


def test_r132_bernstein_basis() -> None:
    for value, printed in zip(bernstein_basis(2, 0.25), ["0.5625", "0.375", "0.0625"], strict=True):
        assert agrees(float(value), printed)
    assert bernstein_basis(25, POINTS).sum(axis=1) == pytest.approx(np.ones(50), abs=1e-13)


def test_r133_bernstein_polynomial() -> None:
    assert agrees(of_wave(25)(0.2), "0.110179")
    assert agrees(float(wave(0.2)), "0.181859")
    for degree, printed in ((10, "0.053064"), (25, "0.014201"), (100, "0.001213")):
        assert agrees(squared_error(of_wave(degree)), printed)


def test_r133_in_more_dimensions() -> None:
    """B of a product is the product of the Bs."""
    axis = np.arange(26) / 25
    surface = BernsteinFunction(np.multiply.outer(wave(axis), wave(axis)))
    assert surface([0.2, 0.2]) == pytest.approx(of_wave(25)(0.2) ** 2, abs=1e-13)


def test_r134_smoothness_declarations_bound_the_error() -> None:
    mechanism = Bernstein(Laplace(26, 26), degree=25)
    error = float(np.abs(of_wave(25)(POINTS) - wave(POINTS)).max())
    slope, curvature = 11, 120  # bounds of |f'| <= |sin| + 10 x |cos| and of |f''| <= 20 |cos| + 100 x |sin|
    assert error <= mechanism.bias_of_smooth(curvature=curvature) == 0.6
    assert error <= mechanism.bias_of_holder(constant=slope, exponent=1)


def test_r134_gamma_must_be_above_zero() -> None:
    """At γ = 0 the condition |f(x) - f(y)| <= L says nothing about nearness."""
    mechanism = Bernstein(Laplace(26, 26), degree=25)
    with pytest.raises(InvalidParameter, match="above 0"):
        mechanism.bias_of_holder(constant=1, exponent=0)
    root = BernsteinFunction(np.sqrt(np.arange(26) / 25))
    assert np.abs(root(POINTS) - np.sqrt(POINTS)).max() <= mechanism.bias_of_holder(constant=1, exponent="1/2")


def test_r135_bernstein_mechanism() -> None:
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=25)
    assert mechanism.noise == Laplace(26, 26)
    assert mechanism.loss.epsilon(0) == 1
    plane = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=25, dimension=2)
    assert plane.noise.scale == 26**2


def test_r135_the_grid_is_that_of_the_domain() -> None:
    """K counts lattice steps of [0, 1]^l. It is neither a sample size nor a cover of datasets."""
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=4, dimension=2)
    assert mechanism.grid().shape == (5, 5, 2)
    assert mechanism.cells == 25


def paper_scale(cells: int, epsilon: float, delta: float) -> float:
    """2 S sqrt(2 (K + 1)^l ln(1/δ)) / ε with S = 1; what is printed has a further factor l under the root."""
    return 2 * math.sqrt(2 * cells * math.log(1 / delta)) / epsilon


def test_r136_with_a_delta_the_smallest_noise_is_taken() -> None:
    assert agrees(paper_scale(26, 1, 1e-5), "48.9356")
    mechanism = Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=1, degree=25)
    assert isinstance(mechanism.noise, Gaussian)
    assert agrees(float(mechanism.noise.scale), "19.0226")
    small = Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=1, degree=2)
    assert small.noise == Laplace(3, 3)


def test_r136_the_papers_form_holds_for_small_epsilon_only() -> None:
    """It is advanced composition with half of ε for the second term, which takes ε <= 2 ln(1/δ)."""
    for cells, epsilon, delta in ((26, 1, 1e-5), (676, 5, 1e-3), (1000, 9, 0.01)):
        assert epsilon <= 2 * math.log(1 / delta)
        claimed = PrivacyLoss.of(LaplaceCurve(1 / paper_scale(cells, epsilon, delta)), cells)
        assert claimed.meets(Guarantee(epsilon, delta))
    broken = PrivacyLoss.of(LaplaceCurve(1 / paper_scale(200, 100, 0.05)), 200)
    assert broken.lower_bound(0.05) > 100
    for cells in (26, 676):
        gaussian = Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=1, degree=cells - 1).noise
        assert gaussian.scale < math.sqrt(2) * paper_scale(cells, 1, 1e-5) / 2.5


def test_r137_iterating_lowers_the_bias_of_a_smooth_function() -> None:
    for degree in (10, 25, 100):
        errors = [squared_error(of_wave(degree, order)) for order in (1, 2, 3, 4)]
        assert errors == sorted(errors, reverse=True)
        assert errors[1] < errors[0] / 2
    halved = [squared_error(of_wave(degree, 2)) ** 0.5 for degree in (50, 100)]
    assert halved[0] / halved[1] > 3  # error of order K^-2; plain Bernstein gives 2
    plain = [squared_error(of_wave(degree)) ** 0.5 for degree in (50, 100)]
    assert plain[0] / plain[1] < 2.1


def priestley_chao(x: NDArray[np.float64], y: NDArray[np.float64], at: float, *, normalised: bool) -> float:
    """The kernel regression of row R138 with its Gaussian kernel of width 0.1, on sorted x in [0, 1]."""
    kernel = np.exp(-(((at - x) / 0.1) ** 2) / 2) / (math.sqrt(2 * math.pi) if normalised else 1)
    return float(np.sum(np.diff(x, prepend=0.0) * kernel * y) / 0.1)


def test_r138_a_regression_can_be_released(source: Any) -> None:  # noqa: ANN401 - bits
    """The estimator itself waits for the room of statistics; here is what the mechanism does with one."""
    x = np.arange(1, 1001) / 1000
    y = np.sin(3 * x)
    without = priestley_chao(x, y, 0.5, normalised=False)
    assert agrees(without / priestley_chao(x, y, 0.5, normalised=True), "2.5066")  # the printed kernel's error
    assert priestley_chao(x, y, 0.5, normalised=True) == pytest.approx(math.sin(1.5), abs=0.05)
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity="1e-6", degree=20)
    values = mechanism.values_of(lambda at: priestley_chao(x, y, at, normalised=True))
    released = mechanism.sample(values, source)
    assert released(0.5) == pytest.approx(BernsteinFunction(values)(0.5), abs=mechanism.uncertainty.margin(1 - 1e-6))
