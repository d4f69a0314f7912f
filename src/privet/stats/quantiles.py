"""quantiles: several quantiles for one price."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Unpack

from privet.core import Sensitivity
from privet.loss import Guarantee
from privet.loss.exact import Exact
from privet.mechanisms.halving_quantiles import HalvingQuantiles, increasing
from privet.stats.asking import Asking
from privet.stats.bounds import Bounds
from privet.stats.choice_price import choice_at
from privet.stats.quantile import filled, points_between
from privet.stats.quantile_release import QuantileRelease
from privet.stats.question import Question


def quantiles(
    values: Any,  # noqa: ANN401 - any column
    qs: Iterable[Exact],
    *,
    bounds: Any,  # noqa: ANN401 - a pair
    step: Exact | None = None,
    **asking: Unpack[Asking],
) -> QuantileRelease[Any]:
    """Return several quantiles at once, in order, for one price.

    Args:
        values: a column of numbers.
        qs: in [0, 1], increasing.
        bounds: (low, high), public; values beyond are clipped to them.
        step: as in `quantile`; 1 for whole numbers.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism, a `HalvingQuantiles`), ledger, purpose,
            key, neighbors, unit, unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: m quantiles share the price among floor(log2(m)) + 1 levels, not among m questions: see `HalvingQuantiles`.

    Example:
        >>> answer = quantiles([31, 44, 47, 68], [0.25, 0.5, 0.75], bounds=(0, 120), epsilon=1)
        >>> answer.value.shape, answer.mechanism
        ((3,), 'HalvingQuantiles([0.25, 0.5, 0.75], bounds=(0, 120), rows=1, epsilon=1)')
    """
    declared, wanted = Bounds.of(bounds), increasing(qs)
    points = points_between(declared, step)
    question = Question.of("quantiles", (values,), asking)
    sensitivity = Sensitivity(1, cells=question.changes)

    def make(epsilon: Fraction, promise: Guarantee | None) -> HalvingQuantiles:
        return HalvingQuantiles(
            wanted,
            bounds=(declared.low, declared.high),
            rows=question.changes,
            epsilon=epsilon,
            points=points,
            promise=promise,
        )

    levels = len(wanted).bit_length()
    chosen = choice_at(question.price, HalvingQuantiles, make, parts=levels, sensitivity=sensitivity)
    return QuantileRelease.of(question.release_by(chosen, filled(question, declared), sensitivity), chosen)
