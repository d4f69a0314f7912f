import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, whole
from privet.loss.outward import float_down, float_up, precise, probability_of, sum_up


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1, "nan", "ten", None, True, [1], 1.5])
def test_probabilities_are_checked_and_named(bad: Exact) -> None:
    with pytest.raises(InvalidParameter, match="rate must be"):
        probability_of(bad, "rate")


@pytest.mark.parametrize("bad", [0, -3, 1.5, math.nan, True, "x", None])
def test_whole_refuses(bad: object) -> None:
    with pytest.raises(InvalidParameter, match="times must be a whole number >= 1"):
        whole(bad, "times")


def test_whole_accepts_numpy() -> None:
    assert whole(np.int64(7), "times") == 7


@given(st.fractions())
def test_rounding_a_fraction_is_outward_and_tight(number: Fraction) -> None:
    """In the decimals that the floats stand for."""
    up, down = float_up(number), float_down(number)
    assert Fraction(repr(down)) <= number <= Fraction(repr(up))
    assert up in (down, math.nextafter(down, math.inf))


@given(st.integers(-(10**15), 10**15), st.integers(-20, 20))
def test_a_short_decimal_is_its_own_float(digits: int, exponent: int) -> None:
    number = digits * Fraction(10) ** exponent
    assert float_up(number) == float_down(number) == float(f"{digits}e{exponent}")


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_rounding_a_computed_decimal_is_outward_in_binary_too(number: Decimal) -> None:
    up, down = float_up(number), float_down(number)
    assert down <= number <= up
    assert Decimal(repr(down)) <= number <= Decimal(repr(up))


@pytest.mark.parametrize("text", ["1e-400", "4.361e-435", "1e400", "0.1", "2", "-1e400", "-0.3"])
def test_rounding_a_decimal_is_outward(text: str) -> None:
    assert float_down(Decimal(text)) < Decimal(text) < float_up(Decimal(text))


def test_rounding_beyond_the_floats_is_outward() -> None:
    huge = Fraction(10) ** 400
    assert (float_up(huge), float_down(huge)) == (math.inf, sys.float_info.max)
    assert (float_up(-huge), float_down(-huge)) == (-sys.float_info.max, -math.inf)


def test_rounding_keeps_zero() -> None:
    assert float_up(Decimal(0)) == float_down(Fraction(0)) == 0


def test_precise_decorates_and_restores() -> None:
    @precise()
    def third() -> Decimal:
        return Decimal(1) / 3

    assert len(third().as_tuple().digits) == 80
    assert len((Decimal(1) / 3).as_tuple().digits) == 28


@given(st.lists(st.floats(-1e300, 1e300), max_size=20))
def test_sum_up_is_the_smallest_float_not_below(terms: list[float]) -> None:
    truth = sum((Fraction(term) for term in terms), Fraction(0))
    total = sum_up(terms)
    assert Fraction(total) >= truth
    assert Fraction(math.nextafter(total, -math.inf)) < truth
