"""Mission row R146: the mean square error of released functions, and how much of it a better operator saves.

The experiment, as far as it is documented: n rows with x uniform on [0, 1] and y = x sin(10 x) plus a normal error of
0.2; the function is the unnormalized Priestley-Chao regression with bandwidth 0.1; it is released with degree 25 and
Laplace noise for the sampled sensitivities .09207, .01843, .001859 (n = 100, 500, 5000); errors are averaged over 50
even points of [0, 1]. "Target" is the regression itself, not x sin(10 x): only then is the bias what is printed.
"""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.mechanisms import Bernstein
from privet.mechanisms.bernstein_function import BernsteinFunction, bernstein_basis
from privet.noise import BitSource
from privet.stats.functions.bernstein_grid import BernsteinGrid
from privet.stats.functions.priestley_chao import PriestleyChao
from privet.stats.functions.release_function import release_function
from tests.golden.printed import agrees

XS = np.linspace(0, 1, 50)
SENSITIVITY = {100: ".09207", 500: ".01843", 5000: ".001859"}
REGRESSION = PriestleyChao("0.1", normalized=False)
DIFFPRIV = 0.0253  # its total error at n=5000, ε=1
Floats = NDArray[np.float64]


@cache
def rows_of(n: int, seed: int = 1) -> Floats:
    generator = np.random.default_rng(seed)
    x = generator.random(n)
    return np.stack((x, x * np.sin(10 * x) + generator.normal(0, 0.2, n)), axis=1)


def noise_error(mechanism: Bernstein, source: BitSource, releases: int) -> float:
    """The mean over releases of the mean square error from noise alone."""
    noise = np.asarray(mechanism.noise.sample(np.zeros((releases, 26)), source))
    return float(np.mean((noise @ bernstein_basis(25, XS).T) ** 2))


def test_r146_the_mean_of_squared_weights() -> None:
    assert agrees(float(np.mean((bernstein_basis(25, XS) ** 2).sum(axis=1))), "0.194418")
    grid = BernsteinGrid.best(epsilon=1, sensitivity=Sensitivity(1), waves=1, amplitude=1, degree=25, order=1)
    assert agrees(grid.noise / (2 * 26**2), "0.194418")


@pytest.mark.parametrize(
    ("n", "epsilon", "printed"),
    [
        (100, 1, "2.228"),
        (100, 3, "0.2476"),
        (500, 1, "0.08928"),
        (500, 3, "9.920e-3"),
        (5000, 1, "9.084e-4"),
        (5000, 3, "1.009e-4"),
    ],
)
def test_r146_noise(n: int, epsilon: int, printed: str, source: BitSource) -> None:
    """n=4,000 releases, within 15 %, about 10 standard errors; the control is noise of half the scale."""
    mechanism = Bernstein.calibrated(epsilon=epsilon, function_sensitivity=SENSITIVITY[n], degree=25)
    expected = 2 * float(mechanism.noise.scale) ** 2 * 0.194418
    assert agrees(expected, printed) or abs(expected / float(printed) - 1) < 1e-3  # the sensitivities are rounded
    found = noise_error(mechanism, source, 4000)
    assert 0.85 < found / expected < 1.15
    half = Bernstein.calibrated(epsilon=2 * epsilon, function_sensitivity=SENSITIVITY[n], degree=25)
    assert not 0.85 < noise_error(half, source, 4000) / expected < 1.15


@pytest.mark.parametrize(("n", "printed"), [(100, 0.0249), (500, 0.0249), (5000, 0.0243)])
def test_r146_bias(n: int, printed: float) -> None:
    """It depends on the data drawn, so within a third for 100 rows, and within a tenth for 5,000."""
    curves = [REGRESSION(rows_of(n, seed)) for seed in range(20)]
    errors = [np.mean((BernsteinFunction(curve(np.arange(26) / 25))(XS) - curve(XS)) ** 2) for curve in curves]
    assert abs(float(np.mean(errors)) / printed - 1) < (0.1 if n == 5000 else 0.34)


def test_r146_a_total_below_the_bias_is_a_misprint() -> None:
    """Printed for n = 5000, ε = 3: 2.360e-4. With noise of 1.0e-4 and a bias of 0.024 it must be 2.360e-2."""
    curve = REGRESSION(rows_of(5000))
    bias = float(np.mean((BernsteinFunction(curve(np.arange(26) / 25))(XS) - curve(XS)) ** 2))
    assert bias > 50 * 2.360e-4
    assert abs((bias + 1.009e-4) / 2.360e-2 - 1) < 0.15


def total_error(releases: int, degree: int | None, order: int | None) -> float:
    """The mean square error against the regression over real releases at n = 5000, ε = 1."""
    rows = rows_of(5000)
    target = REGRESSION(rows_of(5000))(XS)
    errors = []
    for _ in range(releases):
        release = release_function(
            REGRESSION,
            rows,
            sensitivity=SENSITIVITY[5000],
            degree=degree,
            order=order,
            amplitude=1,
            epsilon=1,
            neighbors="replace",
        )
        assert release.loss.epsilon(0) == 1
        errors.append(np.mean((release.value(XS) - target) ** 2))
    return float(np.mean(errors))


def test_r146_a_degree_and_order_from_public_numbers_more_than_halve_the_error() -> None:
    """10 releases each. Nearly all of diffpriv's error is bias, so its mean varies by 2 % only.

    Ours is mostly noise, about 0.001 with a standard error of 0.0002: half of 0.0253 is fifty of these away.
    """
    theirs = total_error(10, 25, 1)
    assert abs(theirs / DIFFPRIV - 1) < 0.15
    assert total_error(10, None, None) < DIFFPRIV / 2
