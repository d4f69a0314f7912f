"""Quantile ends: the interval that was drawn with a quantile, also where the answer shows it scaled or as a date."""

from collections.abc import Sequence

import numpy as np

from privet.query.answering.released_table import ReleasedTable
from privet.query.functions.moments import as_moment
from privet.query.functions.weighted_sum import WeightedSum, weighted_sum
from privet.query.measures.noise_margin import Floats
from privet.query.measures.readings import Quantile, Reading
from privet.query.scalars.expressions import Expression, facts_of
from privet.query.scalars.facts import Type

MOMENTS = {Type.DATE, Type.TIMESTAMP}
QUANTILE = "what the rank of a quantile is off by in value depends on the data"
PAID = f"{QUANTILE}; ask with quantile_intervals to pay for one"
COMPUTED = "a quantile has an interval by itself, times a number or plus one; not in what else is computed from it"


def quantile_ends(released: ReleasedTable, expression: Expression) -> tuple[Floats, Floats] | None:
    """The ends of an expression that is a quantile with an interval, times a number and plus one; else None."""
    found = _shown(released, expression)
    if found is None:
        return None
    ((column, weight),) = found.weights.items()
    reading = released.readings[column]
    ends = reading.ends(released.numbers[reading.draw]) if isinstance(reading, Quantile) else None
    if ends is None:
        return None
    one, other = (found.constant + weight * end for end in ends)
    return np.minimum(one, other), np.maximum(one, other)


def why_no_ends(released: ReleasedTable, expression: Expression, readings: Sequence[Reading]) -> str:
    """Why an expression has no interval because of the quantiles among its readings; "" if they do not stop it."""
    quantiles = [each for each in readings if isinstance(each, Quantile)]
    if not quantiles:
        return ""
    simple = _shown(released, expression) is not None
    if not all(each.drawn_ends for each in quantiles):
        return PAID if simple else QUANTILE
    return "" if simple else COMPUTED


def _shown(released: ReleasedTable, expression: Expression) -> WeightedSum | None:
    """What an expression is of a single released column, a date or timestamp in days or seconds since 1970."""
    found = weighted_sum(expression)
    if found is None:
        kind = facts_of(expression).type
        quantiles = [each.column for each in released.stage.needs.readings if isinstance(each, Quantile)]
        same = [each for each in quantiles if kind in MOMENTS and as_moment(each, kind) == expression]
        found = WeightedSum(0.0, dict.fromkeys(same, 1.0))
    single = len(found.weights) == 1 and found.weights.keys() <= released.readings.keys()
    return found if single else None
