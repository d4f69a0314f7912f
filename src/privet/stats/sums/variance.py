"""variance and stddev: how far values spread, each clipped to bounds."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.price import refuse_unforeseen
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.postprocessing.sampling import variance_deviation
from privet.stats.sampled_units import ROOT, SampledUnits
from privet.stats.sums.centered import centered_noise, released_around
from privet.stats.sums.lattice_sums import BITS, COARSE, SQUARES, Floats, RowMap, lattice_sums, unit_map
from privet.stats.sums.linear_error import RootError
from privet.stats.sums.moments import moments_of

ONE = 2**COARSE


@called_as("variance(ages, bounds=(0, 110), epsilon=1)")
def variance(values: Any, *, bounds: Any, ddof: int = 0, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return the variance of the values, each clipped to the bounds.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        ddof: the sum of squares is divided by n - ddof, as in NumPy; 0 by default.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is in the squared unit
            of the values if the number of rows is public, else for the three sums of `moments`.

    Privacy: if the number of rows n is public (see `Asking`), one number is released, which one replaced row moves by
        at most (high - low)² (n - 1)/n²; from n ε = 200 on, a share of ε finds a rough mean first; what is around it
        moves by as little as a quarter of that (`CenteredSpread`). Else `moments` is asked: count and mean are free.
    Proof: n² times the variance is the sum of (x_i - x_j)² over all pairs. One row is in n - 1 pairs, and each moves by
        at most (high - low)². k rows are in k (n - k) + k (k - 1)/2 pairs. On the lattice this is exact in integers.

    Example:
        >>> ages = np.array([31, 45, 52, 28])
        >>> variance(ages, bounds=(0, 100), epsilon=1, neighbors="replace").mechanism
        '1875 × Staircase(sensitivity=1, epsilon=1)'
    """
    declared = Bounds.of(bounds)
    return _variance_of(Question.of("variance", (values,), asking), declared, whole(ddof, "ddof", low=0))


@called_as("stddev(ages, bounds=(0, 110), epsilon=1)")
def stddev(values: Any, *, bounds: Any, ddof: int = 0, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return the standard deviation of the values, each clipped to the bounds: the root of their variance.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        ddof: as in `variance`.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: that of `variance`; the root is post-processing.

    Example:
        >>> stddev(np.array([31, 45, 52, 28]), bounds=(0, 100), epsilon=1, neighbors="replace").value >= 0
        True
    """
    declared = Bounds.of(bounds)
    question = Question.of("stddev", (values,), asking)
    refuse_unforeseen(question.price, "stddev")  # the root of a small variance errs more than that of a large one
    found = _variance_of(question, declared, whole(ddof, "ddof", low=0))
    under = max(float(found.value), 0.0)
    error = found.uncertainty and RootError(found.uncertainty, under)
    return found.map(lambda _: math.sqrt(under), uncertainty=error, sampling=ROOT)


def _variance_of(question: Question, bounds: Bounds, ddof: int) -> Release[Any]:
    if not question.public_rows:
        return moments_of(question, bounds, ddof=ddof).variance
    rows = question.length
    if rows <= max(ddof, 1):
        raise InvalidParameter(f"{question.statistic} needs more than {max(ddof, 1)} rows, got {rows}")
    pairs = moved_pairs(rows, question.rows)
    row_map = unit_map(bounds, question.fill(bounds), bits=COARSE)
    around = centered_noise(question.price.budget, rows, min(question.rows, rows), columns=1)
    unit = float(bounds.width**2 * rows / (rows - ddof))
    if around is not None:
        found = released_around(question, around, (row_map,), _weigh, unit)
    else:
        found = question.release(
            lambda arrays: in_moves(_spread(arrays, row_map), pairs * ONE**2),
            Sensitivity(1),
            unit=bounds.width**2 * pairs / (rows * (rows - ddof)),
        )
    deviation = unit * variance_deviation(float(found.value) / unit, rows)
    return replace(found, sampling=SampledUnits.of(question).differ(deviation))


def moved_pairs(rows: int, moved: int) -> int:
    """How many pairs of rows have at least one of `moved` rows in them."""
    most = min(moved, rows)
    return most * (rows - most) + most * (most - 1) // 2


def in_moves(total: int, move: int) -> float:
    """Return a whole number in multiples of the farthest it can move, rounded to 2^-24.

    Proof: rounding is monotone and commutes with whole steps, and a move is 2^24 of them; so rounded numbers are also
        at most one move apart (`Lattice.widened`).
    """
    return float(Fraction(math.floor(Fraction(total * 2**BITS, move) + Fraction(1, 2)), 2**BITS))


def _spread(arrays: Arrays, row_map: RowMap) -> int:
    """The sum of squared differences over all pairs, in squared steps."""
    steps, squares = lattice_sums(arrays, (row_map,), _weigh, chunk=SQUARES)
    return len(arrays[0]) * squares - steps * steps


def _weigh(steps: Floats) -> tuple[float, float]:
    return float(steps.sum()), float(np.dot(steps, steps))
