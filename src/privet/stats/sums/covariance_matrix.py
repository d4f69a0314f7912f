"""covariance_matrix: how several columns move together, at one price."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity, Uncertainty
from privet.core.sensitivity import root_above
from privet.core.uncertainty import ScaledError
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.stats.sums.covariance import FINE, ROUGH, from_four_sums, moved_products
from privet.stats.sums.lattice_sums import COARSE, SQUARES, Floats, RowMap, in_rows, lattice_sums, unit_map
from privet.stats.sums.variance import in_moves

CONFIDENCE = 0.95


@dataclass(frozen=True, repr=False)
class CovarianceMatrix:
    """A matrix of covariances that were released together; their common price was paid once.

    Args:
        release: the numbers that were released, one for each pair of columns, or four; with the price.
        size: how many columns.
        cells: the covariance of each pair, and the law of its error, in the order of the upper triangle.

    Privacy: everything here is computed from the released numbers.

    Example:
        >>> heights, weights = [161.0, 175.0, 182.0] * 100, [58.0, 71.0, 90.0] * 100
        >>> found = covariance_matrix((heights, weights), bounds=((100, 220), (30, 180)), epsilon=1)
        >>> found.value.shape, found.margin().shape
        ((2, 2), (2, 2))
    """

    release: Release[Any]
    size: int
    cells: tuple[tuple[float, Uncertainty | None], ...]

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """The symmetric matrix."""
        return self._square([value for value, _ in self.cells])

    def margin(self, confidence: float = CONFIDENCE) -> NDArray[np.float64]:
        """Half the width of an interval for each covariance, one by one."""
        return self._square([np.nan if error is None else error.margin(confidence) for _, error in self.cells])

    def _square(self, triangle: list[float]) -> NDArray[np.float64]:
        square = np.empty((self.size, self.size))
        for (row, column), number in zip(_pairs(self.size), triangle, strict=True):
            square[row, column] = square[column, row] = number
        return square

    def __repr__(self) -> str:
        shown = np.array2string(self.value, precision=4, suppress_small=True)
        spent = repr(self.release).rpartition("\n")[2]
        return f"{shown}\nat most ± {self.margin().max():.4g} ({CONFIDENCE:.0%})\n{spent}"


@called_as("covariance_matrix((heights, weights), bounds=((100, 220), (30, 180)), epsilon=1)")
def covariance_matrix(columns: Any, *, bounds: Any, ddof: int = 0, **asking: Unpack[Asking]) -> CovarianceMatrix:  # noqa: ANN401 - any columns
    """Return the covariances of all pairs of columns, variances included, each value clipped to its column's bounds.

    Args:
        columns: two or more columns of numbers; rows with a missing value in any are left out unless `missing` says
            more.
        bounds: a pair (low, high) for each, public.
        ddof: sums of products are divided by n - ddof; 0 by default.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is for the normalised
            numbers that are released.

    Privacy: for d columns there are p = d (d + 1)/2 pairs. If the number of rows is public, one number for each pair is
        released, in multiples of the farthest that one unit moves it: p in L1, √p in L2. Else the four sums of
        `covariance` for each pair: p rows in L1, √p in L2.
    Proof: each pair moves as in `covariance`; blocks add up in L1, and their squares in L2.

    Example:
        >>> body = (np.array([161, 175, 182]), np.array([58, 71, 90]), np.array([24, 25, 27]))
        >>> found = covariance_matrix(body, bounds=((100, 220), (30, 180), (10, 50)), epsilon=1)
        >>> found.value.shape, found.release.mechanism
        ((3, 3), 'Laplace(l1_sensitivity=6, scale=6)')
    """
    pairs = bounds if isinstance(bounds, tuple | list) else ()
    if not isinstance(columns, tuple | list) or len(columns) < 2 or len(columns) != len(pairs):  # noqa: PLR2004 - a pair
        raise InvalidParameter("columns must be two or more columns, and bounds as many pairs (low, high)")
    declared = tuple(Bounds.of(each) for each in pairs)
    question = Question.of("covariance matrix", tuple(columns), asking)
    freedom = whole(ddof, "ddof", low=0)
    return _of_rows(question, declared, freedom) if question.public_rows else _of_sums(question, declared, freedom)


def _pairs(size: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(size), 2))


def _of_rows(question: Question, bounds: tuple[Bounds, ...], ddof: int) -> CovarianceMatrix:
    rows = question.length
    pairs = _pairs(len(bounds))
    if rows <= max(ddof, 1):
        raise InvalidParameter(f"{question.statistic} needs more than {max(ddof, 1)} rows, got {rows}")
    moved = moved_products(rows, min(question.rows, rows))
    maps = tuple(unit_map(each, question.fill(each), bits=COARSE) for each in bounds)

    def compute(arrays: Arrays) -> Floats:
        sums = lattice_sums(arrays, maps, _weigh_products(len(bounds)), chunk=SQUARES)
        lone = sums[: len(bounds)]
        both = sums[len(bounds) :]
        spread = [rows * total - lone[i] * lone[j] for total, (i, j) in zip(both, pairs, strict=True)]
        return np.array([in_moves(each, moved * ROUGH**2) for each in spread])

    released = question.release(compute, Sensitivity(1, cells=len(pairs)))
    units = [float(bounds[i].width * bounds[j].width * moved / (rows * (rows - ddof))) for i, j in pairs]
    noise = released.uncertainty
    cells = [
        (float(number) * unit, noise and ScaledError(noise, unit))
        for number, unit in zip(released.value, units, strict=True)
    ]
    return CovarianceMatrix(released, len(bounds), tuple(cells))


def _weigh_products(size: int) -> Callable[..., tuple[float, ...]]:
    def weigh(*steps: Floats) -> tuple[float, ...]:
        lone = (float(each.sum()) for each in steps)
        return (*lone, *(float(np.dot(steps[i], steps[j])) for i, j in _pairs(size)))

    return weigh


def _of_sums(question: Question, bounds: tuple[Bounds, ...], ddof: int) -> CovarianceMatrix:
    maps = tuple(unit_map(each, question.fill(each)) for each in bounds)
    pairs = _pairs(len(bounds))
    rows = question.rows
    changed = question.changes
    blocks = len(pairs)
    length = root_above(Fraction(rows * changed * blocks))  # rows² for each block, twice that if rows are replaced
    sensitivity = Sensitivity(rows, cells=4 * blocks, l1=changed * blocks, l2=length)
    released = question.release(lambda arrays: _shares(arrays, maps), sensitivity)
    units = [float(bounds[i].width * bounds[j].width) for i, j in pairs]
    quads = np.asarray(released.value).reshape(blocks, 4)
    cells = [from_four_sums(quad, released.uncertainty, unit, ddof) for quad, unit in zip(quads, units, strict=True)]
    return CovarianceMatrix(released, len(bounds), tuple(cells))


def _shares(arrays: Arrays, maps: tuple[RowMap, ...]) -> Floats:
    size = len(maps)

    def weigh(*steps: Floats) -> tuple[float, ...]:
        lone = (float(each.sum()) for each in steps)
        products = (float(np.rint(steps[i] * steps[j] * (1 / FINE)).sum()) for i, j in _pairs(size))
        return (*lone, *products, float(len(steps[0])))

    *sums, rows = lattice_sums(arrays, maps, weigh)
    lone = sums[:size]
    products = sums[size:]
    quads = [
        [both, lone[i] - both, lone[j] - both, rows * FINE - lone[i] - lone[j] + both]
        for both, (i, j) in zip(products, _pairs(size), strict=True)
    ]
    return in_rows([number for quad in quads for number in quad])
