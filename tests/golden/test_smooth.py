"""Mission rows R096, R097, R098: noise scaled to the local sensitivity, and the smooth sensitivity that mends it."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.explain.theorems import gaussian_scale_classical
from privet.mechanisms.smooth_cauchy import SmoothCauchy
from privet.mechanisms.smooth_gaussian import SmoothGaussian
from privet.mechanisms.smooth_laplace import SmoothLaplace
from privet.mechanisms.smooth_sensitivity import (
    compare_with_global,
    localized_gaussian,
    median_smooth_sensitivity,
    smooth_bound,
)
from tests.golden.printed import agrees
from tests.support.smooth_pairs import worst_delta

VALUES = [0.0, 1.0, 2.0, 5.0]  # f at the points 0 to 3; points one apart are neighbors
AT_A_POINT = [5 / 3, 2.0, 3.0, 3.0]  # Lipschitz constant at each point
AMONG_NEIGHBORS = [1.0, 1.0, 3.0, 3.0]
EPSILON, DELTA = 0.5, 1e-5


def gaussian_delta(here: tuple[float, float], there: tuple[float, float]) -> float:
    """The exact δ at ε = 0.5 of two normals (center, scale), from the two points where the loss is ε."""
    center, scale = here
    other, width = there
    square = 1 / (2 * width**2) - 1 / (2 * scale**2)
    linear = center / scale**2 - other / width**2
    rest = math.log(width / scale) - center**2 / (2 * scale**2) + other**2 / (2 * width**2) - EPSILON
    if square == 0:
        cut = -rest / linear
        beyond = norm.sf if linear > 0 else norm.cdf
        return float(beyond(cut, center, scale) - math.exp(EPSILON) * beyond(cut, other, width))
    low, high = sorted(np.roots([square, linear, rest]).real)
    one, two = (norm.cdf(low, m, s) + norm.sf(high, m, s) for m, s in (here, there))
    if square < 0:  # the loss is above ε between the roots
        one, two = (norm.cdf(high, m, s) - norm.cdf(low, m, s) for m, s in (here, there))
    return float(one - math.exp(EPSILON) * two)


def true_delta(here: int, there: int, scales: list[float]) -> float:
    """Between two points whose Gaussian noise has scales of their own."""
    return gaussian_delta((VALUES[here], scales[here]), (VALUES[there], scales[there]))


def test_r096_the_localized_gaussian_is_refused_because_it_is_not_private() -> None:
    with pytest.raises(InvalidParameter, match="not differentially private"):
        localized_gaussian(VALUES, AT_A_POINT)
    unit = gaussian_scale_classical(EPSILON, delta=DELTA)
    at_a_point, among_neighbors = ([s * unit for s in local] for local in (AT_A_POINT, AMONG_NEIGHBORS))
    assert agrees(true_delta(2, 1, at_a_point), "0.112160")
    assert agrees(true_delta(1, 0, at_a_point), "0.022514")
    assert agrees(true_delta(2, 1, among_neighbors), "0.432102")
    assert agrees(true_delta(2, 3, [3 * unit] * 4), "1.6e-8")  # the global sensitivity


def smooth_scales() -> list[float]:
    mechanism = SmoothGaussian(EPSILON, DELTA, step="0.001")
    far = [[1, 1, 3], [1, 3], [3], [3]]  # local sensitivity at distance 0, 1, 2 of each point
    return [smooth_bound(local, smoothness=mechanism.smoothness) * float(mechanism.spread) for local in far]


def test_r097_smooth_gaussian_noise() -> None:
    scales = smooth_scales()
    for scale, printed in zip(scales, ["145.45", "146.83", "148.23", "148.23"], strict=True):
        assert agrees(scale, printed)
    deltas = [true_delta(here, there, scales) for here in range(4) for there in (here - 1, here + 1) if 0 <= there < 4]
    assert agrees(max(deltas), "3.6e-14")
    mechanism = SmoothGaussian(EPSILON, DELTA, step=1)
    spread = float(mechanism.spread)
    ratio = math.exp(-mechanism.smoothness)
    assert agrees(gaussian_delta((0, spread), (1, spread * ratio)), "3.2e-12")  # of any f, as far as its bound


def test_r097_both_noises_are_reported_and_the_smaller_is_named() -> None:
    mechanism = SmoothGaussian(EPSILON, DELTA, step="0.001")
    bounds = [scale / float(mechanism.spread) for scale in smooth_scales()]
    comparison = compare_with_global(mechanism, bounds, Sensitivity(3))
    assert comparison.smaller == "global"
    assert agrees(comparison.smooth_scale[0], "145.45")
    assert agrees(gaussian_scale_classical(EPSILON, delta=DELTA, l2_sensitivity=3), "29.07")
    assert comparison.global_scale < 29.07  # exactly calibrated
    assert "global sensitivity is the smaller" in str(comparison)


def test_r098_smooth_laplace() -> None:
    mechanism = SmoothLaplace(EPSILON, DELTA, step=1)
    assert mechanism.smoothness == pytest.approx(EPSILON / (2 * math.log(2 / DELTA)), rel=1e-14)
    assert mechanism.spread == 4
    worst = worst_delta(lambda z: -np.abs(z) - math.log(2), 4.0, mechanism.smoothness, EPSILON)
    assert agrees(worst, "2.1e-8")


def test_r098_median_of_equispaced_points() -> None:
    points = 100 * np.arange(1, 1002) / 1002
    bounds = (0, 100)
    assert agrees(median_smooth_sensitivity(points, bounds=bounds, smoothness=50), "0.0998")  # LS, one step only
    laplace = SmoothLaplace(1, 1e-6, step="0.001")
    cauchy = SmoothCauchy(1, step="0.001")
    assert agrees(median_smooth_sensitivity(points, bounds=bounds, smoothness=laplace.smoothness), "1.102711")
    assert agrees(median_smooth_sensitivity(points, bounds=bounds, smoothness=cauchy.smoothness), "0.260238")
    comparison = compare_with_global(laplace, [1.102711], Sensitivity(100))
    assert comparison.smaller == "smooth"
    assert agrees(comparison.global_scale, "100")


def test_r098_the_cauchy_constant_is_private() -> None:
    """6 S / ε with β = ε/6: the largest log-ratio of two Cauchy densities is a hyperbolic distance."""
    for epsilon in (0.1, 0.5, 1.0, 3.0):
        shift = epsilon / 6
        change = math.exp(epsilon / 6)
        largest = math.acosh(1 + (shift**2 + (change - 1) ** 2) / (2 * change))
        assert largest < epsilon
        textbook = SmoothCauchy.classical(epsilon=epsilon, step=1)
        assert textbook.loss.epsilon(delta=0) == pytest.approx(largest, rel=1e-9)
        assert float(textbook.spread) == pytest.approx(6 / epsilon)
