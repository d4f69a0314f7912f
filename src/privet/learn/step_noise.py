"""Step noise: the least noise with which so many steps of a training keep a budget, beside what else it pays for."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, PrivacyLoss
from privet.loss.exact import Exact
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps

CLOSE = 1.002  # how near the least noise is looked for
FIRST, WIDEST = 0.5, 2.0**100
NOTHING = PrivacyLoss()


@lru_cache(maxsize=256)
def noisy_steps(  # noqa: PLR0913 - public numbers, each by name
    budget: Budget,
    *,
    steps: int,
    rate: Fraction,
    length: Exact,
    rows: int = 1,
    replaced: bool = False,
    beside: PrivacyLoss = NOTHING,
) -> NoisySteps[object]:
    """Return the steps with the least noise that keep the budget together with `beside`.

    Args:
        budget: ε and δ, or ρ; a ρ needs rate=1, because it knows no chance.
        steps: how many.
        rate: see `NoisySteps`.
        length: the most that one unit adds to a sum.
        rows: see `NoisySteps`.
        replaced: whether neighbors have a unit replaced.
        beside: what else is paid from the budget, under the same neighbors.

    Privacy: the composed loss of what is returned was checked to keep the promise.
    """
    unit = Fraction(length)

    def steps_at(scale: float) -> NoisySteps[object]:
        return NoisySteps(steps, rate, Gaussian(unit, unit * Fraction(scale)), rows=rows, replaced=replaced)

    promise = budget.promise
    if isinstance(promise, ConcentratedGuarantee):
        return steps_at(_concentrated(float(promise.rho) - beside.zcdp(), steps, rate, replaced=replaced))
    if not promise.delta:
        raise InvalidParameter("training by noisy steps needs a delta or a rho: its noise is Gaussian; say delta=1e-6")
    return steps_at(least_scale(lambda scale: steps_at(scale).loss + beside, promise))


def least_scale(loss_at: Callable[[float], PrivacyLoss], promise: Guarantee) -> float:
    """A scale that keeps the promise, at most a part in 500 above the least."""
    high = FIRST
    while not loss_at(high).meets(promise):
        high *= 2.0
        if high > WIDEST:
            raise InvalidParameter(f"no noise keeps {promise!r} beside what else is released: allow a larger delta")
    low = high / 2.0
    while loss_at(low).meets(promise):
        low, high = low / 2.0, low
        if high < 1 / WIDEST:
            return high
    while high > low * CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if loss_at(middle).meets(promise) else (middle, high)
    return high


def _concentrated(rho: float, steps: int, rate: Fraction, *, replaced: bool) -> float:
    if rate != 1:
        raise InvalidParameter("a rho pays for steps over all rows alone: leave out the rate, or say epsilon and delta")
    if rho <= 0:
        raise InvalidParameter("rho is spent before the first step: ask for more")
    return (2 if replaced else 1) * math.sqrt(steps / (2 * rho)) * (1 + 1e-12)
