"""correlation: how closely two columns follow a line, each value clipped to its column's bounds."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity, Uncertainty
from privet.mechanisms.centered_products import MOMENTS, SHARES, CenteredProducts
from privet.stats.sums.centered_correlation import around_centers, centered_products
from privet.stats.sums.covariance import two_bounds, two_columns
from privet.stats.sums.lattice_sums import BITS, COARSE, Floats, RowMap, in_rows, lattice_sums, unit_map
from privet.stats.sums.lattice_sums import SQUARES as SQUARED
from privet.stats.sums.linear_error import SlopeError
from privet.stats.sums.mean import shares_sensitivity

ONE = 2**BITS
VALUES = np.array([1.0, 0.5, 0.0])  # of u in the sums of u², 2 u (1 - u), (1 - u)²
SQUARES = np.array([1.0, 0.0, 0.0])
EVEN = np.ones(3)
PARTS = np.stack(  # of u, v, u², v², u v and 1, in each of the nine sums
    [
        np.outer(VALUES, EVEN).ravel(),
        np.outer(EVEN, VALUES).ravel(),
        np.outer(SQUARES, EVEN).ravel(),
        np.outer(EVEN, SQUARES).ravel(),
        np.outer(VALUES, VALUES).ravel(),
        np.ones(9),
    ]
)
LEAST = 1e-9  # a variance that says something, in squared widths


@called_as("correlation((heights, weights), bounds=((100, 220), (30, 180)), epsilon=1)")
def correlation(columns: Any, *, bounds: Any, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any columns
    """Return Pearson's correlation of two columns, each value clipped to its column's bounds.

    Args:
        columns: two columns of numbers; rows with a missing value in either are left out unless `missing` says more.
        bounds: a pair (low, high) for each, public.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is for the nine sums.

    Privacy: nine sums are released: with u and v the values mapped to 0 to 1, the products of each of u², 2 u (1 - u),
        (1 - u)² with each of v², 2 v (1 - v), (1 - v)². They are not negative and add up to the count, so all together
        move by one row in L1; means, variances and the covariance are linear in them. If the number of rows n is public
        (see `Asking`) and n ε is 1000 or more, a share of ε finds rough means first, and three sums around them have
        half the noise, unless the means lie near an edge of the bounds (`CenteredProducts`).

    Example:
        >>> heights, weights = np.array([161, 175, 182]), np.array([58, 71, 90])
        >>> abs(correlation((heights, weights), bounds=((100, 220), (30, 180)), epsilon=1).value) <= 1
        True
    """
    pairs = two_bounds(bounds)
    question = Question.of("correlation", two_columns(columns), asking)
    maps = tuple(unit_map(each, question.fill(each)) for each in pairs)
    if question.public_rows:
        moved = min(question.rows, question.length)
        around = centered_products(question.price.budget, question.length, moved)
        if around is not None:
            return _released_around(question, around, pairs, maps)
    sensitivity = shares_sensitivity(question, cells=9)
    mechanism = question.noise(sensitivity)
    released = question.release_by(mechanism, lambda arrays: _nine_sums(arrays, maps), sensitivity)
    value, error = _of_shares(np.asarray(released.value), released.uncertainty)
    return released.map(lambda _: value, uncertainty=error)


def _released_around(
    question: Question, mechanism: CenteredProducts, bounds: tuple[Bounds, Bounds], maps: tuple[RowMap, ...]
) -> Release[Any]:
    """Charge, and return the correlation around noisy means, or from shares where these are at an edge."""
    rough = tuple(unit_map(each, question.fill(each), bits=COARSE) for each in bounds)

    def compute(arrays: Arrays) -> list[Fraction]:
        left, right, *squares = lattice_sums(arrays, rough, _weigh_products, chunk=SQUARED)
        moments = [
            *(Fraction(each, 2**COARSE) for each in (left, right)),
            *(Fraction(each, 4**COARSE) for each in squares),
        ]
        return [*moments, *(Fraction(float(each)) for each in _nine_sums(arrays, maps))]

    sums = Sensitivity(mechanism.moved, cells=MOMENTS + SHARES)
    released = question.release_by(mechanism, compute, sums)
    numbers = released.value.tolist()
    value, error = (
        around_centers(mechanism, numbers)
        if mechanism.around(mechanism.centers(numbers))
        else _of_shares(np.asarray(numbers[2:]), mechanism.products.uncertainty)
    )
    return released.map(lambda _: value, uncertainty=error)


def _of_shares(sums: NDArray[Any], noise: Uncertainty | None) -> tuple[float, Uncertainty | None]:
    value, slopes = _correlation(sums)
    return value, noise and SlopeError(noise, slopes, 1 + abs(value))


def _weigh_products(left: Floats, right: Floats) -> tuple[float, ...]:
    pairs = ((left, left), (right, right), (left, right))
    return float(left.sum()), float(right.sum()), *(float(np.dot(one, other)) for one, other in pairs)


def _correlation(sums: NDArray[Any]) -> tuple[float, tuple[float, ...]]:
    """The correlation and its slopes along the nine sums; 0 and none if there is too little to say."""
    parts = PARTS @ sums
    count = float(parts[5])
    if count <= 0:
        return 0.0, ()
    shares = parts[:5] / count
    left, right, left_square, right_square, product = shares
    spread = (left_square - left**2, right_square - right**2)
    if min(spread) <= LEAST:
        return 0.0, ()
    scale = math.sqrt(spread[0] * spread[1])
    found = (product - left * right) / scale
    moves = (PARTS[:5] - shares[:, None]) / count  # of each share, along each sum
    toward = (moves[4] - right * moves[0] - left * moves[1]) / scale
    first = (moves[2] - 2 * left * moves[0]) / spread[0]
    second = (moves[3] - 2 * right * moves[1]) / spread[1]
    slopes = toward - found / 2 * (first + second)
    return float(min(max(found, -1.0), 1.0)), tuple(float(slope) for slope in slopes)


def _nine_sums(arrays: Arrays, maps: tuple[RowMap, ...]) -> Floats:
    *rising, rows = lattice_sums(arrays, maps, _weigh)
    ends = [0, *rising, rows * ONE]
    return in_rows([after - before for before, after in pairwise(ends)])


def _weigh(left: Floats, right: Floats) -> tuple[float, ...]:
    """Sums of the first eight rising partial sums of each row's nine shares, each rounded: shares add up to one."""
    u, v = left / ONE, right / ONE
    first = [u * u, 2 * u * (1 - u), (1 - u) * (1 - u)]
    second = [v * v, 2 * v * (1 - v), (1 - v) * (1 - v)]
    reached = np.zeros_like(u)
    sums = []
    for place in range(8):
        reached = reached + first[place // 3] * second[place % 3]
        sums.append(float(np.minimum(np.rint(reached * ONE), ONE).sum()))
    return (*sums, float(len(left)))
