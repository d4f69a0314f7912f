"""mean: the average of a column, each value clipped to bounds."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from privet.asking.asking import Asking
from privet.asking.auto_bounds import AutoBounds
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.price import Price
from privet.asking.question import Arrays, Question
from privet.asking.scaled import Scaled
from privet.core import Release, Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.postprocessing.sampling import mean_deviation
from privet.stats.sampled_units import SampledUnits, rows_at_least
from privet.stats.sums.found_bounds import sums_in_found_bounds
from privet.stats.sums.lattice_sums import BITS, CHUNK, Floats, RowMap, in_rows, lattice_sums, unit_map
from privet.stats.sums.linear_error import RatioError

ONE = 2**BITS
ONES = np.ones(CHUNK)


@called_as("mean(ages, bounds=(0, 110), epsilon=1)")
def mean(values: Any, *, bounds: Any, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return the average of the values, each clipped to the bounds.

    Args:
        values: a column of numbers.
        bounds: (low, high), public; or "auto", or an `AutoBounds`, to have them found with a share of the price.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A ready `mechanism` is in the values' unit
            if the number of rows is public, else for the two sums of weights described below.

    Privacy: if the number of rows n is public (see `Asking`), one number is released, which one row moves by at most
        (high - low)/n. Else two: with u = (x - low)/(high - low), the sums A of u and B of 1 - u. The mean is
        low + (high - low) A/(A + B).
    Proof: a row adds (u, 1 - u), whose two parts are not negative and add up to one: both sums together move by one
        row in L1, as one count would. Nothing is split between a sum and a count.

    Example:
        >>> import numpy as np
        >>> salaries = np.array([52_000, 187_000, 20_500, 61_000])
        >>> mean(salaries, bounds=(20_000, 200_000), epsilon=1, neighbors="replace").mechanism
        '20000 + 45000 × Staircase(sensitivity=1, epsilon=1)'
        >>> mean(salaries, bounds=(20_000, 200_000), epsilon=1).mechanism
        'Laplace(l1_sensitivity=1, scale=1)'
    """
    declared = AutoBounds.asked(bounds) or Bounds.of(bounds)
    question = Question.of("mean", (values,), asking)
    if isinstance(declared, AutoBounds):
        return _mean_in_found_bounds(question, declared)
    return mean_of(question, declared)


def _mean_in_found_bounds(question: Question, auto: AutoBounds) -> Release[Any]:
    if not question.public_rows:
        moves = shares_sensitivity(question, cells=2)
        found = sums_in_found_bounds(
            question, auto, moves, lambda arrays, within: _two_sums(arrays, unit_map(within, question.fill(within)))
        )
        released = replace(found.release, value=found.sums, uncertainty=found.noise.uncertainty)
        return _read_two_sums(question, found.bounds, released)
    _refuse_empty(question)
    found = sums_in_found_bounds(
        question,
        auto,
        Sensitivity(question.rows),
        lambda arrays, within: lattice_sums(arrays, (unit_map(within, question.fill(within)),), _sum)[0] / ONE,
    )
    within, length = found.bounds, question.length
    scaled = Scaled(found.noise, factor=within.width / length, offset=within.low, rounding=within.width / (2 * ONE))
    mean = float(within.low) + float(within.width) * found.sums[0] / length
    return _with_sampling(question, within, replace(found.release, value=mean, uncertainty=scaled.uncertainty))


def _refuse_empty(question: Question) -> None:
    if not question.length:
        raise InvalidParameter(f"{question.statistic} needs at least one row, got an empty column")


def mean_of(question: Question, bounds: Bounds) -> Release[Any]:
    """Return the answer to a question about a mean."""
    row_map = unit_map(bounds, question.fill(bounds))
    if not question.public_rows:
        return question.noted(_mean_of_two_sums(question, bounds, row_map))
    _refuse_empty(question)
    found = question.release(
        lambda arrays: lattice_sums(arrays, (row_map,), _sum)[0] / ONE,
        Sensitivity(question.rows),
        unit=bounds.width / question.length,
        offset=bounds.low,
        rounding=bounds.width / (2 * ONE),
    )
    return _with_sampling(question, bounds, found)


def _with_sampling(question: Question, bounds: Bounds, found: Release[Any]) -> Release[Any]:
    """With how far samples differ, of a public number of rows."""
    width = float(bounds.width)
    share = (float(found.value) - float(bounds.low)) / width
    deviation = width * mean_deviation(share, question.length)
    return replace(found, sampling=SampledUnits.of(question).differ(deviation))


def _mean_of_two_sums(question: Question, bounds: Bounds, row_map: RowMap) -> Release[Any]:
    sensitivity = shares_sensitivity(question, cells=2)
    width = float(bounds.width)

    def worst_margin(price: Price) -> float:
        """The largest for any mean of so many rows."""
        noise, rows = question.at(price).noise(sensitivity).uncertainty, question.price.rows
        if rows is None:
            raise InvalidParameter(
                f"how far {question.statistic} errs depends on how many rows there are: say how many you expect, such "
                "as rows=1000"
            )
        confidence = question.price.confidence
        return math.inf if noise is None else RatioError(noise, (1.0, 0.0), 0.0, float(rows), width).margin(confidence)

    priced = question.as_sure_as_wanted(worst_margin)
    mechanism = priced.noise(sensitivity)
    released = priced.release_by(mechanism, lambda arrays: _two_sums(arrays, row_map), sensitivity)
    return _read_two_sums(question, bounds, released)


def _read_two_sums(question: Question, bounds: Bounds, released: Release[Any]) -> Release[Any]:
    """The mean, from the released sums of shares."""
    width, low = float(bounds.width), float(bounds.low)
    top, rest = (float(each) for each in released.value)
    share = clipped_share(top, top + rest)
    error = released.uncertainty and RatioError(
        released.uncertainty, (1.0, 0.0), share, top + rest, width, float(bounds.width / (2 * ONE))
    )
    least = rows_at_least(top + rest, released.uncertainty, 2) if released.uncertainty else 0.0
    sampling = SampledUnits.of(question).differ(width * mean_deviation(share, least))
    return released.map(lambda _: low + width * share, uncertainty=error, sampling=sampling)


def shares_sensitivity(question: Question, *, cells: int) -> Sensitivity:
    """How far one unit moves several sums to which each row adds shares of one: not negative, adding up to one.

    Proof: a row is a point of the simplex, at most 1 long in L1 and L2; two such points are at most 2 apart in L1 and
        √2 in L2, and no coordinate by more than 1. Rows add up by the triangle inequality.
    """
    rows = question.rows
    if question.replaces:
        return Sensitivity(rows, cells=cells, l1=2 * rows, l2=root_above(Fraction(2 * rows * rows)))
    return Sensitivity(rows, cells=cells, l1=rows, l2=rows)


def clipped_share(top: float, count: float) -> float:
    """A share between 0 and 1; a half if the count is too small to say."""
    return min(max(top / count, 0.0), 1.0) if count > 0 else 0.5


def _two_sums(arrays: Arrays, row_map: RowMap) -> Floats:
    steps, rows = lattice_sums(arrays, (row_map,), _sum_and_rows)
    return in_rows([steps, rows * ONE - steps])


def _sum(steps: Floats) -> tuple[float]:
    return (float(steps @ ONES[: len(steps)]),)  # exact in any order, and faster than a sum


def _sum_and_rows(steps: Floats) -> tuple[float, float]:
    return float(steps @ ONES[: len(steps)]), float(len(steps))
