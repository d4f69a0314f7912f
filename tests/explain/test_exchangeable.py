"""R190: the posterior bound holds given the common cause, and not for the mixture."""

import pytest

from privet.errors import InvalidParameter
from privet.explain import exchangeable_beliefs


def test_alone_the_bound_holds_and_is_reached() -> None:
    found = exchangeable_beliefs(1, epsilon=1, rates=(0.1, 0.9))
    assert found.highest == pytest.approx(found.product_bound, rel=1e-9)
    assert found.highest <= found.product_bound * (1 + 1e-12)


@pytest.mark.parametrize("people", [2, 30, 300])
def test_given_the_cause_the_bound_holds(people: int) -> None:
    found = exchangeable_beliefs(people, epsilon=0.2, rates=(0.05, 0.5, 0.9), weights=(1, 2, 3))
    assert found.prior == pytest.approx((0.05 + 1 + 2.7) / 6)
    for belief, bound, rate in zip(found.within, found.within_bounds, (0.05, 0.5, 0.9), strict=True):
        assert rate < belief <= bound * (1 + 1e-9)


def test_without_the_cause_it_is_broken_and_more_so_by_more_people() -> None:
    tops = [exchangeable_beliefs(people, epsilon=0.1, rates=(0.1, 0.9)).highest for people in (1, 10, 100)]
    assert tops == sorted(tops)
    assert tops[2] > exchangeable_beliefs(100, epsilon=0.1, rates=(0.1, 0.9)).product_bound + 0.3
    one_rate = exchangeable_beliefs(100, epsilon=0.1, rates=(0.5,))  # the control: a product prior
    assert one_rate.highest <= one_rate.product_bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("rates", "weights", "epsilon"),
    [((), None, 1), ((0, 1), None, 1), ((0.5,), (-1,), 1), ((0.5,), (1, 2), 1), ((0.5,), (0,), 1), ((0.5,), None, 0)],
)
def test_wrong_priors_are_refused(rates: tuple[float, ...], weights: tuple[float, ...] | None, epsilon: float) -> None:
    with pytest.raises(InvalidParameter):
        exchangeable_beliefs(3, epsilon=epsilon, rates=rates, weights=weights)
