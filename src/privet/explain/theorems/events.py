"""What a Rényi bound says about single events."""

import math

from privet.loss.exact import Exact
from privet.loss.outward import decimal_of, float_down, float_up, nonnegative, precise, probability_of
from privet.loss.renyi_orders import check_order


@precise()
def event_bounds(probability: Exact, *, bound: Exact, order: Exact) -> tuple[float, float]:
    """Return the least and the largest probability that an event of probability Q on the neighbour can have.

    Args:
        probability: Q, the event's probability on neighbouring data.
        bound: the Rényi divergence in both directions, at `order`.
        order: a > 1, infinity included.

    Proof: Hölder's inequality gives P <= (e^bound Q)^{(a-1)/a}; exchanging the roles and solving for P gives
    P >= e^{-bound} Q^{a/(a-1)} (Mironov 2017, Proposition 10). Mind the brackets: the exponent is (a-1)/a.

    Example:
        >>> [round(value, 6) for value in event_bounds(0.25, bound=0.847298, order=2)]
        [0.026786, 0.763763]
    """
    rate = probability_of(probability, "probability")
    loss = decimal_of(nonnegative(bound, "bound"))
    if rate == 0:
        return 0.0, 0.0
    log_rate = decimal_of(rate).ln()
    if order == math.inf:
        low = log_rate - loss
        high = log_rate + loss
    else:
        level = decimal_of(check_order(order))
        low = log_rate * level / (level - 1) - loss
        high = (log_rate + loss) * (level - 1) / level
    return float_down(low.exp()), min(1.0, float_up(high.exp()))


def weak_triangle(*, order: Exact, share: Exact, first: float, second: float) -> float:
    """Return a bound on D_a(P‖Q) through a third R: (a - 1/s)/(a - 1) D_{s a}(P‖R) + D_{t (a - 1/s)}(R‖Q).

    Args:
        order: a > 1.
        share: s > 1, with t = s/(s - 1).
        first: D of order s a between P and R.
        second: D of order t (a - 1/s) between R and Q.

    Proof: Hölder's inequality with exponents s and t (Mironov 2017, Proposition 11).

    Example:
        >>> weak_triangle(order=2, share=2, first=2.0, second=1.5)
        4.5
    """
    level, part = check_order(order), check_order(share)
    weight = (level - 1 / part) / (level - 1)
    return float_up(weight * nonnegative(first, "first") + nonnegative(second, "second"))
