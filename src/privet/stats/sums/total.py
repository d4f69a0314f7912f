"""total: the sum of a column, each value clipped to bounds."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

from privet.asking.asking import Asking
from privet.asking.auto_bounds import AutoBounds
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.question import Arrays, Question
from privet.asking.scaled import Scaled
from privet.core import Release, Sensitivity
from privet.core.like_its_value import Sampling
from privet.postprocessing.sampling import mean_deviation, sum_of_squares
from privet.stats.sampled_units import SIGNED, SampledUnits
from privet.stats.sums.found_bounds import sums_in_found_bounds
from privet.stats.sums.lattice_sums import BITS, Floats, RowMap, lattice_sums, signed_map, unit_map


@called_as("total(ages, bounds=(0, 110), epsilon=1)")
def total(values: Any, *, bounds: Any, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return the sum of the values, each clipped to the bounds.

    Args:
        values: a column of numbers.
        bounds: (low, high), public; or "auto", or an `AutoBounds`, to have them found with a share of the price.
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
    declared = AutoBounds.asked(bounds) or Bounds.of(bounds)
    question = Question.of("total", (values,), asking)
    moves = Sensitivity(question.rows)
    if isinstance(declared, AutoBounds):
        return _total_in_found_bounds(question, declared, moves)
    row_map, reach = _map(question, declared), _reach(question, declared)
    offset = _offset(question, declared)
    released = question.release(lambda arrays: _sum(arrays, row_map), moves, unit=reach, offset=offset)
    released = replace(released, sampling=_sampling(question, declared, float(released.value)))
    return question.noted(released) if reach > declared.width else released


def _total_in_found_bounds(question: Question, auto: AutoBounds, moves: Sensitivity) -> Release[Any]:
    found = sums_in_found_bounds(question, auto, moves, lambda arrays, within: _sum(arrays, _map(question, within)))
    within = found.bounds
    scaled = Scaled(found.noise, factor=_reach(question, within), offset=_offset(question, within))
    value = float(scaled.factor) * found.sums[0] + float(scaled.offset)
    sampling = _sampling(question, within, value)
    return replace(found.release, value=value, uncertainty=scaled.uncertainty, sampling=sampling)


def _reach(question: Question, bounds: Bounds) -> Fraction:
    """How far one row moves the sum."""
    if question.public_rows:
        return bounds.width
    zero = Fraction(0)
    return max(bounds.high, zero) - min(bounds.low, zero) if question.replaces else bounds.largest


def _offset(question: Question, bounds: Bounds) -> Fraction:
    """What is known of the sum, if the number of rows is public."""
    return bounds.low * question.length if question.public_rows else Fraction(0)


def _map(question: Question, bounds: Bounds) -> RowMap:
    """Of values to parts of the reach."""
    fill = question.fill(bounds)
    return unit_map(bounds, fill) if question.public_rows else signed_map(bounds, fill, reach=_reach(question, bounds))


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
