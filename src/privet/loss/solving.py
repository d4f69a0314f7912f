"""Solving: the smallest epsilon at which a decreasing curve is low enough."""

import math
from collections.abc import Callable

import numpy as np

from privet.loss.curve import Array


def solved(curve: Callable[[Array], Array], delta: float) -> float:
    """The smallest epsilon at which a decreasing curve is <= delta, from above; inf if there is none.

    A bracket, narrowed by secants of the logarithm (with bisections in between, which bound the work).
    """
    ladder = np.concatenate([[0.0], 2.0 ** np.arange(-40.0, 21.0)])
    values = curve(ladder)
    enough = np.flatnonzero(values <= delta)
    if not enough.size:
        return math.inf
    if enough[0] == 0:
        return 0.0
    low, high = float(ladder[enough[0] - 1]), float(ladder[enough[0]])
    over, under = _excess(values[enough[0] - 1], delta), _excess(values[enough[0]], delta)
    for attempt in range(200):
        if high - low <= 2.0**-48 * high:
            break
        share = 0.5 if attempt % 3 == 2 or math.isinf(under) else over / (over - under)  # noqa: PLR2004 - every third
        middle = low + (high - low) * min(max(share, 1e-3), 1 - 1e-3)
        excess = _excess(curve(np.array([middle]))[0], delta)
        if excess <= 0:
            high, under, over = middle, excess, over / 2
        else:
            low, over, under = middle, excess, under / 2
    return high


def _excess(value: float, delta: float) -> float:
    return math.log(value / delta) if value > 0 else -math.inf
