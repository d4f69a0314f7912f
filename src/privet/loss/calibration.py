"""Calibration: the least noise that keeps a promise."""

import math
from collections.abc import Callable

from privet.errors import InvalidParameter
from privet.loss.guarantee import Guarantee
from privet.loss.pricing.solving import crossing
from privet.loss.privacy_loss import PrivacyLoss

PRECISION = 1e-9  # relative width of the last bracket
WIDEST = 2.0**200
STRIDE = 2.0  # from one end of a bracket to the next, at most


def calibrated_scale(
    loss_at: Callable[[float], PrivacyLoss],
    promise: Guarantee,
    *,
    near: float = 1.0,
    stride: float = STRIDE,
    precision: float = PRECISION,
) -> float:
    """The smallest scale whose loss keeps the promise, from the private side.

    Args:
        loss_at: the loss of the mechanism at a noise scale > 0; a larger scale must not cost more.
        promise: what must hold.
        near: where the search begins; a good guess saves time, a bad one costs it.
        stride: the factor of its first step.
        precision: how much larger than needed the scale may be, as a share of it.

    Privacy: the returned scale was checked: `loss_at(scale).meets(promise)`.
    Proof: a bracket [fails, meets] is narrowed, and its upper end returned; nothing is assumed but that check.

    Example:
        >>> from privet.loss import GaussianCurve
        >>> scale = calibrated_scale(lambda s: PrivacyLoss.of(GaussianCurve(1 / s)), Guarantee(1, 1e-4))
        >>> round(scale, 6)
        3.185703
    """

    def excess(log_scale: float) -> float:
        return loss_at(math.exp(log_scale)).excess(promise)

    left = right = place = math.log(near)
    ahead = behind = value = excess(place)
    step = math.log(stride)
    while value > 0:  # up to a scale that keeps the promise
        left, ahead, place = place, value, place + step
        if place > math.log(WIDEST):
            raise InvalidParameter(
                f"no noise scale keeps {promise!r}: allow a larger delta, or a mechanism with less loss"
            )
        right, behind = place, (value := excess(place))
        step = min(2 * step, math.log(STRIDE))
    while ahead <= 0:  # down to one that does not
        right, behind, place = place, value, place - step
        if place < -math.log(WIDEST):
            return math.exp(right)
        left, ahead = place, (value := excess(place))
        step = min(2 * step, math.log(STRIDE))
    return math.exp(crossing(excess, (left, ahead), (right, behind), precision)[1])
