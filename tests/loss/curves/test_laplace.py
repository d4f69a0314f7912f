import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import DiscreteLaplaceCurve, LaplaceCurve, PermuteAndFlipCurve, PrivacyLoss
from tests.support.exact_sums import hockey_stick


def test_published_value() -> None:
    assert LaplaceCurve(1).removing(np.array([0.5]))[0] == pytest.approx(1 - math.exp(-0.25), rel=1e-12)


@pytest.mark.parametrize(("scale", "shift"), [(0.5, 1), (2, 1), (3, 4), (10, 7)])
def test_discrete_laplace_against_its_sum(scale: float, shift: int) -> None:
    k = np.arange(-2000, 2001)
    weight = np.exp(-np.abs(k) / scale)
    p = weight / weight.sum()
    q = np.exp(-np.abs(k - shift) / scale) / weight.sum()
    for epsilon in (0.0, 0.1, 0.33, 0.7, shift / scale * 0.99):
        found = DiscreteLaplaceCurve(scale, shift).removing(np.array([epsilon]))[0]
        assert found == pytest.approx(hockey_stick(p, q, epsilon), rel=1e-9, abs=1e-15)


def test_renyi_matches_the_published_values() -> None:
    loss = PrivacyLoss.of(LaplaceCurve("0.5"))
    for order, value in ((1, 0.106531), (2, 0.200304), (4, 0.320927), (math.inf, 0.5)):
        assert loss.renyi(order) == pytest.approx(value, abs=5e-7)


def test_numeric_renyi_agrees_with_the_closed_form() -> None:
    curve = LaplaceCurve(2)
    for order in (1.5, 3.0, 20.0):
        numeric = super(LaplaceCurve, curve).renyi(order)[0]
        assert curve.renyi(order)[0] * (1 - 1e-12) <= numeric <= curve.renyi(order)[0] * (1 + 1e-5)


def test_refuses_no_noise() -> None:
    with pytest.raises(InvalidParameter, match="scale must be > 0"):
        DiscreteLaplaceCurve(scale=0)


def test_permute_and_flip_is_priced_as_laplace_and_has_no_delta() -> None:
    flip, laplace = PrivacyLoss.of(PermuteAndFlipCurve(1), 5), PrivacyLoss.of(LaplaceCurve(1), 5)
    assert flip.epsilon(1e-6) == laplace.epsilon(1e-6)
    assert PrivacyLoss.of(PermuteAndFlipCurve(1)).group(2) == PrivacyLoss.of(PermuteAndFlipCurve(2))
    with pytest.raises(InvalidParameter, match="delta"):
        PermuteAndFlipCurve(1, "0.1")


def test_a_choice_that_was_written_down_before_is_read_and_priced_by_the_better_curve() -> None:
    stored = '{"loss": [{"curve": "permute_and_flip", "epsilon": 1, "delta": 0, "times": 5}]}'
    assert PrivacyLoss.from_json(stored) == PrivacyLoss.of(PermuteAndFlipCurve(1), 5)
    assert PrivacyLoss.from_json(stored).to_json() == stored
