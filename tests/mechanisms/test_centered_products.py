"""CenteredProducts: the contract by sums over both centers, and how far replaced rows move what comes second."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import CenteredProducts, Laplace
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract

Row = tuple[Fraction, Fraction]
FIRST = (-math.inf, 0.0, 1.0, 2.0, math.inf)  # where the first noisy sum is told apart
SECOND = (-math.inf, -1.0, 0.0, 1.0, 2.0, math.inf)  # and the first number of what comes second
FINE = 500  # parts of each interval of a center


def shares(row: Row) -> list[Fraction]:
    parts = [(x * x, 2 * x * (1 - x), (1 - x) * (1 - x)) for x in row]
    return [left * right for left, right in product(*parts)]


def sums(table: Sequence[Row]) -> list[Fraction]:
    moments = [(u, v, u * u, v * v, u * v) for u, v in table]
    return [sum(column, Fraction(0)) for column in zip(*moments, strict=True)] + [
        sum(column, Fraction(0)) for column in zip(*map(shares, table), strict=True)
    ]


def below(x: Any, scale: float) -> Any:  # noqa: ANN401 - numbers or arrays
    return np.where(x < 0, np.exp(np.minimum(x, 0) / scale) / 2, 1 - np.exp(-np.maximum(x, 0) / scale) / 2)


def told(value: Sequence[Any], rows: int, c: NDArray[Any], d: NDArray[Any]) -> NDArray[Any]:
    """The first number of what comes second, by its definition, for many centers."""
    left, right, _, _, both, first_share = (float(each) for each in (*value[:5], value[5]))
    r, s = np.maximum(c, 1 - c), np.maximum(d, 1 - d)
    spread = [sum((each - center) ** 2 for each in (1.0, 0.5, 0.0)) for center in (c, d)]
    around = 1.35**2 * (r * s) ** 2 < spread[0] * spread[1]
    return np.where(around, (both - c * right - d * left + rows * c * d) / (r * s), first_share)


def law(value: Sequence[Any], mechanism: CenteredProducts, factor: float = 1.0) -> dict[int, float]:
    """The chance of each pair of intervals: a sum over both noisy sums in fine parts."""
    rough, last = (float(each.scale) * factor for each in (mechanism.center, mechanism.products))
    n, k = mechanism.rows, mechanism.moved
    places = (np.arange(FINE) + 0.5) / FINE
    other = float(value[1]) / k + np.where(places < 0.5, np.log(2 * places), -np.log(2 * (1 - places))) * rough
    d = np.clip(other * k / n, 0, 1)
    masses = {}
    for i in range(len(FIRST) - 1):
        start, end = max(FIRST[i], -80.0), min(FIRST[i + 1], 80.0)
        ends = np.linspace(start, end, FINE + 1)
        chances = np.diff(below(ends - float(value[0]) / k, rough))
        c = np.clip((ends[1:] + ends[:-1]) / 2 * k / n, 0, 1)
        at = told(value, n, c[:, None], d[None, :])
        for j in range(len(SECOND) - 1):
            inside = below(SECOND[j + 1] - at, last) - below(SECOND[j] - at, last)
            masses[i * len(SECOND) + j] = float(chances @ inside.mean(axis=1))
    return masses


def outcome(answer: Any) -> int:  # noqa: ANN401 - five or eleven numbers
    i = sum(float(answer[0]) >= end for end in FIRST[1:-1])
    return i * len(SECOND) + sum(float(answer[2]) >= end for end in SECOND[1:-1])


def example(tables: tuple[list[Row], list[Row]], moved: int, scales: tuple[int, int]) -> Example:
    noise = Laplace(CenteredProducts.reach(moved), scales[1])
    mechanism = CenteredProducts(len(tables[0]), moved=moved, center=Laplace(1, scales[0]), products=noise)
    return Example(
        mechanism=mechanism,
        pair=(sums(tables[0]), sums(tables[1])),
        law=lambda value: law(value, mechanism),
        wrong_law=lambda value: law(value, mechanism, 1.5),
        outcome=outcome,
        sensitivity=Sensitivity(moved, cells=14),
        too_far=Sensitivity(moved + 1, cells=14),
        trials=6000,
    )


ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(([(HALF, HALF), (ONE, ONE)], [(HALF, HALF), (ONE, ZERO)]), 1, (2, 2)),
        example(([(ZERO, ZERO), (ZERO, HALF)], [(ONE, ONE), (ZERO, HALF)]), 1, (1, 3)),
        example(([(HALF, ONE)] * 3, [(ZERO, ZERO), (ONE, ONE), (HALF, ONE)]), 2, (2, 6)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[1] * 13, [1] * 15, 4]


PLACES = [Fraction(place, 6) for place in range(7)]


@pytest.mark.parametrize("centers", [(HALF, HALF), (Fraction(2, 5), HALF), (Fraction(1, 3), Fraction(4, 5))])
def test_a_replaced_row_moves_three_products_by_two_at_most(centers: tuple[Fraction, Fraction]) -> None:
    """All rows on a grid of seven by seven places: products of distances, and then shares."""
    mechanism = CenteredProducts(1, center=Laplace(1, 1), products=Laplace(CenteredProducts.reach(1), 1))
    rows: list[Row] = [(u, v) for u in PLACES for v in PLACES]
    for second in (lambda row: mechanism._around(sums([row]), centers), shares):
        numbers = np.array([[float(each) for each in second(row)] for row in rows])
        moves = np.abs(numbers[:, None] - numbers[None]).sum(axis=-1)
        assert moves.max() <= 2 + 1e-12
    assert moves.max() == pytest.approx(2), "which shares reach"


def test_the_middle_calls_for_products_and_edges_for_shares() -> None:
    mechanism = CenteredProducts(100, center=Laplace(1, 1), products=Laplace(CenteredProducts.reach(1), 1))
    assert mechanism.around([HALF, Fraction(2, 5)])
    assert not mechanism.around([Fraction(1, 5), Fraction(1, 4)])
    assert not mechanism.around([ZERO, ONE])
    assert mechanism.centers([-7.0, 250.0]) == [0, 1]


def test_what_is_released_is_what_it_says(source: BitSource) -> None:
    tiny = Laplace(CenteredProducts.reach(1), "1e-6")
    mechanism = CenteredProducts(4, center=Laplace(1, "1e-6"), products=tiny)
    middle = [(HALF, HALF), (Fraction(1, 4), ZERO), (Fraction(3, 4), ONE), (HALF, HALF)]
    answer = mechanism.sample(sums(middle), source)
    assert answer == pytest.approx([2, 2, 1, 0.25, 1], abs=1e-3)  # Σab = 2 (1/2) (1), Σa²/2 = 2 (1/4)/2, Σb²/2
    edge = [(ZERO, ZERO)] * 4
    assert mechanism.sample(sums(edge), source) == pytest.approx([0] * 10 + [4], abs=1e-3)


def test_noise_that_is_too_small_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="center must be noise"):
        CenteredProducts(5, center=Laplace("0.5", 1), products=Laplace(CenteredProducts.reach(1), 1))
    with pytest.raises(InvalidParameter, match="center must be noise"):
        CenteredProducts(5, center=Laplace(1, 1), products=Laplace(CenteredProducts.reach(1), 1), moved=2)
    with pytest.raises(InvalidParameter, match="at most 2"):
        CenteredProducts(2**30, center=Laplace(1, 1), products=Laplace(CenteredProducts.reach(1), 1))
