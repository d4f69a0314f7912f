"""whole_targets: the target of a regression in whole steps of half the width of its public bounds."""

import numpy as np
from numpy.typing import NDArray

from privet.asking.bounds import Bounds
from privet.learn.features import Floats

UNIT = 1 << 15  # steps in half the width


def whole_targets(target: Floats, bounds: Bounds) -> NDArray[np.int64]:
    """Return targets as whole steps in [-UNIT, UNIT], clipped to the bounds.

    Example:
        >>> whole_targets(np.array([0.0, 5.0, 99.0]), Bounds.of((0, 10))).tolist()
        [-32768, 0, 32768]
    """
    with np.errstate(all="ignore"):
        distance = (target - float(bounds.middle)) / float(bounds.width / 2)
    return np.rint(np.clip(distance, -1.0, 1.0) * UNIT).astype(np.int64)


def in_bounds(halves: Floats, bounds: Bounds) -> Floats:
    """Return half widths from the middle in the target's unit, within the bounds."""
    return np.clip(float(bounds.middle) + halves * float(bounds.width / 2), float(bounds.low), float(bounds.high))
