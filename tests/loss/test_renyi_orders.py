"""Orders of Rényi divergence: above 1, and close to the best one wherever that is."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.loss.renyi_orders import best_order, check_order, log_of


@given(st.floats(1e-5, 1e12))
def test_the_best_order_is_found(place: float) -> None:
    found = best_order(lambda orders: (np.log(orders - 1) - math.log(place)) ** 2)
    assert float(found - 1) == pytest.approx(place, rel=1e-3)


def test_a_bound_that_only_falls_or_is_not_a_number_has_an_order_too() -> None:
    assert best_order(lambda orders: -orders) > 10**12
    assert best_order(lambda orders: np.full_like(orders, np.nan)) > 1


def test_orders_are_above_one() -> None:
    assert check_order("1.5") == Fraction(3, 2)
    for order in (1, 0, -2, math.nan, math.inf):
        with pytest.raises(InvalidParameter, match="order"):
            check_order(order)


def test_logarithms_of_what_is_below_every_float() -> None:
    assert log_of(Fraction(1, 10**400)) == pytest.approx(-400 * math.log(10))
