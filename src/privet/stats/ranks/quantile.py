"""quantile, median, minimum, maximum: points that are chosen by their rank."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.choice_price import choice_at
from privet.asking.price import Price
from privet.asking.question import Arrays, Question
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import Exact, exact_within
from privet.mechanisms.interval_quantile import IntervalQuantile
from privet.mechanisms.point_quantile import PointQuantile
from privet.stats.ranks.quantile_release import QuantileRelease
from privet.stats.ranks.rank_scale import RankScale, Scale

INSIDE = 14  # ln of a million: how sure an extreme is not to be drawn from the empty end of the bounds


@called_as("quantile(ages, 0.9, bounds=(0, 110), epsilon=1)")
def quantile(
    values: Any,  # noqa: ANN401 - any column
    q: Exact,
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    scale: Scale = "linear",
    **asking: Unpack[Asking],
) -> QuantileRelease[float]:
    """Return a point that about a share q of the values lies below.

    Args:
        values: a column of numbers.
        q: in [0, 1]; for 0 and 1 take `minimum` and `maximum`, which stay inside the data.
        bounds: (low, high), public; values beyond are clipped to them. Wide bounds cost little: ten times wider ones
            add 2.3 / rate ranks to the error, with rate = ε / (2 max(q, 1-q)).
        step: answers and values are rounded to low, low + step, …. By default 1 for a column whose type is of whole
            numbers, between whole bounds, else a part in 2^32 of the bounds. A list has no type, and the type of a
            pandas column may depend on one row: for whole numbers in them, such as ages, say 1.
        scale: "log" if values may differ by powers of ten, such as incomes between 0 and 10^9: points then lie equally
            far apart in their logarithm, 2^20 to a doubling, on both sides of zero, so far fewer of them lie in the
            empty part of wide bounds (`RankScale`). Answers are rounded to a part in 2^20 of their size.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism, an `IntervalQuantile`), ledger, purpose,
            key, neighbors, unit, unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: ε-DP by the exponential mechanism on all points between the bounds, or by permute-and-flip where a `step`
        leaves no more than 2^14 of them and ε is what is counted: see `IntervalQuantile`, where it is proved that one
        row moves no score by more than max(q, 1-q) if units come and go, and by 1 if they are replaced.

    Example:
        >>> answer = quantile([31, 44, 47, 68], 0.9, bounds=(0, 120), step=1, epsilon=1)
        >>> answer.mechanism
        'PointQuantile(0.9, bounds=(0, 120), points=120, score_sensitivity=0.9, epsilon=1)'
        >>> round(answer.rank_margin(0.95), 1)
        14.0
    """
    wanted = exact_within(q, "q", low=0, high=1)
    return _chosen("quantile", values, wanted, RankScale.of(Bounds.of(bounds), step, scale), asking)


@called_as("median(ages, bounds=(0, 110), epsilon=1)")
def median(
    values: Any,  # noqa: ANN401 - any column
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    scale: Scale = "linear",
    **asking: Unpack[Asking],
) -> QuantileRelease[float]:
    """Return a point that about half of the values lie below: `quantile` at 1/2, where it is most exact.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        step: as in `quantile`.
        scale: as in `quantile`; "log" for wide bounds.
        **asking: see `Asking`: epsilon, delta, rho, mechanism, ledger, purpose, key, neighbors, unit, unit_ids,
            rows_per_unit, times, window, rows_per_time, missing.

    Privacy: as `quantile`: one row moves a score by at most 1/2 (1 if units are replaced).

    Example:
        >>> answer = median(range(1, 1000), bounds=(0, 10_000), epsilon=1)
        >>> 400 < answer.value < 600
        True
    """
    return _chosen("median", values, Fraction(1, 2), RankScale.of(Bounds.of(bounds), step, scale), asking)


@called_as("minimum(ages, bounds=(0, 110), epsilon=1)")
def minimum(
    values: Any,  # noqa: ANN401 - any column
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    scale: Scale = "linear",
    **asking: Unpack[Asking],
) -> QuantileRelease[float]:
    """Return a low quantile of the values, as near to the smallest as the price allows.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        step: as in `quantile`.
        scale: as in `quantile`; "log" for wide bounds.
        **asking: see `Asking`: epsilon, delta, rho, mechanism, ledger, purpose, key, neighbors, unit, unit_ids,
            rows_per_unit, times, window, rows_per_time, missing.

    Privacy: as `quantile` at 0: one row moves a score by at most 1. Nobody's own value is released, and no mechanism
        can find the very smallest value. The target is the value of rank 14 / rate (28 rows inside at ε = 1), or the
        median if there are fewer rows: at rank 0 the answer would be drawn from the empty part of the bounds below
        the data. The number of ranks depends on the price only.

    Example:
        >>> minimum([31, 44, 47, 68], bounds=(0, 120), epsilon=2).mechanism
        'IntervalQuantile(0, bounds=(0, 120), offset=14, score_sensitivity=1, epsilon=2)'
    """
    chosen = RankScale.of(Bounds.of(bounds), step, scale)
    return _chosen("minimum, as a low quantile", values, Fraction(0), chosen, asking, inside=1)


@called_as("maximum(ages, bounds=(0, 110), epsilon=1)")
def maximum(
    values: Any,  # noqa: ANN401 - any column
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    scale: Scale = "linear",
    **asking: Unpack[Asking],
) -> QuantileRelease[float]:
    """Return a high quantile of the values, as near to the largest as the price allows.

    Args:
        values: a column of numbers.
        bounds: (low, high), public.
        step: as in `quantile`.
        scale: as in `quantile`; "log" for wide bounds.
        **asking: see `Asking`: epsilon, delta, rho, mechanism, ledger, purpose, key, neighbors, unit, unit_ids,
            rows_per_unit, times, window, rows_per_time, missing.

    Privacy: as `minimum`, from the other end.

    Example:
        >>> maximum([31, 44, 47, 68], bounds=(0, 120), epsilon=2).purpose
        'maximum, as a high quantile'
    """
    chosen = RankScale.of(Bounds.of(bounds), step, scale)
    return _chosen("maximum, as a high quantile", values, Fraction(1), chosen, asking, inside=-1)


def _chosen(  # noqa: PLR0913 - one place for four statistics
    name: str,
    values: Any,  # noqa: ANN401 - any column
    q: Fraction,
    scale: RankScale,
    asking: Asking,
    *,
    inside: int = 0,
) -> QuantileRelease[float]:
    question = Question.of(name, (values,), asking)
    scale = scale.for_column(question)
    sensitivity = rank_moves(question, q)

    def make(epsilon: Fraction, _: Guarantee | None) -> IntervalQuantile:
        among_all = IntervalQuantile(
            q,
            bounds=(scale.low, scale.high),
            score_sensitivity=sensitivity.linf,
            epsilon=epsilon,
            points=scale.points,
            offset=inside * math.ceil(INSIDE * 2 * sensitivity.linf / epsilon),
        )
        return among_few(among_all) if question.counts_epsilon else among_all

    def chosen_at(price: Price) -> IntervalQuantile:
        return choice_at(price, IntervalQuantile, make, parts=1, sensitivity=sensitivity)

    confidence = question.price.confidence
    question = question.as_sure_as_wanted(lambda price: chosen_at(price).rank_margin(confidence))
    chosen = chosen_at(question.price)
    _refuse_another(chosen, q, scale)
    released = question.release_by(chosen, scale.placed(filled(question, scale.bounds)), sensitivity)
    return scale.read(QuantileRelease.of(released, chosen))


def among_few(mechanism: IntervalQuantile) -> IntervalQuantile:
    """Return the mechanism that looks at each point, if they are few: it errs less, but costs more where ρ counts."""
    if not PointQuantile.suits(mechanism):
        return mechanism
    return PointQuantile(
        mechanism.quantile,
        bounds=mechanism.bounds,
        score_sensitivity=mechanism.score_sensitivity,
        epsilon=mechanism.epsilon,
        points=mechanism.points,
        offset=mechanism.offset,
    )


def rank_moves(question: Question, q: Fraction) -> Sensitivity:
    """Return how far one unit moves the rank of a point against the quantile's, in rows."""
    return Sensitivity(question.rows if question.replaces else question.rows * max(q, 1 - q))


def filled(question: Question, bounds: Bounds) -> Callable[[Arrays], NDArray[Any]]:
    """Return what puts a number in place of missing values, where the caller asked for that."""
    fill = question.fill(bounds)
    if fill is None:
        return lambda arrays: arrays[0]
    number = float(fill)

    def compute(arrays: Arrays) -> NDArray[Any]:
        values = arrays[0]
        return np.where(np.isnan(values), number, values) if values.dtype.kind == "f" else values

    return compute


def _refuse_another(mechanism: IntervalQuantile, q: Fraction, scale: RankScale) -> None:
    """Raise if the caller's own mechanism was made for another quantile or other bounds."""
    if mechanism.quantile != q or mechanism.bounds != (scale.low, scale.high):
        raise InvalidParameter(f"{mechanism!r} was made for another quantile or other bounds than asked for")
