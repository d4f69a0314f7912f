"""Solving: the smallest epsilon at which a decreasing curve is low enough."""

import math
from collections.abc import Callable

import numpy as np

from privet.loss.curve import Array

LADDER = np.concatenate([[0.0], 2.0 ** np.arange(-40.0, 21.0)])
RUNGS = np.arange(1, 64) / 64
FINE = 2.0**-48  # relative width of the last bracket


def solved(curve: Callable[[Array], Array], delta: float) -> float:
    """The smallest epsilon at which a decreasing curve is <= delta, from above; inf if there is none.

    A bracket, cut into 64 pieces at a time: curves are vector functions, so 63 values cost little more than one.
    """
    enough = np.flatnonzero(curve(LADDER) <= delta)
    if not enough.size:
        return math.inf
    if enough[0] == 0:
        return 0.0
    low = float(LADDER[enough[0] - 1])
    high = float(LADDER[enough[0]])
    while high - low > FINE * high:
        points = low + (high - low) * RUNGS
        enough = np.flatnonzero(curve(points) <= delta)
        first = int(enough[0]) if enough.size else len(points)
        edges = (low, *points.tolist(), high)
        if edges[first + 1] >= high and edges[first] <= low:
            break
        low = edges[first]
        high = edges[first + 1]
    return high
