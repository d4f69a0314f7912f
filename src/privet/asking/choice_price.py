"""The ε of a mechanism that chooses, at a caller's price."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from privet.asking.price import Price, refuse_unforeseen
from privet.core import Mechanism, Sensitivity
from privet.core.mechanism import refuse_uncovered
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import Guarantee, calibrated_scale

M = TypeVar("M", bound=Mechanism[Any, Any])
SLIGHTLY_LESS = 1 - Fraction(1, 10**4)


def choice_at(
    price: Price,
    kind: type[M],
    make: Callable[[Fraction, Guarantee | None], M],
    *,
    parts: int,
    sensitivity: Sensitivity,
) -> M:
    """Return the sharpest choice at a price, or the caller's own mechanism.

    Args:
        price: what the answer may cost.
        kind: what the caller's own mechanism must be.
        make: the mechanism at an ε, made for a promise or for none.
        parts: how many exponential mechanisms it is composed of, each with an equal share of ε.
        sensitivity: what a caller's own mechanism must cover.

    Privacy: from public numbers only. A pure ε is taken as it is. With a δ and several parts, ε is raised as far as
        their exact composition keeps (ε, δ). At ρ, ε is as large as a ledger that counts ρ allows.
    """
    if price.mechanism is not None:
        if not isinstance(price.mechanism, kind):
            raise InvalidParameter(f"mechanism must be a {kind.__name__}, got {type(price.mechanism).__name__}")
        refuse_uncovered(price.mechanism, sensitivity)
        return price.mechanism
    if price.rho is not None:
        return _concentrated(price.rho, make, parts)
    refuse_unforeseen(price, "this answer")
    if price.epsilon is None:
        raise TypeError("a price without a mechanism has a budget")
    if price.delta and parts > 1:
        promise = Guarantee(price.epsilon, price.delta)
        scale = calibrated_scale(lambda scale: make(1 / Fraction(scale), None).loss, promise)
        return max(make(1 / Fraction(scale), promise), make(price.epsilon, None), key=_sharpness)
    return make(price.epsilon, None)


def _sharpness(mechanism: Any) -> Fraction:  # noqa: ANN401 - any mechanism with an epsilon
    sharp: Fraction = mechanism.epsilon
    return sharp


def _concentrated(rho: Fraction, make: Callable[[Fraction, Guarantee | None], M], parts: int) -> M:
    """Return the mechanism whose loss, as a ledger counts it, is at most rho; ρ grows about as the square of ε."""
    epsilon = 8 * rho / root_above(8 * rho / parts)  # not above parts times the root of 8 rho / parts
    while (spent := Fraction(make(epsilon, None).loss.zcdp())) > rho:
        epsilon = (epsilon * SLIGHTLY_LESS / root_above(spent / rho)).limit_denominator(10**12)
    return make(epsilon, None)
