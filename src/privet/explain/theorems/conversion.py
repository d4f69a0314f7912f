"""Conversions between notions of privacy: pure ε, zero-concentrated ρ, Rényi at an order, and (ε, δ).

Arrows go one way: pure -> zCDP -> Rényi -> (ε, δ). Every function takes exact numbers, computes with 80
digits and rounds its result up. Proofs: docs/proofs/composition.md.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from privet.loss.divergences.divergence import Array
from privet.loss.exact import Exact, exact_within
from privet.loss.outward import decimal_of, float_up, nonnegative, precise, probability_of
from privet.loss.renyi_orders import best_order, log_of

_HALF = Decimal("0.5")


@precise()
def pure_to_zcdp(epsilon: Exact) -> float:
    """Return the smallest ρ such that every ε-DP mechanism is ρ-zCDP: ε tanh(ε/2).

    Proof: Randomized response dominates every ε-DP mechanism (Kairouz, Oh and Viswanath 2015), and its Rényi
    divergence is (g((a - 1/2)^2) - g(1/4)) / (a - 1) with g(u) = ln cosh(ε √u). g is concave, because
    tanh(x)/x falls, so the divergence is at most g'(1/4) a = a ε tanh(ε/2); order 1 attains it.

    Example:
        >>> round(pure_to_zcdp(0.1), 9), round(pure_to_zcdp_standard(0.1), 9)
        (0.004995837, 0.005)
    """
    level = decimal_of(nonnegative(epsilon, "epsilon"))
    return float_up(level * tanh_half(level))


def pure_to_zcdp_standard(epsilon: Exact) -> float:
    """Return the textbook's ρ = ε²/2 (Bun and Steinke 2016, Proposition 1.4), never below `pure_to_zcdp`.

    Example:
        >>> pure_to_zcdp_standard(1), round(pure_to_zcdp(1), 6)
        (0.5, 0.462117)
    """
    return float_up(nonnegative(epsilon, "epsilon") ** 2 / 2)


@precise()
def tanh_half(level: Decimal) -> Decimal:
    """Return tanh(level / 2), right to 80 digits."""
    shrink = (-level).exp()
    return (1 - shrink) / (1 + shrink)


@precise()
def pure_to_renyi(epsilon: Exact, *, order: Exact) -> float:
    """Return the smallest Rényi bound that every ε-DP mechanism has: that of randomized response.

    Args:
        epsilon: the pure guarantee.
        order: at least 1; math.inf gives ε back.

    Example:
        >>> round(pure_to_renyi("1.0986122886681098", order=2), 6)
        0.847298
    """
    level = nonnegative(epsilon, "epsilon")
    if order == math.inf:
        return float_up(level)
    return float_up(randomized_response_renyi(decimal_of(level), decimal_of(exact_within(order, "order", low=1))))


@precise()
def randomized_response_renyi(level: Decimal, order: Decimal) -> Decimal:
    """Return ln(cosh(ε (order - 1/2)) / cosh(ε/2)) / (order - 1), and its limit ε tanh(ε/2) at order 1."""
    if order == 1:
        return level * tanh_half(level)
    wide = level * (order - _HALF)
    grown = wide + (1 + (-2 * wide).exp()).ln()
    start = level * _HALF + (1 + (-level).exp()).ln()
    return max(Decimal(0), (grown - start) / (order - 1))


@precise()
def renyi_to_epsilon(bound: Exact, *, order: Exact, delta: Exact) -> float:
    """Return the ε of (ε, δ)-DP from a Rényi bound: bound + ln((a-1)/a) - (ln δ + ln a)/(a-1), at least 0.

    Args:
        bound: the Rényi divergence of the given order.
        order: a > 1; math.inf means that `bound` is a pure ε.
        delta: between 0 and 1; 0 gives infinity unless the order is infinite.

    Proof: Balle, Barthe, Gaboardi, Hsu and Sato 2020, Theorem 21; Canonne, Kamath and Steinke 2020,
    Proposition 12.

    Example:
        >>> round(renyi_to_epsilon(1, order=10, delta="1e-5"), 6)
        1.918011
    """
    return _convert(_tight_conversion, bound, order, delta)


@precise()
def renyi_to_epsilon_standard(bound: Exact, *, order: Exact, delta: Exact) -> float:
    """Return bound + ln(1/δ)/(a-1) (Mironov 2017, Proposition 3); `renyi_to_epsilon` is never larger.

    Example:
        >>> round(renyi_to_epsilon_standard(1, order=10, delta="1e-5"), 6)
        2.279214
    """
    return _convert(_standard_conversion, bound, order, delta)


Conversion = Callable[[Decimal, Decimal, Decimal], Decimal]


def _tight_conversion(bound: Decimal, order: Decimal, log_delta: Decimal) -> Decimal:
    return bound + ((order - 1) / order).ln() - (log_delta + order.ln()) / (order - 1)


def _standard_conversion(bound: Decimal, order: Decimal, log_delta: Decimal) -> Decimal:
    return bound - log_delta / (order - 1)


def _convert(conversion: Conversion, bound: Exact, order: Exact, delta: Exact) -> float:
    value, failure = nonnegative(bound, "bound"), probability_of(delta, "delta")
    if order == math.inf:
        return float_up(value)
    level = exact_within(order, "order", low=1)
    if level == 1 or failure == 0:
        return math.inf
    epsilon = conversion(decimal_of(value), decimal_of(level), decimal_of(failure).ln())
    return float_up(max(Decimal(0), epsilon))


@precise()
def renyi_to_delta(bound: Exact, *, order: Exact, epsilon: Exact) -> float:
    """Return the δ of (ε, δ)-DP that a Rényi bound gives: e^{(a-1)(bound-ε)} (1 - 1/a)^{a-1} / a, at most 1.

    Example:
        >>> round(renyi_to_delta(1, order=10, epsilon=2) * 1e6, 6)
        4.781149
    """
    value = decimal_of(nonnegative(bound, "bound"))
    level = exact_within(order, "order", low=1)
    if level == 1:
        return 1.0
    a = decimal_of(level)
    target = decimal_of(nonnegative(epsilon, "epsilon"))
    log_delta = (a - 1) * (value - target + ((a - 1) / a).ln()) - a.ln()
    return min(1.0, float_up(log_delta.exp()))


@precise()
def zcdp_to_epsilon(rho: Exact, *, delta: Exact) -> float:
    """Return the ε of (ε, δ)-DP that ρ-zCDP gives: the best order of `renyi_to_epsilon` with bound ρ a.

    Proof: Canonne, Kamath and Steinke 2020, Corollary 13. Every order is sound, so a search in float64
    picks one and the bound at that order is computed exactly.

    Example:
        >>> [round(convert(0.5, delta="1e-5"), 6) for convert in (zcdp_to_epsilon, zcdp_to_epsilon_standard)]
        [4.728387, 5.298526]
    """
    cost, failure = nonnegative(rho, "rho"), probability_of(delta, "delta")
    if cost == 0:
        return 0.0
    if failure == 0:
        return math.inf
    slope = float(cost)
    order = best_order(lambda orders: tight_epsilons(slope * orders, orders, failure))
    return renyi_to_epsilon(cost * order, order=order, delta=failure)


@precise()
def zcdp_to_epsilon_standard(rho: Exact, *, delta: Exact) -> float:
    """Return ρ + 2 √(ρ ln(1/δ)) (Bun and Steinke 2016, Proposition 1.3), never below `zcdp_to_epsilon`.

    Example:
        >>> round(zcdp_to_epsilon_standard("0.5", delta="1e-5"), 6)
        5.298526
    """
    cost, failure = decimal_of(nonnegative(rho, "rho")), decimal_of(probability_of(delta, "delta"))
    if failure == 0:
        return math.inf if cost > 0 else 0.0
    return float_up(cost + 2 * (cost * -failure.ln()).sqrt())


def tight_epsilons(bounds: Array, orders: Array, delta: Fraction) -> Array:
    """Return `renyi_to_epsilon` at many orders in float64: to choose an order, not to promise."""
    log_delta = log_of(delta)
    values: Array = bounds + np.log1p(-1 / orders) - (log_delta + np.log(orders)) / (orders - 1)
    return values


def standard_epsilons(bounds: Array, orders: Array, delta: Fraction) -> Array:
    """Return `renyi_to_epsilon_standard` at many orders in float64: to choose an order, not to promise."""
    values: Array = bounds - log_of(delta) / (orders - 1)
    return values
