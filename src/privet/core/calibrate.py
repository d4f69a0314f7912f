"""calibrate: the mechanism with the least noise that keeps a promise."""

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

from privet.core.mechanism import Mechanism
from privet.loss import Guarantee, calibrated_scale

M = TypeVar("M", bound=Mechanism[Any, Any])


def calibrate(make: Callable[[float], M], promise: Guarantee) -> M:
    """Return the mechanism with the smallest scale whose loss keeps the promise.

    Args:
        make: the mechanism at a noise scale > 0; a larger scale must not cost more.
        promise: what must hold.

    Privacy: the search ends on the private side: `loss.meets(promise)` was checked for what is returned. So it carries
        the promise, at which a ledger that counts ε and δ charges it: it fits a limit of the same numbers.

    Example:
        >>> from privet.mechanisms import Gaussian
        >>> round(float(calibrate(lambda s: Gaussian(l2_sensitivity=1, scale=s), Guarantee(1, 1e-4)).scale), 6)
        3.185703
    """
    made = copy(make(calibrated_scale(lambda scale: make(scale).loss, promise)))
    object.__setattr__(made, "promise", promise)
    return made
