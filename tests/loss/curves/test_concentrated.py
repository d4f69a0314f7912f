import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import ConcentratedCurve, GaussianCurve, LaplaceCurve, PrivacyLoss, RenyiBoundCurve


def test_conversions_match_the_published_values() -> None:
    assert PrivacyLoss.of(ConcentratedCurve("1/2")).epsilon(1e-5) == pytest.approx(4.728387, abs=2e-6)
    assert PrivacyLoss.of(RenyiBoundCurve(10, 1)).epsilon(1e-5) == pytest.approx(1.918011, abs=5e-7)


@pytest.mark.parametrize("mu", [0.05, 0.5, 2.0])
def test_a_concentrated_bound_is_above_the_gaussian_it_describes(mu: float) -> None:
    epsilon = np.linspace(0, 6 * mu, 25)
    bound = ConcentratedCurve(mu * mu / 2).removing(epsilon)
    exact = GaussianCurve(mu).removing(epsilon)
    assert np.all(bound >= exact)


def test_bounds_add_before_they_are_converted() -> None:
    many = PrivacyLoss.of(ConcentratedCurve("0.01")) * 50
    assert many.epsilon(1e-6) == PrivacyLoss.of(ConcentratedCurve("0.5")).epsilon(1e-6)
    orders = PrivacyLoss.of(RenyiBoundCurve(8, "0.1")) + PrivacyLoss.of(RenyiBoundCurve(8, "0.2"))
    assert orders.epsilon(1e-6) == PrivacyLoss.of(RenyiBoundCurve(8, "0.3")).epsilon(1e-6)


def test_bounds_mixed_with_known_curves_are_priced_by_their_divergences_when_that_is_better() -> None:
    mixed = PrivacyLoss.of(ConcentratedCurve("0.25")) + PrivacyLoss.of(GaussianCurve(math.sqrt(0.5)))
    assert mixed.epsilon(1e-6) <= PrivacyLoss.of(ConcentratedCurve("0.5")).epsilon(1e-6) * 1.01
    assert mixed.delta(3) <= PrivacyLoss.of(ConcentratedCurve("0.5")).delta(3) * 1.05
    other = (
        PrivacyLoss.of(RenyiBoundCurve(4, "0.3"))
        + PrivacyLoss.of(RenyiBoundCurve(8, "0.3"))
        + PrivacyLoss.of(LaplaceCurve(1))
    )
    assert other.delta(2) < 1


def test_order_one_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="order must be > 1"):
        RenyiBoundCurve(1, 1)


def test_groups_grow_with_the_square() -> None:
    assert PrivacyLoss.of(ConcentratedCurve("0.1")).group(3) == PrivacyLoss.of(ConcentratedCurve("0.9"))
    assert np.all(ConcentratedCurve(0).removing(np.array([0.0, 1.0])) == 0)
