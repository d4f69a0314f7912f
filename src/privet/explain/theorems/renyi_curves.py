"""Rényi divergence of the three classical mechanisms as a function of the order, in closed form."""

import math
from decimal import Decimal
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.explain.theorems.conversion import randomized_response_renyi
from privet.loss.exact import Exact, exact_within
from privet.loss.outward import decimal_of, float_up, nonnegative, precise, probability_of


@precise()
def response_curve(truth: Exact, *, order: Exact) -> float:
    """Return the Rényi divergence of randomized response that answers truly with probability `truth`.

    Example:
        >>> [round(response_curve(0.75, order=a), 6) for a in (1, 2, math.inf)]
        [0.549306, 0.847298, 1.098612]
    """
    rate = probability_of(truth, "truth")
    if rate in (0, 1):
        return math.inf
    odds = decimal_of(rate / (1 - rate))
    level = abs(odds.ln())
    return float_up(level if order == math.inf else randomized_response_renyi(level, _order(order)))


@precise()
def laplace_curve(scale: Exact, *, order: Exact) -> float:
    """Return the Rényi divergence of Laplace noise of this scale, for sensitivity 1 (Mironov 2017, Table II).

    With x = 1/scale: ln(a e^{(a-1)x}/(2a-1) + (a-1) e^{-ax}/(2a-1)) / (a-1); x + e^{-x} - 1 at order 1; x
    at infinity.

    Example:
        >>> [round(laplace_curve(2, order=a), 6) for a in (1, 2, 4, math.inf)]
        [0.106531, 0.200304, 0.320927, 0.5]
    """
    shift = 1 / decimal_of(_above_zero(scale))
    if order == math.inf:
        return float_up(shift)
    level = _order(order)
    if level == 1:
        return float_up(shift + (-shift).exp() - 1)
    grown = level * ((level - 1) * shift).exp() + (level - 1) * (-level * shift).exp()
    return float_up((grown / (2 * level - 1)).ln() / (level - 1))


@precise()
def gaussian_curve(scale: Exact, *, order: Exact) -> float:
    """Return the Rényi divergence of Gaussian noise of this scale, for sensitivity 1: a/(2 scale²).

    Example:
        >>> gaussian_curve(2, order=16), gaussian_curve(2, order=math.inf)
        (2.0, inf)
    """
    spread = _above_zero(scale)
    if order == math.inf:
        return math.inf
    return float_up(exact_within(order, "order", low=1) / (2 * spread**2))


def _order(order: Exact) -> Decimal:
    return decimal_of(exact_within(order, "order", low=1))


def _above_zero(scale: Exact) -> Fraction:
    value = nonnegative(scale, "scale")
    if value == 0:
        raise InvalidParameter("scale must be above 0; got 0.")
    return value
