"""Sums of a column whose bounds are found first: how its price is divided, and what is said of what was found."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.auto_bounds import AutoBounds
from privet.asking.best_noise import best_noise
from privet.asking.bounds import Bounds
from privet.asking.budget import Budget
from privet.asking.choice_price import choice_at
from privet.asking.price import Price, refuse_unforeseen
from privet.asking.question import Arrays, Question
from privet.asking.within_found_bounds import WithinFoundBounds, count_moves, read_found
from privet.core import Mechanism, Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from privet.mechanisms.interval_quantile import IntervalQuantile
from privet.postprocessing.bounds_search import SHARES, FoundBounds

MISSED = (
    "no bounds were found, so values were clipped to [{low:g}, {high:g}]: with so few rows declare bounds, or a scale"
)
FOUND = (
    "clipped to the bounds found, [{low:.10g}, {high:.10g}]: at most {share:.2g} % of rows lie beyond (at 95 %), "
    "nobody knows how far, and the margin is about the clipped values"
)


@dataclass(frozen=True)
class FoundSums:
    """Released sums of values clipped to bounds that were found.

    Args:
        release: of everything.
        bounds: that were found, or stand for them.
        sums: in multiples of what `noise` is for.
        noise: that was added to them.
    """

    release: Release[Any]
    bounds: Bounds
    sums: list[float]
    noise: Mechanism[Any, Any]


def sums_in_found_bounds(
    question: Question, auto: AutoBounds, sensitivity: Sensitivity, weigh: Callable[[Arrays, Bounds], Any]
) -> FoundSums:
    """Charge, find bounds, and release sums within them.

    Args:
        question: of one column.
        auto: what is spent on bounds, and what is known of them.
        sensitivity: how far one unit moves the sums, whatever the bounds are.
        weigh: the sums.
    """
    budget = _budget(question)
    noise = best_noise(_part(budget, 1 - auto.share), sensitivity)
    moves = count_moves(question.rows, question.changes)
    first, middle, second = (_part(budget, auto.share * share) for share in SHARES)
    mechanism = WithinFoundBounds(
        question.statistic,
        question.rows,
        question.changes,
        _counting(first, moves),
        _choosing(middle, question.changes),
        _counting(second, moves),
        noise,
        auto.expected,
        lambda column, bounds: weigh((column,), bounds),
        budget.promise if isinstance(noise, Gaussian) and isinstance(budget.promise, Guarantee) else None,
    )
    release = question.release_by(mechanism, lambda arrays: _filled(arrays[0], question.missing), moves)
    found, bounds, sums = read_found(release.value)
    return FoundSums(_noted(release, found, bounds), bounds, sums.tolist(), noise)


def _noted(release: Release[Any], found: FoundBounds, bounds: Bounds) -> Release[Any]:
    ends = {"low": float(bounds.low), "high": float(bounds.high)}
    note = MISSED if found.ends is None else FOUND
    return replace(release, note=note.format(**ends, share=100 * found.largest_clipped_share))


def _budget(question: Question) -> Budget:
    refuse_unforeseen(question.price, f"{question.statistic} within bounds that are found")
    if question.price.budget is None:
        raise InvalidParameter(
            'bounds="auto" divides a price among the steps that find bounds and the answer, so a ready mechanism does '
            "not go with it: say epsilon, or declare bounds"
        )
    return question.price.budget


def _part(budget: Budget, share: Fraction) -> Budget:
    """A share of a budget; the steps that find bounds are pure, so all of δ is the answer's."""
    promise = budget.promise
    if isinstance(promise, Guarantee):
        return Budget(Guarantee(promise.epsilon * share, promise.delta))
    return Budget.of(rho=promise.rho * share)


def _counting(budget: Budget, moves: Sensitivity) -> DiscreteLaplace | DiscreteGaussian:
    if budget.rho is not None:
        return DiscreteGaussian.calibrated(rho=budget.rho, sensitivity=moves)
    return DiscreteLaplace.calibrated(epsilon=budget.epsilon or 1, sensitivity=moves)


def _choosing(budget: Budget, moved: int) -> Fraction:
    """The ε of a median."""
    half = Fraction(moved, 2)

    def median(epsilon: Fraction, _: Guarantee | None) -> IntervalQuantile:
        return IntervalQuantile("0.5", bounds=(0, 1), score_sensitivity=half, epsilon=epsilon)

    return choice_at(Price(budget), IntervalQuantile, median, parts=1, sensitivity=Sensitivity(half)).epsilon


def _filled(column: NDArray[Any], missing: Fraction | str) -> NDArray[Any]:
    """A missing value counts as the number that the caller said, if that is one."""
    if isinstance(missing, str) or column.dtype.kind != "f":
        return column
    return np.where(np.isnan(column), float(missing), column)
