"""Functions of users, made total: an error would tell something about the data."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from privet.mechanisms.quietly import quietly
from privet.noise.lazy import Floats


def answer_of(function: Callable[[], Any], *, shape: tuple[int, ...], largest: float) -> Floats:
    """Return what a function says as floats of this shape; 0 where it fails or says no finite number.

    Args:
        function: called once.
        shape: of the answer; another one counts as a failure.
        largest: numbers beyond it are cut off at it, which moves no two answers apart.

    Privacy: the function's sensitivity must hold for its answers with these zeros in them; a function that never fails
        need not care.

    Example:
        >>> answer_of(lambda: [1, math.nan, 10**400], shape=(3,), largest=100.0)
        array([1., 0., 0.])
    """
    found = quietly(lambda: np.asarray(function(), dtype=np.object_), np.zeros(shape))
    if found.shape != shape and not (found.size == 1 and math.prod(shape) == 1):
        return np.zeros(shape)
    return np.clip([_finite(number) for number in found.ravel().tolist()], -largest, largest).reshape(shape)


def _finite(number: Any) -> float:  # noqa: ANN401 - whatever a function returns
    known = quietly(lambda: float(number), 0.0)
    return known if math.isfinite(known) else 0.0
