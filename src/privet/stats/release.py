"""release: one number or an array that the caller has computed, made private in one call."""

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.best_noise import best_noise
from privet.asking.called_as import called_as
from privet.asking.payment import Payment
from privet.asking.price import Price
from privet.core import Mechanism, Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shown

TAKEN = "a number, an array or a list of numbers"
WIDEST = 8  # bytes of a number


@called_as("release(42, sensitivity=1, epsilon=0.5)")
def release(value: Any, *, sensitivity: Sensitivity | Exact, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - a number or an array
    """Release a number, or an array, that you have computed yourself, with noise for the sensitivity that you declare.

    Args:
        value: a number, an array or a list of numbers. Whole numbers get discrete noise and stay whole.
        sensitivity: how far one unit can move it: a number > 0 for one number, a `Sensitivity` for an array, which says
            how many of its numbers one unit can move.
        **asking: see `Asking`: the price (epsilon, delta, rho, risk, error or mechanism), ledger, purpose, key,
            neighbors, unit.

    Privacy: as private as the sensitivity is true, for any two neighbors and not only for the data at hand; where a
        statistic of Privet does what is needed, take that: it bounds what one unit can do by itself. The type and the
        shape of the value count as public; the numbers in it are looked at after the charge only.

    Example:
        >>> answer = release(42, sensitivity=1, epsilon=0.5)
        >>> answer.mechanism, answer.margin(0.95)
        ('DiscreteLaplace(l1_sensitivity=1, scale=2)', 6.0)
        >>> release([3.5, 0.5], sensitivity=Sensitivity(1, cells=2), epsilon=1).mechanism
        'Laplace(l1_sensitivity=2, scale=2)'
    """
    held, whole = _numbers(value)
    moves = _sensitivity(sensitivity, np.size(held))
    payment = Payment.of("release", asking, also=("error",))
    if whole and moves.linf < 1:
        raise InvalidParameter(
            "sensitivity must be >= 1 for whole numbers, which move by whole numbers: pass real ones, float(value)"
        )
    confidence = payment.price.confidence

    def margin(price: Price) -> float:
        error = _noise(price, moves, whole=whole).uncertainty
        return math.inf if error is None else error.margin(confidence)

    payment = payment.as_sure_as_wanted(margin, "release")
    return payment.release(lambda: held, moves, _noise(payment.price, moves, whole=whole))


def _noise(price: Price, moves: Sensitivity, *, whole: bool) -> Mechanism[Any, Any]:
    mechanism = price.mechanism if price.budget is None else best_noise(price.budget, moves, whole=whole)
    if mechanism is None:
        raise TypeError("a price without a budget has a mechanism")
    return mechanism


def _numbers(value: Any) -> tuple[int | float | NDArray[Any], bool]:  # noqa: ANN401 - whatever a caller hands over
    """The numbers, and whether they are whole; by type alone."""
    if isinstance(value, Release):
        raise InvalidParameter("value: this is a release already, and may be used as it is")
    if isinstance(value, int | float):
        return value, isinstance(value, int)
    try:
        array = np.array(value)
    except Exception:  # noqa: BLE001 - whatever the caller's own class raises
        array = np.empty(0, dtype=np.object_)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > WIDEST or not array.size:
        got = type(value).__name__ if array.size else f"an empty {type(value).__name__}"
        raise InvalidParameter(f"value must be {TAKEN}, got {got}: convert it, to float for example")
    return (array if array.ndim else array.item()), array.dtype.kind != "f"


def _sensitivity(declared: Any, size: int) -> Sensitivity:  # noqa: ANN401 - whatever a caller hands over
    if isinstance(declared, Sensitivity):
        return declared
    if size > 1:
        raise InvalidParameter(
            "sensitivity must say how many of these numbers one unit can move: "
            f"Sensitivity(1, cells=1) if it is one of them by 1, Sensitivity(1, cells={size}) if all"
        )
    if exact(declared, "sensitivity") <= 0:
        raise InvalidParameter(f"sensitivity must be > 0, got {shown(declared)}: what no unit can move is no secret")
    return Sensitivity(declared)
