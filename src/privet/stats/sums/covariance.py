"""covariance: how two columns move together, each value clipped to its column's bounds."""

from typing import Any, Unpack

import numpy as np

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity, Uncertainty
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.stats.sums.centered import centered_noise, released_around
from privet.stats.sums.lattice_sums import BITS, COARSE, SQUARES, Floats, RowMap, in_rows, lattice_sums, unit_map
from privet.stats.sums.linear_error import SlopeError
from privet.stats.sums.mean import clipped_share, shares_sensitivity
from privet.stats.sums.moments import per_degree
from privet.stats.sums.variance import in_moves

FINE, ROUGH = 2**BITS, 2**COARSE
LARGEST = 0.25  # covariance of values between 0 and 1
PARTS = ((1.0, 1.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))  # of u v, u and v, in each of four sums


@called_as("covariance((heights, weights), bounds=((100, 220), (30, 180)), epsilon=1)")
def covariance(columns: Any, *, bounds: Any, ddof: int = 0, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any columns
    """Return the covariance of two columns, each value clipped to its column's bounds.

    Args:
        columns: two columns of numbers; rows with a missing value in either are left out unless `missing` says more.
        bounds: a pair (low, high) for each, public.
        ddof: the sum of products is divided by n - ddof; 0 by default.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is in the product of the
            columns' units if the number of rows is public, else for the four sums described below.

    Privacy: if the number of rows n is public (see `Asking`), one number is released, which one replaced row moves by
        at most the product of the two widths times (n - 1)/n²; from n ε = 1000 on, shares of ε find rough means first,
        and what is around them moves by as little as half of that (`CenteredSpread`). Else four sums: with u and v the
        values mapped to 0 to 1, those of u v, u (1 - v), (1 - u) v and (1 - u) (1 - v). They add up to the count, so
        all together move by one row in L1.
    Proof: n² times the covariance is the sum of (x_i - x_j) (y_i - y_j) over pairs. For a fixed j, (a - x_j) (b - y_j)
        over a, b in [0, 1] has a range of at most 1: its largest value is x y or (1 - x) (1 - y), its smallest
        -x (1 - y) or -(1 - x) y, and any two of these differ by x, y, 1 - x or 1 - y. A pair in which both rows are the
        unit's moves by at most 2.

    Example:
        >>> heights, weights = np.array([161, 175, 182]), np.array([58, 71, 90])
        >>> covariance((heights, weights), bounds=((100, 220), (30, 180)), epsilon=1, neighbors="replace").mechanism
        '4000 × Staircase(sensitivity=1, epsilon=1)'
    """
    pairs = two_bounds(bounds)
    question = Question.of("covariance", two_columns(columns), asking)
    freedom = whole(ddof, "ddof", low=0)
    return _of_rows(question, pairs, freedom) if question.public_rows else _of_sums(question, pairs, freedom)


def two_columns(columns: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any columns
    """Return the two columns, or refuse what is not a pair."""
    if not isinstance(columns, tuple | list) or len(columns) != 2:  # noqa: PLR2004 - a pair
        got = f"{len(columns)}" if isinstance(columns, tuple | list) else type(columns).__name__
        raise InvalidParameter(f"columns must be a pair of columns, such as (heights, weights), got {got}")
    return columns[0], columns[1]


def two_bounds(bounds: Any) -> tuple[Bounds, Bounds]:  # noqa: ANN401 - anything is refused in words
    """Return the checked bounds of two columns."""
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:  # noqa: PLR2004 - a pair
        raise InvalidParameter("bounds must be a pair (low, high) for each column: ((0, 100), (0, 1)), for example")
    return Bounds.of(bounds[0]), Bounds.of(bounds[1])


def _of_rows(question: Question, bounds: tuple[Bounds, Bounds], ddof: int) -> Release[Any]:
    rows = question.length
    moved = min(question.rows, question.length)
    if rows <= max(ddof, 1):
        raise InvalidParameter(f"{question.statistic} needs more than {max(ddof, 1)} rows, got {rows}")
    pairs = moved_products(rows, moved)
    maps = tuple(unit_map(each, question.fill(each), bits=COARSE) for each in bounds)
    around = centered_noise(question.price.budget, rows, moved, columns=2)
    if around is not None:
        unit = float(bounds[0].width * bounds[1].width * rows / (rows - ddof))
        return released_around(question, around, maps, _weigh, unit)
    return question.release(
        lambda arrays: in_moves(_products(arrays, maps), pairs * ROUGH**2),
        Sensitivity(1),
        unit=bounds[0].width * bounds[1].width * pairs / (rows * (rows - ddof)),
    )


def moved_products(rows: int, moved: int) -> int:
    """By how much the sum over pairs can move, in products of widths, if `moved` rows are replaced."""
    return moved * (rows - moved) + moved * (moved - 1)


def _products(arrays: Arrays, maps: tuple[RowMap, ...]) -> int:
    """The sum of products of differences over all pairs, in squared steps."""
    left, right, both = lattice_sums(arrays, maps, _weigh, chunk=SQUARES)
    return len(arrays[0]) * both - left * right


def _weigh(left: Floats, right: Floats) -> tuple[float, ...]:
    return float(left.sum()), float(right.sum()), float(np.dot(left, right))


def _of_sums(question: Question, bounds: tuple[Bounds, Bounds], ddof: int) -> Release[Any]:
    maps = tuple(unit_map(each, question.fill(each)) for each in bounds)
    sensitivity = shares_sensitivity(question, cells=4)
    mechanism = question.noise(sensitivity)
    released = question.release_by(mechanism, lambda arrays: _four_sums(arrays, maps), sensitivity)
    unit = bounds[0].width * bounds[1].width
    value, error = from_four_sums(released.value, released.uncertainty, float(unit), ddof)
    return released.map(lambda _: value, uncertainty=error)


def from_four_sums(
    released: Any,  # noqa: ANN401 - an array of four
    noise: Uncertainty | None,
    unit: float,
    ddof: int,
) -> tuple[float, Uncertainty | None]:
    """Return the covariance that four released sums give, and the law of its error."""
    sums = [float(each) for each in released]
    count = sum(sums)
    wide = unit * per_degree(count, ddof)
    if count <= 0:
        return 0.0, noise and SlopeError(noise, (), 2 * LARGEST * wide)
    product, left, right = (clipped_share(_part(sums, place), count) for place in range(3))
    value = min(max(product - left * right, -LARGEST), LARGEST)
    slopes = ((a - product) - right * (b - left) - left * (c - right) for a, b, c in PARTS)
    error = noise and SlopeError(noise, tuple(wide / count * slope for slope in slopes), 2 * LARGEST * wide)
    return value * wide, error


def _part(sums: list[float], place: int) -> float:
    return sum(total * parts[place] for total, parts in zip(sums, PARTS, strict=True))


def _four_sums(arrays: Arrays, maps: tuple[RowMap, ...]) -> Floats:
    left, right, both, rows = lattice_sums(arrays, maps, _weigh_shares)
    return in_rows([both, left - both, right - both, rows * FINE - left - right + both])


def _weigh_shares(left: Floats, right: Floats) -> tuple[float, ...]:
    both = left * right
    both *= 1 / FINE
    np.rint(both, out=both)
    return float(left.sum()), float(right.sum()), float(both.sum()), float(len(left))
