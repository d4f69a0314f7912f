"""Calibration: the least noise that keeps a promise."""

import math
from collections.abc import Callable

from privet.errors import InvalidParameter
from privet.loss.guarantee import Guarantee
from privet.loss.privacy_loss import PrivacyLoss

PRECISION = 1e-9  # relative width of the last bracket
WIDEST = 2.0**200


def calibrated_scale(loss_at: Callable[[float], PrivacyLoss], promise: Guarantee) -> float:
    """The smallest scale whose loss keeps the promise, from the private side.

    Args:
        loss_at: the loss of the mechanism at a noise scale > 0; a larger scale must not cost more.
        promise: what must hold.

    Privacy: the returned scale was checked: `loss_at(scale).meets(promise)`.
    Proof: a bracket [fails, meets] is halved, and its upper end returned; nothing is assumed but that check.

    Example:
        >>> from privet.loss import GaussianCurve
        >>> scale = calibrated_scale(lambda s: PrivacyLoss.of(GaussianCurve(1 / s)), Guarantee(1, 1e-4))
        >>> round(scale, 6)
        3.185703
    """

    def meets(scale: float) -> bool:
        return loss_at(scale).meets(promise)

    high = 1.0
    while not meets(high):
        high *= 2.0
        if high > WIDEST:
            raise InvalidParameter(
                f"no noise scale keeps {promise!r}: allow a larger delta, or a mechanism with less loss"
            )
    low = high / 2.0
    while meets(low):
        low, high = low / 2.0, low
        if high < 1 / WIDEST:
            return high
    while high > low * (1 + PRECISION):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high
