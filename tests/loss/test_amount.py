import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.loss import EpsilonSum, Guarantee
from privet.loss.amount import Amount, charge


@given(st.integers(1, 10**6), st.integers(1, 9))
def test_what_was_declared_is_charged_exactly(numerator: int, places: int) -> None:
    assert charge(numerator / 10**places) == Fraction(numerator, 10**places)


@given(st.floats(0, 1e300))
def test_whoever_types_a_reading_as_a_limit_can_pay_it(bound: float) -> None:
    assert charge(bound) == Fraction(repr(bound))
    assert Amount(charge(bound), Fraction(0)).fits(EpsilonSum().capacity(Guarantee(bound)))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, -math.inf, -1e-300])
def test_what_is_not_a_cost_is_infinite(bad: float) -> None:
    assert charge(bad) == math.inf
    assert not Amount(charge(bad)).fits(Amount(Fraction(10**9)))
    assert not Amount(bad).fits(Amount(Fraction(10**9)))


def test_three_tenths_are_three_times_a_tenth() -> None:
    tenth, limit = Amount(charge(0.1)), Amount(charge(0.3))
    spent = tenth + tenth + tenth
    assert spent == limit
    assert spent.fits(limit)
    assert limit.less(spent) == Amount(Fraction(0))
    assert not (spent + Amount(charge(1e-300))).fits(limit)


def test_a_million_tiny_spends_add_up() -> None:
    tiny = Amount(charge(1e-17))
    spent = Amount(Fraction(1))
    for _ in range(1000):
        spent += tiny
    assert spent.parts[0] == 1 + Fraction(1000, 10**17)
    assert (tiny * 10**6).parts[0] == Fraction(1, 10**11)


def test_every_part_counts() -> None:
    limit = Amount(Fraction(1), Fraction(1, 10**6))
    assert Amount(Fraction(1), Fraction(1, 10**6)).fits(limit)
    assert not Amount(Fraction(1, 2), Fraction(2, 10**6)).fits(limit)
    assert not Amount(Fraction(2), Fraction(0)).fits(limit)
    assert limit.holds(Amount(Fraction(1, 10), Fraction(1, 10**6))) == 1
    assert limit.holds(Amount(Fraction(1, 10), Fraction(0))) == 10


def test_amounts_of_different_rules_do_not_mix() -> None:
    with pytest.raises(ValueError, match="zip"):
        Amount(Fraction(1)).fits(Amount(Fraction(1), Fraction(1)))


def test_free_and_unpayable_costs() -> None:
    limit = Amount(Fraction(1))
    assert limit.holds(Amount(Fraction(0))) == math.inf
    assert limit.holds(Amount(math.inf)) == 0
    assert not Amount(Fraction(1)).fits(Amount(math.inf))  # no limit is infinite
    assert limit.less(Amount(math.inf)) == Amount(Fraction(0))
    assert repr(Amount(Fraction(1, 3), math.inf)) == "Amount(0.333333333, inf)"


@given(st.lists(st.fractions(0, 10), min_size=1, max_size=10), st.fractions(0, 20))
def test_spending_until_it_no_longer_fits_never_overspends(costs: list[Fraction], limit: Fraction) -> None:
    room = Amount(limit)
    spent = Amount(Fraction(0))
    for cost in costs:
        if (spent + Amount(cost)).fits(room):
            spent += Amount(cost)
    assert spent.parts[0] <= limit
    assert room.less(spent).parts[0] == limit - spent.parts[0]


@given(st.fractions(0, 10**6), st.integers(1, 60), st.integers(1, 9))
def test_unequal_amounts_are_never_shown_by_equal_texts(one: Fraction, places: int, more: int) -> None:
    """However close they are, and in the right order."""
    less = Amount(one, units=("epsilon",))
    limit = Amount(one + Fraction(more, 10**places), units=("epsilon",))
    assert less.beside(limit) != limit.beside(less)
    shown = [Fraction(amount.beside(other).removeprefix("ε=")) for amount, other in ((less, limit), (limit, less))]
    assert shown[0] < shown[1]
    assert less.beside(less) == repr(less)


def test_infinite_amounts_stand_beside_finite_ones() -> None:
    free = Amount(Fraction(1, 3), units=("rho",))
    none = Amount(math.inf, units=("rho",))
    assert (free.beside(none), none.beside(free)) == ("ρ=0.333333333", "ρ=inf")
    assert none.beside(none) == "ρ=inf"
