"""Solving: the smallest epsilon at which a decreasing curve is low enough."""

import math
from collections.abc import Callable

import numpy as np

from privet.loss.curve import Array

LADDER = np.concatenate([[0.0], 2.0 ** np.arange(-40.0, 21.0)])
RUNGS = np.arange(1, 64) / 64
FINE = 2.0**-48  # relative width of the last bracket
PATIENCE = 3  # chords that may fail to halve a bracket
CLOSE = 1e-9  # the same for curves that are asked for few values
SMALLEST = 2.0**-60  # of the largest loss; epsilons below are not looked for


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


def solved_in_few(curve: Callable[[Array], Array], delta: float, top: float) -> float:
    """As `solved`, to a billionth and with few single values, for curves each value of which is a computation.

    The logarithm of the curve is nearly straight between two near points, so the next one is where the chord meets the
    level (`crossing`).

    Args:
        curve: decreasing, 0 from `top` on.
        delta: above 0.
        top: the largest loss.
    """

    def above(epsilon: float) -> float:
        found = float(curve(np.array([epsilon]))[0])
        return math.log(found / delta) if found > 0 else -math.inf

    low, high, far = top / 2, top, -math.inf
    while (near := above(low)) <= 0:
        high, far = low, near
        low = low / 4
        if high < SMALLEST * top:
            return 0.0 if above(0.0) <= 0 else high
    return crossing(above, (low, near), (high, far), CLOSE * low)[1]


def crossing(
    above: Callable[[float], float], left: tuple[float, float], right: tuple[float, float], width: float
) -> tuple[float, float]:
    """Narrow a bracket to a width: its two ends, above 0 at the first and not at the second.

    Where the chord meets 0 is looked at next; of an end that stays twice, half the value counts (the Illinois rule).
    The middle is, where a value says nothing but its sign (0 or infinite), or three looks did not halve the bracket.

    Args:
        above: decreasing, by and large.
        left: a place, and the value there, above 0.
        right: a higher place, and the value there, at most 0.
        width: of the bracket in the end; ends as near as floats can be will do.
    """
    (low, near), (high, far) = left, right
    least = width / 2  # a step at least so long from either end: the other end may be as good as met
    side, looks, before = 0, 0, high - low
    while high - low > width:
        middle = (low + high) / 2
        if looks < PATIENCE and -math.inf < far < 0 < near < math.inf:
            middle = min(max(low + (high - low) * near / (near - far), low + least), high - least)
        if not low < middle < high:
            break
        value = above(middle)
        if value <= 0:
            high, far, near, side = middle, value, near / 2 if side < 0 else near, -1
        else:
            low, near, far, side = middle, value, far / 2 if side > 0 else far, 1
        looks += 1
        if high - low <= before / 2:
            looks, before = 0, high - low
    return low, high
