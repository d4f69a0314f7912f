import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.explain.theorems import event_bounds, weak_triangle
from privet.loss.divergences.divergence import renyi_divergence
from tests.loss.divergences.test_divergence import distributions


@given(distributions(2), distributions(2), st.sampled_from([1.1, 2.0, 7.0, 100.0, math.inf]))
def test_no_event_leaves_its_bounds(p: list[float], q: list[float], order: float) -> None:
    bound = max(renyi_divergence(p, q, order=order), renyi_divergence(q, p, order=order))
    if math.isinf(bound):
        return
    for here, there in zip(p, q, strict=True):
        low, high = event_bounds(there, bound=bound, order=order)
        assert low <= here <= high


@given(distributions(3), distributions(3), distributions(3))
def test_weak_triangle_holds(p: list[float], q: list[float], r: list[float]) -> None:
    first = renyi_divergence(p, r, order=6)
    second = renyi_divergence(r, q, order=(3 - 1 / 2) * 2)
    if math.isfinite(first) and math.isfinite(second):
        bound = weak_triangle(order=3, share=2, first=first, second=second)
        assert renyi_divergence(p, q, order=3) <= bound * (1 + 1e-12) + 1e-12


def test_ends_of_the_ranges() -> None:
    assert event_bounds(0, bound=1, order=2) == (0, 0)
    low, high = event_bounds(1, bound=0, order=2)
    assert low <= 1 == high
    assert low == pytest.approx(1, rel=1e-15)


def test_orders_that_say_nothing_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="order"):
        event_bounds(0.5, bound=1, order=1)
    with pytest.raises(InvalidParameter, match="order"):
        weak_triangle(order=2, share=1, first=1, second=1)
