"""How far apart two finite distributions are, in the measures from which privacy is read.

Each distribution is a list of masses over the same cells. Cells that neither distribution reaches count for
nothing; a cell that only the first reaches is told apart for certain, and the measure says so with `math.inf`
where it must: no exception, no NaN. Results are rounded up, so they are safe to promise.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.loss.outward import sum_up

Array: TypeAlias = NDArray[np.float64]
Masses: TypeAlias = Sequence[float] | Array

UNIT = 2.0**-53  # half an ulp of 1: the error of one operation
RESERVE = 2.0**-47  # relative allowance for a logarithm, an exponential and the products around them
_SUM_TOLERANCE = 1e-9
_SMALLEST = 5e-324
_TINY, _HUGE = 1e-290, 1e290  # quotients outside lose digits or overflow; their logarithms are a difference


def masses(distribution: Masses, name: str = "distribution") -> Array:
    """Return the masses as an array, or refuse what is not a distribution."""
    array = np.asarray(distribution, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InvalidParameter(f"{name} must be a non-empty list of masses; got an array of shape {array.shape}.")
    if not (np.all(array >= 0) and abs(math.fsum(array) - 1) <= _SUM_TOLERANCE):
        raise InvalidParameter(
            f"{name} must have masses of at least 0 that sum to 1; got the sum {math.fsum(array)} "
            f"and the smallest mass {np.min(array)}: divide by the sum first."
        )
    return array


def pair(p: Masses, q: Masses) -> tuple[Array, Array]:
    """Return two distributions over the same cells."""
    first, second = masses(p, "the first distribution"), masses(q, "the second distribution")
    if first.size != second.size:
        raise InvalidParameter(f"both distributions need the same cells; got {first.size} and {second.size} of them.")
    return first, second


def log_ratio(p: Array, q: Array) -> Array:
    """Return ln(p / q) in every cell, with a relative error below 2^-48; 0 where both are 0.

    Near p = q the quotient would lose the digits that matter, so there it is log1p((p - q) / q), whose
    difference is exact (Sterbenz).
    """
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        quotient = p / q
        ratios: Array = np.log(quotient)
        extreme = (quotient < _TINY) | (quotient > _HUGE)
        ratios[extreme] = np.log(p[extreme]) - np.log(q[extreme])
    near = (p <= 2 * q) & (q <= 2 * p) & (q > 0)
    ratios[near] = np.log1p((p[near] - q[near]) / q[near])
    ratios[(p == 0) & (q == 0)] = 0.0
    return ratios


def hockey_stick(p: Masses, q: Masses, *, epsilon: float) -> float:
    """Return the smallest δ with P(S) <= e^ε Q(S) + δ for every set S: the sum of (p - e^ε q) where positive.

    Args:
        p: the output distribution on the data.
        q: the output distribution on the neighbour, over the same cells.
        epsilon: at least 0, infinity included.

    Example:
        >>> hockey_stick([0.75, 0.25], [0.25, 0.75], epsilon=0)
        0.5
    """
    first, second = pair(p, q)
    if not epsilon >= 0:
        raise InvalidParameter(f"epsilon must be at least 0, infinity included; got {epsilon}.")
    if math.isinf(epsilon):
        return min(1.0, sum_up(list(first[second == 0])))
    scaled = second if epsilon == 0 else _scaled_down(second, epsilon)
    ahead = first > scaled
    return min(1.0, max(0.0, sum_up([*first[ahead], *(-scaled[ahead])])))


def _scaled_down(q: Array, epsilon: float) -> Array:
    """Return a lower bound of e^ε q, computed through logarithms because e^ε alone may overflow."""
    scaled = np.zeros(q.size)
    log_q = np.log(q[q > 0])
    with np.errstate(over="ignore", under="ignore"):
        scaled[q > 0] = np.exp(epsilon + log_q - RESERVE * (1 + epsilon + np.abs(log_q)))
    return scaled


def max_divergence(p: Masses, q: Masses) -> float:
    """Return the largest ln(P(S) / Q(S)): the ε of pure differential privacy in this direction.

    Example:
        >>> round(max_divergence([0.75, 0.25], [0.25, 0.75]), 6)
        1.098612
        >>> max_divergence([0.5, 0.5, 0], [1, 0, 0])
        inf
    """
    largest = float(np.max(log_ratio(*pair(p, q))))
    return max(0.0, largest * (1 + RESERVE))


def approximate_max_divergence(p: Masses, q: Masses, *, delta: float) -> float:
    """Return the smallest ε >= 0 with P(S) <= e^ε Q(S) + δ for every set S.

    Args:
        p: the output distribution on the data.
        q: the output distribution on the neighbour, over the same cells.
        delta: between 0 and 1.

    Proof: The sets that decide are the upper sets of p/q (Neyman and Pearson), so ε is the largest
    ln((P(S) - δ) / Q(S)) over the prefixes S of the cells sorted by falling ratio. Sums of n positive floats
    have a relative error of at most n 2^-53, which is added to P and taken from Q.

    Example:
        >>> round(approximate_max_divergence([0.75, 0.25], [0.25, 0.75], delta=0.1), 6)
        0.955511
    """
    first, second = pair(p, q)
    if not 0 <= delta <= 1:
        raise InvalidParameter(f"delta must lie between 0 and 1; got {delta}.")
    if delta == 0:
        return max_divergence(first, second)
    certain = sum_up(list(first[second == 0]))
    if certain > delta:
        return math.inf
    order = np.argsort(-log_ratio(first, second), kind="stable")
    order = order[second[order] > 0]
    drift = first.size * 2 * UNIT
    above = np.maximum((certain + np.cumsum(first[order])) * (1 + drift) - delta, _SMALLEST)
    below = np.cumsum(second[order]) * (1 - drift)
    logs = np.log(above) - np.log(below)
    slack = RESERVE * (np.abs(np.log(above)) + np.abs(np.log(below)) + 1)
    return max(0.0, float(np.max(logs + slack)))


def renyi_divergence(p: Masses, q: Masses, *, order: float) -> float:
    """Return the Rényi divergence of the given order: KL at order 1, the max divergence at order infinity.

    Args:
        p: the output distribution on the data.
        q: the output distribution on the neighbour, over the same cells.
        order: at least 1, infinity included.

    Proof: With L = ln(p/q) the divergence is ln(E_P e^{(order-1) L}) / (order-1). Near order 1 the
    logarithm of a number next to 1 loses every digit, so it is computed as log1p(E_P expm1((order-1) L));
    far from it, by a shifted exponential sum that cannot overflow. Rényi, "On measures of entropy and
    information", 1961.

    Example:
        >>> [round(renyi_divergence([0.75, 0.25], [0.25, 0.75], order=a), 6) for a in (1, 2, math.inf)]
        [0.549306, 0.847298, 1.098612]
    """
    first, second = pair(p, q)
    if not order >= 1:
        raise InvalidParameter(f"order must be at least 1, infinity included; got {order}.")
    if math.isinf(order):
        return max_divergence(first, second)
    reached = first > 0
    return renyi_of_loss(first[reached], log_ratio(first[reached], second[reached]), order)


def renyi_of_loss(mass: Array, loss: Array, order: float) -> float:
    """Return the Rényi divergence of an order in [1, inf) from the losses ln(p/q) and their masses under P."""
    if np.isinf(loss).any():
        return math.inf
    slope = order - 1
    if slope == 0:
        return max(0.0, _expectation_up(mass * loss))
    exponent = slope * loss
    top = float(np.max(exponent))
    if top <= 1:
        return max(0.0, math.log1p(_expectation_up(mass * np.expm1(exponent))) / slope * (1 + RESERVE))
    weights = np.exp(np.log(mass) + exponent - top)
    slack = RESERVE * (2 + top + float(np.abs(np.log(mass)).max()))
    return max(0.0, (top + math.log(math.fsum(weights)) + slack) / slope)


def _expectation_up(terms: Array) -> float:
    return math.fsum(terms) + RESERVE * math.fsum(np.abs(terms))
