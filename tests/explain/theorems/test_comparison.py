import math

import pytest

from privet.errors import InvalidParameter
from privet.explain.theorems import (
    compare_composition,
    compare_composition_of,
    gaussian_epsilon,
    optimal_composition,
    renyi_composition,
)
from privet.loss import ApproximateCurve, GaussianCurve, LaplaceCurve, LossCurve, PrivacyLoss, RandomizedResponseCurve

CURVES = [
    LaplaceCurve("0.1"),
    GaussianCurve("0.1"),
    RandomizedResponseCurve("0.45", "0.45"),
    ApproximateCurve("0.1", "1e-9"),
]


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: type(curve).__name__)
@pytest.mark.parametrize("times", [1, 30, 1000])
def test_no_route_beats_the_loss_distribution(curve: LossCurve, times: int) -> None:
    comparison = compare_composition_of(PrivacyLoss.of(curve), times=times, delta=1e-5)
    assert all(bound.epsilon >= comparison.exact.epsilon * (1 - 1e-7) for bound in comparison.bounds)
    assert [bound.epsilon for bound in comparison.bounds] == sorted(bound.epsilon for bound in comparison.bounds)
    assert len(str(comparison).splitlines()) == 9


def test_known_values() -> None:
    gaussian = compare_composition_of(PrivacyLoss.of(GaussianCurve("0.1")), times=100, delta=1e-5)
    found = {bound.theorem: bound.epsilon for bound in gaussian.bounds}
    assert gaussian.exact.epsilon == pytest.approx(gaussian_epsilon(1, delta=1e-5), rel=1e-9)
    assert found["exact for its pure ε alone"] == math.inf
    assert found["Rényi, tight conversion"] == pytest.approx(4.728387, rel=1e-6)
    pure = compare_composition_of(PrivacyLoss.of(ApproximateCurve("0.1")), times=100, delta=1e-5)
    found = {bound.theorem: bound.epsilon for bound in pure.bounds}
    assert found["exact for its pure ε alone"] == optimal_composition("0.1", times=100, delta="1e-5")
    assert found["Rényi, tight conversion"] == pytest.approx(
        renyi_composition("0.1", times=100, delta="1e-5"), rel=1e-6
    )
    assert found["basic"] <= 10


def test_delta_zero_leaves_pure_composition() -> None:
    comparison = compare_composition_of(PrivacyLoss.of(LaplaceCurve("0.1")), times=10, delta=0)
    found = {bound.theorem: bound.epsilon for bound in comparison.bounds}
    assert found["basic"] == found["Rényi, tight conversion"] == found["exact (loss distribution)"] == 1
    assert found["zCDP, tight conversion"] == math.inf


def test_the_whole_curve_is_better_than_its_epsilon() -> None:
    known = compare_composition_of(PrivacyLoss.of(LaplaceCurve("0.1")), times=100, delta=1e-5)
    assert known.exact.epsilon < compare_composition("0.1", times=100, delta="1e-5").exact.epsilon


def test_bad_arguments_are_refused() -> None:
    for times, delta in ((0, 0.1), (1, 2), (1, math.nan)):
        with pytest.raises(InvalidParameter):
            compare_composition_of(PrivacyLoss.of(LaplaceCurve(1)), times=times, delta=delta)


def test_routes_of_a_sampled_gaussian_are_compared() -> None:
    """DP-SGD at 256 of 60,000 for 60 epochs: the search for an order looks at orders up to 1e13, and ends."""
    step = PrivacyLoss.of(GaussianCurve("10/11")).sampled("256/60000")
    comparison = compare_composition_of(step, times=14_062, delta=1e-5)
    found = {bound.theorem: bound.epsilon for bound in comparison.bounds}
    assert found["Rényi, tight conversion"] == pytest.approx(2.59654, rel=1e-5)
    assert 2.3716 < found["Rényi, tight conversion"] < found["Rényi, standard conversion"] < found["basic"]
