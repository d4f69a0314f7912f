"""Smooth bounds against enumeration, the median's against its definition, and the comparison with global noise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms.smooth_cauchy import SmoothCauchy
from privet.mechanisms.smooth_gaussian import SmoothGaussian
from privet.mechanisms.smooth_laplace import SmoothLaplace
from privet.mechanisms.smooth_sensitivity import (
    compare_with_global,
    localized_gaussian,
    median_smooth_sensitivity,
    smooth_bound,
    smooth_median,
)


def median(rows: tuple[int, ...]) -> int:
    return sorted(rows)[(len(rows) + 1) // 2 - 1]


def enumerated(rows: tuple[int, ...], top: int, smoothness: float) -> float:
    """S(x) = max over all datasets y of LS(y) e^(-β d(x, y)), straight from the definition, on whole numbers."""
    best = 0.0
    for other in itertools.product(range(top + 1), repeat=len(rows)):
        local = max(
            abs(median(other) - median((*other[:place], value, *other[place + 1 :])))
            for place in range(len(rows))
            for value in range(top + 1)
        )
        distance = sum(one != two for one, two in zip(rows, other, strict=True))
        best = max(best, local * math.exp(-smoothness * distance))
    return best


@pytest.mark.parametrize("smoothness", [0.05, 0.5, 1.5])
@pytest.mark.parametrize("rows", [(0, 3, 3), (1,), (0, 0), (1, 2), (4, 4, 4), (0, 1, 2, 4), (0, 0, 4, 4), (2, 2, 3, 3)])
def test_the_median_s_bound_is_its_definition(rows: tuple[int, ...], smoothness: float) -> None:
    bound = median_smooth_sensitivity(rows, bounds=(0, 4), smoothness=smoothness)
    exact = enumerated(rows, 4, smoothness)
    assert exact <= bound <= exact * (1 + 1e-12)
    value = smooth_median(rows, bounds=(0, 4), smoothness=smoothness)
    assert value.value == median(rows)
    assert value.smooth_sensitivity == bound


def quadratic(rows: list[float], low: float, high: float, smoothness: float) -> float:
    """The formula of Nissim, Raskhodnikova and Smith, k by k."""
    ordered = sorted(min(max(row, low), high) for row in rows)
    middle = (len(rows) + 1) // 2

    def at(place: int) -> float:
        return low if place < 1 else high if place > len(rows) else ordered[place - 1]

    return max(
        math.exp(-smoothness * k) * max(at(middle + t) - at(middle + t - k - 1) for t in range(k + 2))
        for k in range(len(rows) + 1)
    )


@given(
    st.lists(st.floats(-2, 12) | st.sampled_from([0.0, 5.0, 10.0]), min_size=1, max_size=40),
    st.sampled_from([1e-6, 0.01, 0.1, 0.7, 3.0]),
)
def test_halving_finds_the_best_pair(rows: list[float], smoothness: float) -> None:
    bound = median_smooth_sensitivity(rows, bounds=(0, 10), smoothness=smoothness)
    exact = max(quadratic(rows, 0, 10, smoothness), 10 * math.exp(-64))
    assert exact <= bound <= exact * (1 + 1e-12)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=12), st.integers(0, 11), st.floats(0, 10))
def test_the_bound_is_smooth(rows: list[float], place: int, value: float) -> None:
    """Replacing one row changes it by a factor of at most e^β, and what mechanisms allow for rounding."""
    neighbor = [*rows]
    neighbor[place % len(rows)] = value
    one, other = (median_smooth_sensitivity(each, bounds=(0, 10), smoothness=0.3) for each in (rows, neighbor))
    assert abs(math.log(one / other)) <= 0.3 + 2.0**-40
    values = [smooth_median(each, bounds=(0, 10), smoothness=0.3).value for each in (rows, neighbor)]
    assert abs(float(values[0]) - float(values[1])) <= min(one, other)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["spread", "clipped", "equal"])
def test_a_million_rows_are_no_trouble(kind: str) -> None:
    rows = {"spread": np.linspace(0, 10, 10**6), "clipped": np.repeat([0.0, 10.0], [3 * 10**5, 7 * 10**5])}
    bound = median_smooth_sensitivity(rows.get(kind, np.full(10**6, 5.0)), bounds=(0, 10), smoothness="0.001")
    if kind == "spread":
        assert bound == pytest.approx(1e-5 * max((k + 1) * math.exp(-k / 1000) for k in range(5000)), rel=1e-5)
    if kind == "clipped":
        assert bound == pytest.approx(10 * math.exp(-64), rel=1e-9)  # the median is 200,000 changes away from 0


def test_rows_far_from_zero_lose_no_digits() -> None:
    near = median_smooth_sensitivity([0.25, 0.5, 0.75], bounds=(0, 1), smoothness=1)
    far = median_smooth_sensitivity(np.array([0.25, 0.5, 0.75]) + 2.0**30, bounds=(2**30, 2**30 + 1), smoothness=1)
    assert near == pytest.approx(far, rel=1e-13)


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": [], "bounds": (0, 1), "smoothness": 1},
        {"data": [math.nan], "bounds": (0, 1), "smoothness": 1},
        {"data": [1.0], "bounds": (1, 0), "smoothness": 1},
        {"data": [1.0], "bounds": (0, math.inf), "smoothness": 1},
        {"data": [1.0], "bounds": (0, 1), "smoothness": 0},
        {"data": ["a"], "bounds": (0, 1), "smoothness": 1},
    ],
)
def test_bad_medians_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        median_smooth_sensitivity(**wrong)  # type: ignore[arg-type]


def test_smooth_bound_is_the_largest_discounted() -> None:
    listed = [0.5, 2, 2, 9, 30]
    exact = max(value * math.exp(-0.4 * k) for k, value in enumerate(listed))
    assert exact <= smooth_bound(listed, smoothness="0.4") <= exact * (1 + 1e-12)
    with_global = smooth_bound(listed, smoothness="0.4", global_sensitivity=300)
    assert with_global == pytest.approx(300 * math.exp(-0.4 * 5), rel=1e-12)
    assert smooth_bound([0, 0, 1], smoothness=50) == pytest.approx(math.exp(-64), rel=1e-9)  # never zero


@pytest.mark.parametrize(
    "listed", [[], [2, 1], [-1, 1], [0, 0], [math.nan], [math.inf], "12", [1, 2, 1]], ids=lambda x: str(x)[:20]
)
def test_bad_lists_are_refused(listed: object) -> None:
    with pytest.raises(InvalidParameter):
        smooth_bound(listed, smoothness=1)  # type: ignore[arg-type]


def test_smoothness_must_be_positive() -> None:
    with pytest.raises(InvalidParameter):
        smooth_bound([1, 2], smoothness=0)
    with pytest.raises(InvalidParameter):
        smooth_bound([1, 2], smoothness=1, global_sensitivity=1)


def test_comparison_takes_the_smaller() -> None:
    laplace = SmoothLaplace(1, 1e-6, step=1)
    assert compare_with_global(laplace, [0.5, 1.0], Sensitivity(100)).smaller == "smooth"
    assert compare_with_global(laplace, [99.0], Sensitivity(100)).smaller == "global"
    between = compare_with_global(SmoothCauchy(1, step=1), [50.0, 1.0], Sensitivity(100))
    assert between.smaller == "depends"
    assert between.smooth_margin[0] == pytest.approx(0.959517 * math.tan(math.pi * 0.475), rel=1e-5)
    assert between.global_margin == pytest.approx(100 * math.log(20), rel=1e-5)
    assert "never by yours" in str(between)
    for wrong in ([], [0.0], [math.inf], [math.nan]):
        with pytest.raises(InvalidParameter):
            compare_with_global(laplace, wrong, Sensitivity(1))


def test_margins_of_noise_are_quantiles() -> None:
    assert SmoothLaplace(2, 0.1, step=1).noise_margin(3) == pytest.approx(3 * math.log(20))
    gauss = SmoothGaussian(1, 1e-6, step=1)
    assert gauss.noise_margin(1, 0.95) == pytest.approx(1.959964 * float(gauss.spread), rel=1e-6)
    with pytest.raises(InvalidParameter):
        gauss.noise_margin(1, 1.0)


def test_the_localized_gaussian_is_refused() -> None:
    for arguments in ((), (1.0, 2.0)):
        with pytest.raises(InvalidParameter, match="SmoothGaussian with smooth_bound"):
            localized_gaussian(*arguments)
