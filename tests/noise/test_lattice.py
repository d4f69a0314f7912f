"""Lattice: exact rounding, honest sensitivity, exact sums, canonical output."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.noise import Lattice

finite = st.floats(allow_nan=False, allow_infinity=False)
exponents = st.integers(-1074, 1023)
int64s = st.integers(-(2**63), 2**63 - 1)


def nearest(value: Fraction, step: Fraction) -> int:
    """The specification: the nearest multiple, ties upwards."""
    return math.floor(value / step + Fraction(1, 2))


@given(st.lists(finite, max_size=5), exponents)
def test_rounds_every_float_to_the_nearest_step(values: list[float], exponent: int) -> None:
    lattice = Lattice(exponent)
    expected = [nearest(Fraction(value), lattice.step) for value in values]
    assert lattice.to_steps(np.array(values, dtype=np.float64)).tolist() == expected
    assert [lattice.to_step(value) for value in values] == expected


near_2_53 = st.integers(-(2**54), 2**54) | st.integers(2**53 - 3, 2**53 + 3) | int64s


@given(st.lists(near_2_53, min_size=1, max_size=5), st.integers(-80, 80) | st.integers(-3, 3))
def test_rounds_every_integer_exactly(values: list[int], exponent: int) -> None:
    """int64 beyond 2^53 does not pass through a float."""
    lattice = Lattice(exponent)
    steps = lattice.to_steps(np.array(values, dtype=np.int64))
    assert steps.tolist() == [nearest(Fraction(value), lattice.step) for value in values]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64, np.bool_, np.float32])
def test_rounds_every_kind_of_number(dtype: type[np.generic]) -> None:
    assert Lattice(-1).to_steps(np.array([0, 1], dtype=dtype)).tolist() == [0, 2]
    assert Lattice(0).to_steps(np.array([2**64 - 1], dtype=np.uint64)).tolist() == [2**64 - 1]


@pytest.mark.parametrize("eighths", range(-40, 41))
def test_ties_go_up_on_both_sides_of_zero(eighths: int) -> None:
    value = eighths / 8
    assert Lattice(0).to_steps([value]).tolist() == [math.floor(Fraction(eighths, 8) + Fraction(1, 2))]


def test_the_float_just_below_a_half_rounds_down() -> None:
    assert Lattice(0).to_steps([math.nextafter(0.5, 0.0), math.nextafter(-0.5, -1.0)]).tolist() == [0, -1]


@given(finite, finite, st.integers(-1074, 900))
def test_widened_sensitivity_is_never_exceeded(x: float, y: float, exponent: int) -> None:
    lattice = Lattice(exponent)
    distance = abs(Fraction(x) - Fraction(y))
    assert abs(lattice.to_step(x) - lattice.to_step(y)) <= lattice.widened(distance)


def test_fractions_beyond_every_float_are_numbers_too() -> None:
    assert Lattice(0).widened(Fraction(10) ** 400) == 10**400
    assert Lattice(0).to_step(10**400) == 10**400


def test_widened_sensitivity_is_reached() -> None:
    assert Lattice(0).widened(Fraction(1, 10)) == 1  # 0.45 and 0.55 round to 0 and 1
    assert Lattice(0).to_steps([0.45, 0.55]).tolist() == [0, 1]
    assert Lattice(0).widened(3) == 3  # whole numbers lose nothing


@given(st.lists(st.tuples(int64s, int64s), min_size=1, max_size=5))
def test_sums_with_noise_are_exact(pairs: list[tuple[int, int]]) -> None:
    steps, noise = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    assert Lattice.add(steps, noise).tolist() == [a + b for a, b in pairs]
    assert Lattice.add(steps.astype(object), noise).tolist() == [a + b for a, b in pairs]


@given(st.lists(int64s, max_size=50))
def test_totals_are_exact_in_any_order(values: list[int]) -> None:
    steps = np.array(values, dtype=np.int64)
    assert Lattice.total(steps) == Lattice.total(steps[::-1]) == sum(values)
    assert Lattice.total(steps.astype(object)) == sum(values)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=5), exponents)
def test_floats_are_nearest_canonical_and_finite(values: list[int], exponent: int) -> None:
    lattice = Lattice(exponent)
    wide = lattice.to_floats(np.array(values, dtype=object))
    for value, result in zip(values, wide.tolist(), strict=True):
        assert math.isfinite(result)
        assert not (result == 0 and math.copysign(1, result) < 0)
        if abs(result) < np.finfo(np.float64).max:
            assert result == float(value * lattice.step)
    narrow = [value % 2**63 for value in values]
    assert (
        lattice.to_floats(np.array(narrow, dtype=np.int64)) == lattice.to_floats(np.array(narrow, dtype=object))
    ).all()


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), st.integers(0, 60))
def test_finer_than_is_the_largest_power_of_two_that_fits(width: Fraction, bits: int) -> None:
    step = Lattice.finer_than(width, bits=bits).step
    assert step <= width / 2**bits < 2 * step


def test_shapes_are_kept() -> None:
    table = np.array([[1.25, 2.0], [1e300, -3.0]])
    assert Lattice(-2).to_steps(table).shape == (2, 2)
    assert Lattice(-2).to_floats(Lattice(-2).to_steps(table)).tolist() == table.tolist()


@pytest.mark.parametrize("values", [[1.0, math.nan], [math.inf], ["7"], [None], [1j]], ids=repr)
def test_refuses_what_is_not_a_finite_number(values: list[Any]) -> None:
    with pytest.raises(InvalidParameter, match="finite numbers"):
        Lattice(0).to_steps(values)


@pytest.mark.parametrize("exponent", [-1075, 1024])
def test_refuses_a_step_that_is_not_a_float(exponent: int) -> None:
    with pytest.raises(InvalidParameter, match="between -1074 and 1023"):
        Lattice(exponent)


@pytest.mark.parametrize("width", [0, -1.0, math.nan, math.inf, [1.0, 2.0], True])
def test_the_step_comes_from_one_public_number(width: float) -> None:
    """Attack A16: a lattice chosen from data. There is no way to pass data: an array is refused."""
    with pytest.raises(InvalidParameter, match="width must be"):
        Lattice.finer_than(width)


@pytest.mark.parametrize("sensitivity", [-1, math.nan, math.inf, "1"])
def test_refuses_a_bad_sensitivity(sensitivity: float) -> None:
    with pytest.raises(InvalidParameter, match="sensitivity must be"):
        Lattice(0).widened(sensitivity)
