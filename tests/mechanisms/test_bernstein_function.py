"""BernsteinFunction: exact values, shapes, and what is refused."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.mechanisms.bernstein_function import BernsteinFunction, bernstein_basis, largest_weight


def exact_value(coefficients: list[Fraction], at: Fraction) -> Fraction:
    degree = len(coefficients) - 1
    return sum(
        (math.comb(degree, i) * at**i * (1 - at) ** (degree - i) * c for i, c in enumerate(coefficients)), Fraction(0)
    )


def iterated(values: list[Fraction], order: int, at: Fraction) -> Fraction:
    """The definition: the sum over i of C(h, i) (-1)^(i-1) B^i f, in fractions."""
    degree = len(values) - 1
    powers = []
    current = values
    for _ in range(order):
        powers.append(exact_value(current, at))
        current = [exact_value(current, Fraction(i, degree)) for i in range(degree + 1)]
    return sum((math.comb(order, i) * (-1) ** (i - 1) * powers[i - 1] for i in range(1, order + 1)), Fraction(0))


@pytest.mark.parametrize("degree", [1, 2, 10, 100, 400, 800])
def test_the_basis_is_accurate_and_sums_to_one(degree: int) -> None:
    points = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(999, 1000), Fraction(1)]
    basis = bernstein_basis(degree, [float(point) for point in points])
    assert basis.min() >= 0
    assert np.abs(basis.sum(axis=-1) - 1).max() < 1e-12
    for row, point in zip(basis, points, strict=True):
        at = Fraction(float(point))
        for i in range(0, degree + 1, max(1, degree // 7)):
            exact = math.comb(degree, i) * at**i * (1 - at) ** (degree - i)
            assert row[i] == pytest.approx(float(exact), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("order", [1, 2, 3, 6])
@pytest.mark.parametrize("degree", [1, 4, 9])
def test_the_iterated_operator_is_its_definition(order: int, degree: int) -> None:
    values = [Fraction((7 * i * i + 3) % 11, 8) for i in range(degree + 1)]
    released = BernsteinFunction(np.array([float(value) for value in values]), order)
    for at in (Fraction(0), Fraction(1, 4), Fraction(5, 8), Fraction(1)):
        assert released(float(at)) == pytest.approx(float(iterated(values, order, at)), abs=1e-12)


def test_in_two_dimensions_it_is_the_double_sum() -> None:
    values = np.arange(12.0).reshape(3, 4)[:, :3] ** 2
    released = BernsteinFunction(values)
    x, y = 0.3, 0.8
    expected = bernstein_basis(2, x) @ values @ bernstein_basis(2, y)
    assert released([x, y]) == pytest.approx(float(expected), abs=1e-12)


def test_an_iterated_product_in_two_dimensions() -> None:
    """For f(x) g(y) the operator is B x B, so the order-2 one is 2 Bf Bg - BBf BBg."""
    f, g = np.array([0.0, 3.0, 1.0]), np.array([2.0, 0.0, 5.0])
    released = BernsteinFunction(np.outer(f, g), 2)
    weights = bernstein_basis(2, [0, 0.5, 1])
    x, y = bernstein_basis(2, 0.2), bernstein_basis(2, 0.7)
    expected = 2 * (x @ f) * (y @ g) - (x @ weights @ f) * (y @ weights @ g)
    assert released([0.2, 0.7]) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_lines_are_reproduced_and_shifts_carry_over(order: int) -> None:
    line = BernsteinFunction(2 * np.linspace(0, 1, 6) + 1, order)
    points = np.linspace(0, 1, 13)
    assert line(points) == pytest.approx(2 * points + 1, abs=1e-12)
    assert (line + 3)(points) == pytest.approx(2 * points + 4, abs=1e-12)
    assert (line - 3)(points) == pytest.approx(2 * points - 2, abs=1e-12)


def test_a_high_order_approaches_interpolation() -> None:
    values = np.sin(np.linspace(0, 1, 9) * 6)
    errors = [float(np.abs(BernsteinFunction(values, h)(np.linspace(0, 1, 9)) - values).max()) for h in (1, 5, 50, 500)]
    assert errors == sorted(errors, reverse=True)


def test_shapes() -> None:
    line = BernsteinFunction(np.array([0.0, 1.0, 4.0]))
    assert isinstance(line(0.5), float)
    assert line(np.zeros((2, 3))).shape == (2, 3)
    assert line([]).shape == (0,)
    cube = BernsteinFunction(np.ones((3, 3, 3)))
    assert isinstance(cube([0.1, 0.2, 0.3]), float)
    assert cube(np.zeros((4, 5, 3))).shape == (4, 5)
    assert cube(np.full((300_000, 3), 0.5)) == pytest.approx(np.ones(300_000))  # in turns


def test_a_box_of_its_own() -> None:
    released = BernsteinFunction(np.array([20.0, 30.0]), 1, (-10, 10))  # type: ignore[arg-type] # one pair is enough
    assert released(0.0) == 25
    assert released.bounds == ((Fraction(-10), Fraction(10)),)
    assert repr(released) == "BernsteinFunction(degree=1, order=1, on [-10, 10])"
    assert repr(BernsteinFunction(np.ones((2, 2)))) == "BernsteinFunction(degree=1, order=1, on [0, 1]^2)"


@pytest.mark.parametrize("points", [-0.001, 1.001, [0.5, math.nan], math.inf, "x"])
def test_points_outside_are_refused(points: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(ValueError, match=r"bounds|convert"):
        BernsteinFunction(np.array([0.0, 1.0]))(points)


@pytest.mark.parametrize("points", [0.5, [0.1, 0.2, 0.3], [[0.1], [0.2]]])
def test_points_need_all_their_coordinates(points: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="2 coordinates"):
        BernsteinFunction(np.ones((2, 2)))(points)


@pytest.mark.parametrize("coefficients", [[], 3.0, [1.0], [[1.0, 2.0]], [1.0, math.nan], ["a", "b"]])
def test_bad_coefficients_are_refused(coefficients: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        BernsteinFunction(coefficients)


def test_it_cannot_be_changed_and_compares_by_value() -> None:
    mine = np.array([0.0, 1.0])
    released = BernsteinFunction(mine)
    mine[0] = 99
    assert released(0.0) == 0
    with pytest.raises(ValueError, match="read-only"):
        released.coefficients[0] = 5
    assert released == BernsteinFunction(np.array([-0.0, 1.0]))
    assert hash(released) == hash(BernsteinFunction(np.array([-0.0, 1.0])))
    assert released != BernsteinFunction(np.array([0.0, 1.0]), 2)
    assert released != 3


@pytest.mark.parametrize(("degree", "order"), [(1, 2), (2, 3), (14, 12), (25, 2), (40, 16)])
def test_the_largest_weight_is_a_close_upper_bound(degree: int, order: int) -> None:
    """Against the sum of |weights| at 4,001 points: each weight is the iterated polynomial of one value."""
    points = np.linspace(0, 1, 4001)
    sums = sum(np.abs(BernsteinFunction(unit, order)(points)) for unit in np.eye(degree + 1))
    assert np.max(sums) <= largest_weight(degree, order) <= np.max(sums) * 1.006


def test_a_curve_is_ready_for_a_chart() -> None:
    function = BernsteinFunction(np.array([0.0, 1.0, 3.0]), bounds=((Fraction(10), Fraction(20)),))
    x, y = function.curve(5)
    assert x.tolist() == [10.0, 12.5, 15.0, 17.5, 20.0]
    assert np.array_equal(y, function(x))
    with pytest.raises(InvalidParameter, match="one dimension"):
        BernsteinFunction(np.zeros((2, 2))).curve()
    with pytest.raises(InvalidParameter, match="count"):
        function.curve(1)
