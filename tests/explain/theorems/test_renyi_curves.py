import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import gaussian_curve, laplace_curve, response_curve
from tests.support import loss_oracle as oracle

ORDERS = st.floats(1.0001, 300)


@given(st.floats(0.05, 100), ORDERS)
def test_laplace_is_rounded_up(scale: float, order: float) -> None:
    with oracle.digits():
        x = 1 / oracle.ball(scale)
        a = oracle.ball(order)
        inside = a / (2 * a - 1) * ((a - 1) * x).exp() + (a - 1) / (2 * a - 1) * (-a * x).exp()
        assert oracle.at_least(laplace_curve(scale, order=order), inside.log() / (a - 1), within=5e-16)


@pytest.mark.parametrize(("curve", "parameter"), [(response_curve, 0.8), (laplace_curve, 1.5), (gaussian_curve, 2)])
def test_curves_rise_and_are_continuous_at_one_and_infinity(curve: Callable[..., float], parameter: float) -> None:
    values = [curve(parameter, order=order) for order in (1, 1 + 1e-9, 1.5, 2, 50, 1e6, math.inf)]
    assert values == sorted(values)
    assert values[1] == pytest.approx(values[0], rel=1e-6)
    assert curve is gaussian_curve or values[-2] == pytest.approx(values[-1], rel=1e-4)


def test_ends_of_the_ranges() -> None:
    assert response_curve(0.5, order=7) == response_curve("0.5", order=math.inf) == 0
    assert response_curve(1, order=2) == response_curve(0, order=2) == math.inf
    assert response_curve(0.25, order=3) == response_curve(0.75, order=3)
    for curve in (laplace_curve, gaussian_curve):
        with pytest.raises(InvalidParameter, match="scale must be above 0"):
            curve(0, order=2)
