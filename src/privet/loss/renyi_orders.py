"""Orders of Rényi divergence: which are allowed, and which is the best one for a bound."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import Array
from privet.loss.exact import Exact, exact_within

Bound = Callable[[Array], Array]


def check_order(order: Exact) -> Fraction:
    """Return a finite order above 1, or refuse it."""
    value = exact_within(order, "order", low=1)
    if value == 1:
        raise InvalidParameter("order must be above 1: at order 1 a Rényi bound says nothing about (ε, δ).")
    return value


def best_order(bound: Bound) -> Fraction:
    """Return an order > 1 at which a Rényi bound is close to its least; every order is a sound choice.

    Args:
        bound: orders -> values, vectorised; the smaller the better.
    """
    from scipy import optimize  # noqa: PLC0415 - slow to load, and few need it

    grid = np.geomspace(1e-6, 1e13, 400)
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.nan_to_num(bound(1 + grid), nan=math.inf)
        place = int(np.argmin(values))
        low, high = (math.log(grid[min(max(place + step, 0), grid.size - 1)]) for step in (-1, 1))
        found = optimize.minimize_scalar(
            lambda x: float(bound(np.array([1 + math.exp(x)]))[0]),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-10},
        )
    if not found.fun <= values[place]:
        return Fraction(float(1 + grid[place]))
    return Fraction(1 + math.exp(float(found.x)))


def log_of(number: Fraction) -> float:
    """Return the logarithm of a positive fraction, also of one below the smallest float."""
    return math.log(number.numerator) - math.log(number.denominator)
