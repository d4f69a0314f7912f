"""total: the sum of a column, each value clipped to bounds."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity
from privet.core.like_its_value import Sampling
from privet.postprocessing.sampling import mean_deviation, sum_of_squares
from privet.stats.sampled_units import SIGNED, SampledUnits
from privet.stats.sums.lattice_sums import BITS, Floats, RowMap, lattice_sums, signed_map, unit_map


@called_as("total(ages, bounds=(0, 110), epsilon=1)")
def total(values: Any, *, bounds: Any, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return the sum of the values, each clipped to the bounds.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is in the values' unit.

    Privacy: one row moves the sum by at most max(|low|, |high|) if units are added or removed, high - low if they are
        replaced, and max(high, 0) - min(low, 0) if they are replaced and values may be missing.
    Proof: rows are rounded one by one to a lattice whose clipped range is exactly that wide, see `RowMap`.

    Example:
        >>> answer = total([52_000, 187_000, 20_500], bounds=(20_000, 200_000), epsilon=1)
        >>> answer.mechanism
        '200000 × Staircase(sensitivity=1, epsilon=1)'
    """
    declared = Bounds.of(bounds)
    question = Question.of("total", (values,), asking)
    fill = question.fill(declared)
    offset = Fraction(0)
    if question.public_rows:
        reach = declared.width
        offset = declared.low * question.length
        row_map = unit_map(declared, fill)
    else:
        reach = (
            max(declared.high, Fraction(0)) - min(declared.low, Fraction(0)) if question.replaces else declared.largest
        )
        row_map = signed_map(declared, fill, reach=reach)
    moves = Sensitivity(question.rows)
    released = question.release(lambda arrays: _sum(arrays, row_map), moves, unit=reach, offset=offset)
    released = replace(released, sampling=_sampling(question, declared, float(released.value)))
    return question.noted(released) if reach > declared.width else released


def _sampling(question: Question, bounds: Bounds, value: float) -> Sampling:
    """Of a public number of rows from their mean; else from the squares, which a sum of one sign bounds."""
    units, rows = SampledUnits.of(question), question.length if question.public_rows else 0
    if rows:
        share = (value / rows - float(bounds.low)) / float(bounds.width)
        return units.differ(rows * float(bounds.width) * mean_deviation(share, rows))
    if bounds.low < 0 < bounds.high:
        return SIGNED
    size = float(bounds.largest)
    return units.differ(size * math.sqrt(sum_of_squares(abs(value) / size, 1)))


def _sum(arrays: Arrays, row_map: RowMap) -> float:
    (steps,) = lattice_sums(arrays, (row_map,), _weigh)
    return float(Fraction(steps, 2**BITS))


def _weigh(steps: Floats) -> tuple[float]:
    return (float(steps.sum()),)
