"""Told counts: the interval of a count that was shown because it was large with its noise."""

import math
from typing import Any

import numpy as np

from privet.core import Mechanism
from privet.mechanisms import PartitionCounts
from privet.query.measures.noise_margin import Floats


def told_ends(
    values: Floats, ends: tuple[Floats, Floats], mechanism: Mechanism[Any, Any], confidence: float
) -> tuple[Floats, Floats]:
    """The ends of counts of groups that are named by them; those just above the bound reach down as far as noise can.

    What is not told by `PartitionCounts` keeps its ends.

    Args:
        values: the noisy counts that are told: all are above the bound k.
        ends: value ± m, where noise exceeds m with probability at most 1 - confidence.
        mechanism: that told them.
        confidence: of each interval, among the groups that are told.

    Proof: let n be the exact count. Above k + m every y within m of n is told, so intervals of told counts miss n no
        oftener than noise exceeds m. From k + 1 to k + m only the upper tail is told and missed: half of that, of a
        half or more that is told. Up to k, what is told lies above n, so y - k - 1 has a geometric law, cut off, and is
        q or more with probability at most e^(-εq); with q as below that is 1 - confidence at most, and where
        y <= k + q the interval goes down to y - k, below which no n is.
    """
    if not isinstance(mechanism, PartitionCounts):
        return ends
    bound = mechanism.largest_error
    reach = math.ceil(-math.log1p(-confidence) / float(mechanism.epsilon) * (1 + 2.0**-40))
    low = np.where(values <= bound + reach, np.minimum(ends[0], np.maximum(1.0, values - bound)), ends[0])
    return low, ends[1]
