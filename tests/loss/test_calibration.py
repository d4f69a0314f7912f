import math

import pytest

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    DiscreteGaussianCurve,
    DiscreteLaplaceCurve,
    ExponentialCurve,
    GaussianCurve,
    Guarantee,
    LaplaceCurve,
    PrivacyLoss,
    calibrated_scale,
)

of = PrivacyLoss.of
FAMILIES = {
    "laplace": lambda s: of(LaplaceCurve(1 / s)) * 10,
    "gaussian": lambda s: of(GaussianCurve(1 / s)) * 10,
    "discrete laplace": lambda s: of(DiscreteLaplaceCurve(s)) * 3,
    "discrete gaussian": lambda s: of(DiscreteGaussianCurve(s)),
    "exponential": lambda s: of(ExponentialCurve(1 / s)) * 5,
    "pure": lambda s: of(ApproximateCurve(1 / s)) * 5,
    "sampled": lambda s: of(GaussianCurve(1 / s)).sampled("0.1") * 20,
    "mixed": lambda s: of(GaussianCurve(1 / s)) + of(LaplaceCurve(1 / s)),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_ends_on_the_private_side_and_is_tight(family: str) -> None:
    promise = Guarantee(1, "1e-5")
    scale = calibrated_scale(FAMILIES[family], promise)
    assert FAMILIES[family](scale).meets(promise)
    assert not FAMILIES[family](scale * (1 - 1e-6)).meets(promise)


def test_published_scales() -> None:
    gaussian = lambda s: of(GaussianCurve(1 / s))  # noqa: E731 - one line, one mechanism
    for epsilon, delta, scale in ((1, "1e-4", 3.185703), (3, "1e-4", 1.223157), (1, "0.1", 1.085878)):
        assert calibrated_scale(gaussian, Guarantee(epsilon, delta)) == pytest.approx(scale, abs=1e-6)
    assert calibrated_scale(lambda s: of(LaplaceCurve(1 / s)), Guarantee(2)) == pytest.approx(0.5, rel=1e-8)


def test_says_so_when_no_noise_is_enough() -> None:
    with pytest.raises(InvalidParameter, match="no noise scale"):
        calibrated_scale(lambda _: of(ApproximateCurve(2)), Guarantee(1))


def test_a_mechanism_that_never_costs_needs_hardly_any_noise() -> None:
    assert calibrated_scale(lambda _: PrivacyLoss(), Guarantee(1)) < 1e-50
    assert math.isfinite(calibrated_scale(lambda s: of(GaussianCurve(1 / s)), Guarantee(0, "0.5")))
