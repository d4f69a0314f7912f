"""Foreseen margins: how sure a column will be, from public numbers, before anything is spent."""

from fractions import Fraction

import numpy as np

from privet.mechanisms import PartitionCounts
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.aggregates.needs import Needs
from privet.query.measures.noise_margin import Noise, noise_margin
from privet.query.measures.ratio_interval import fieller
from privet.query.measures.readings import Average, Linear, Reading
from privet.query.pricing.priced import Drawn

NODES = 65  # shares at which the margin of an average is looked at
WIDER = 1.002  # by which an average's interval is wider at most, because its ends lie on a grid


def foreseen_margin(  # noqa: PLR0913 - the public numbers that it depends on
    needs: Needs,
    reading: Reading,
    mechanism: Drawn,
    confidence: float,
    *,
    rows: int | None = None,
    value: Fraction | None = None,
) -> float | None:
    """The margin of one released column; None where public numbers do not tell it.

    Args:
        needs: of its stage.
        reading: of the column.
        mechanism: of its draw.
        confidence: of the margin.
        rows: how many rows count in a group, as expected: the margin of an average depends on it.
        value: what the average is expected to be; without it the margin is the largest for any average.

    Of counts and sums, and in rows of the rank of a quantile, it is what the answer will say. Proof for averages: with
        the exact share p of the way between the bounds, the interval holds the shares whose distance from the released
        one, times the released number of rows, is at most M, the margin of a weighted sum of noises; M is largest at an
        end of the bounds. So with n rows half its length is at most the distance of the bounds × M / n.
    """
    draw = needs.draws[reading.draw]
    if needs.aggregate.limits.automatic or isinstance(mechanism, CapChoice):
        return None  # noise is set when the limit is found
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        return float(mechanism.rank_margin(confidence) / needs.request_of(draw).part)
    noise = mechanism.noise if isinstance(mechanism, PartitionCounts) else mechanism
    if isinstance(reading, Linear):
        return reading.margin(noise, confidence)
    if isinstance(reading, Average) and rows is not None:
        return _of_average(reading, draw.measure.cells, noise, confidence, rows, value)
    return None


def _of_average(  # noqa: PLR0913, PLR0917 - the public numbers that it depends on
    reading: Average, cells: int, noise: Noise, confidence: float, rows: int, value: Fraction | None
) -> float:
    low, high = reading.bounds
    size = float(reading.span.steps) ** (cells - 1) * rows
    if value is None:
        shares = np.linspace(0.0, 1.0, NODES)
        middle = [] if cells == 2 else [0.5 - shares]  # noqa: PLR2004 - MEAN has two numbers
        margins = noise_margin(np.stack([1 - shares, *middle, -shares], axis=1), noise, confidence)
        return min(float(margins.max()) / size * WIDER, 0.5) * (high - low)
    share = min(max((float(value) - low) / (high - low), 0.0), 1.0)
    parts = [share, 1 - share] if cells == 2 else [share**2, 2 * share * (1 - share), (1 - share) ** 2]  # noqa: PLR2004 - MEAN
    ends = fieller(size * np.array([parts]), noise, confidence)
    return float(ends[1][0] - ends[0][0]) / 2 * (high - low)
