"""Rényi divergence of the three classical mechanisms as a function of the order, in closed form."""

import math
from decimal import Decimal
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.outward import Number, decimal_of, exact, float_up, precise
from privet.loss.theorems.conversion import randomized_response_renyi


@precise()
def response_curve(truth: Number, *, order: Number) -> float:
    """Return the Rényi divergence of randomized response that answers truly with probability `truth`.

    Example:
        >>> [round(response_curve(0.75, order=a), 6) for a in (1, 2, math.inf)]
        [0.549306, 0.847298, 1.098612]
    """
    rate = exact(truth, "truth", most=1)
    if rate in (0, 1):
        return math.inf
    odds = decimal_of(rate / (1 - rate))
    level = abs(odds.ln())
    return float_up(level if order == math.inf else randomized_response_renyi(level, _order(order)))


@precise()
def laplace_curve(scale: Number, *, order: Number) -> float:
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
def gaussian_curve(scale: Number, *, order: Number) -> float:
    """Return the Rényi divergence of Gaussian noise of this scale, for sensitivity 1: a/(2 scale²).

    Example:
        >>> gaussian_curve(2, order=16), gaussian_curve(2, order=math.inf)
        (2.0, inf)
    """
    spread = _above_zero(scale)
    if order == math.inf:
        return math.inf
    return float_up(exact(order, "order", least=1) / (2 * spread**2))


def _order(order: Number) -> Decimal:
    return decimal_of(exact(order, "order", least=1))


def _above_zero(scale: Number) -> Fraction:
    value = exact(scale, "scale")
    if value == 0:
        raise InvalidParameter("scale must be above 0; got 0.")
    return value
