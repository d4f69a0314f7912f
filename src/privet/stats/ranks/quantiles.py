"""quantiles, quantile_interval: several quantiles for one price."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.choice_price import choice_at
from privet.asking.price import Price
from privet.asking.question import Question
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import Exact, exact_within
from privet.mechanisms.halving_quantiles import HalvingQuantiles, increasing
from privet.mechanisms.quantile_interval import FEW_POINTS, QuantileInterval
from privet.stats.ranks.quantile import filled, rank_moves
from privet.stats.ranks.quantile_release import QuantileRelease
from privet.stats.ranks.rank_scale import RankScale, Scale


@called_as("quantiles(ages, [0.25, 0.5, 0.75], bounds=(0, 110), epsilon=1)")
def quantiles(
    values: Any,  # noqa: ANN401 - any column
    qs: Iterable[Exact],
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    scale: Scale = "linear",
    **asking: Unpack[Asking],
) -> QuantileRelease[Any]:
    """Return several quantiles at once, in order, for one price.

    Args:
        values: a column of numbers.
        qs: in [0, 1], increasing.
        bounds: (low, high), public; values beyond are clipped to them.
        step: as in `quantile`.
        scale: as in `quantile`; "log" for wide bounds.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism, a `HalvingQuantiles`), ledger, purpose,
            key, neighbors, unit, unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: m quantiles share the price among floor(log2(m)) + 1 levels, not among m questions: see `HalvingQuantiles`.

    Example:
        >>> answer = quantiles([31, 44, 47, 68], [0.25, 0.5, 0.75], bounds=(0, 120), epsilon=1)
        >>> answer.value.shape, answer.mechanism
        ((3,), 'HalvingQuantiles([0.25, 0.5, 0.75], bounds=(0, 120), rows=1, epsilon=1)')
    """
    ranked = RankScale.of(Bounds.of(bounds), step, scale)
    wanted = increasing(qs)
    question = Question.of("quantiles", (values,), asking)
    ranked = ranked.for_column(question)
    sensitivity = Sensitivity(1, cells=question.changes)

    def make(epsilon: Fraction, promise: Guarantee | None) -> HalvingQuantiles:
        return HalvingQuantiles(
            wanted,
            bounds=(ranked.low, ranked.high),
            rows=question.changes,
            epsilon=epsilon,
            points=ranked.points,
            promise=promise,
        )

    levels = len(wanted).bit_length()

    def chosen_at(price: Price) -> HalvingQuantiles:
        return choice_at(price, HalvingQuantiles, make, parts=levels, sensitivity=sensitivity)

    confidence = question.price.confidence
    question = question.as_sure_as_wanted(lambda price: chosen_at(price).rank_margin(confidence))
    chosen = chosen_at(question.price)
    released = question.release_by(chosen, ranked.placed(filled(question, ranked.bounds)), sensitivity)
    return ranked.read(QuantileRelease.of(released, chosen))


@called_as("quantile_interval(ages, 0.5, bounds=(0, 110), epsilon=1)")
def quantile_interval(
    values: Any,  # noqa: ANN401 - any column
    q: Exact,
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    scale: Scale = "linear",
    **asking: Unpack[Asking],
) -> Release[Any]:
    """Return two points between which the quantile of the data lies with at least this confidence.

    Args:
        values: a column of numbers.
        q: in (0, 1); the median's is 0.5.
        bounds: (low, high), public; values beyond are clipped to them.
        confidence: in (0, 1), over the noise. It is a bound: intervals hold more often, and are about twice as wide as
            need be. It holds if about 50 max(q, 1-q) / ε rows lie on either side of the quantile.
        step: the interval is then for the values rounded to low, low + step, …. By default it is for the values as they
            are: on 2^16 steps, by half of which the ends are moved outward; or, of a column whose type is of whole
            numbers between whole bounds no more than 2^16 apart, on these (a list has no such type, and pandas
            columns count as real). For bounds that are a thousand times as wide as the values say a finer one.
        scale: as in `quantile`; "log" for wide bounds.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism, a `QuantileInterval`), ledger, purpose,
            key, neighbors, unit, unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: two quantiles, each at half the price: see `QuantileInterval`. The quantile itself is not in the price; the
        middle of the interval is a guess that costs nothing more.

    Example:
        >>> answer = quantile_interval(range(1000), 0.5, bounds=(0, 10_000), epsilon=1)
        >>> bool(answer.value[0] < 500 < answer.value[1])
        True
    """
    ranked = RankScale.of(Bounds.of(bounds), step, scale)
    confidence = asking.pop("confidence", 0.95)
    wanted = exact_within(q, "q", low=0, high=1)
    if wanted in {0, 1}:
        raise InvalidParameter("q must lie between 0 and 1, both excluded: nothing private lies beyond an extreme")
    question = Question.of("interval of a quantile", (values,), asking)
    sensitivity = rank_moves(question, wanted)
    ranked = ranked.for_column(question)
    on_points = ranked.as_said or ranked.points <= FEW_POINTS
    ranked = ranked if on_points else replace(ranked, points=FEW_POINTS)

    def make(epsilon: Fraction, promise: Guarantee | None) -> QuantileInterval:
        return QuantileInterval(
            wanted,
            bounds=(ranked.low, ranked.high),
            score_sensitivity=sensitivity.linf,
            epsilon=epsilon,
            confidence=confidence,
            points=ranked.points,
            on_points=on_points,
            promise=promise,
        )

    chosen = choice_at(question.price, QuantileInterval, make, parts=2, sensitivity=sensitivity)
    return ranked.read(question.release_by(chosen, ranked.placed(filled(question, ranked.bounds)), sensitivity))
