import math

import numpy as np
import pytest

from privet.loss import ApproximateCurve, DiscreteLaplaceCurve, GaussianCurve, LaplaceCurve, PrivacyLoss
from privet.loss.curves.group import GroupCurve

of = PrivacyLoss.of


def test_delta_grows_as_the_chain_says() -> None:
    grid = np.array([0.0, 0.6, 1.5])
    found = GroupCurve(ApproximateCurve("0.2", "1e-4"), 3).removing(grid)
    one = ApproximateCurve("0.2", "1e-4").removing(grid / 3)
    growth = np.array([3.0, np.expm1(0.6) / np.expm1(0.2), np.expm1(1.5) / np.expm1(0.5)])
    np.testing.assert_allclose(found, one * growth, rtol=1e-9)


@pytest.mark.parametrize("size", [2, 5])
def test_the_chain_is_above_the_exact_group_curve(size: int) -> None:
    grid = np.linspace(0, 4, 17)
    for curve in (GaussianCurve("0.3"), LaplaceCurve("0.4"), DiscreteLaplaceCurve(2)):
        assert np.all(GroupCurve(curve, size).removing(grid) >= curve.grouped(size).removing(grid) * (1 - 1e-9))


def test_a_promise_with_a_fixed_delta_for_groups_is_broken_by_the_gaussian_at_distance_17() -> None:
    """Mission row R013: classical noise for (0.5, 1e-5), read at distance k and level k * 0.5."""
    one = of(GaussianCurve(0.5 / math.sqrt(2 * math.log(1.25e5))))
    for size, delta in ((10, 1.35e-6), (20, 2.27e-5), (50, 7.70e-3), (100, 0.586)):
        assert one.group(size).delta(size / 2) == pytest.approx(delta, rel=5e-3)
    assert one.group(16).delta(8) < 1e-5 < one.group(17).delta("8.5")


def test_groups_of_groups_and_of_nothing() -> None:
    curve = GroupCurve(ApproximateCurve("0.2", "1e-4"), 2)
    assert curve.grouped(3) == GroupCurve(ApproximateCurve("0.2", "1e-4"), 6)
    assert of(LaplaceCurve(1)).group(0) == PrivacyLoss()
    assert of(ApproximateCurve("0.2", "1e-4")).group(400).delta(1000) <= 1
    assert of(ApproximateCurve("0.2", "1e-4")).group(3).epsilon(0) == math.inf
